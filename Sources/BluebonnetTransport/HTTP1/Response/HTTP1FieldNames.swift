// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// Converts the bytes of a field name to a name, without allocating for names that are common in responses.
enum HTTP1FieldNames {
    private struct Known {
        let spelling: ContiguousArray<UInt8>
        let name: HTTPField.Name
    }

    /// The most common names, by their length in bytes.
    ///
    /// A name in another case is created anew, to preserve its case.
    private static let known: ContiguousArray<ContiguousArray<Known>> = {
        let names: [HTTPField.Name] = [
            .acceptRanges, .accessControlAllowOrigin, .age, .allow, .cacheControl, .connection, .contentDisposition,
            .contentEncoding, .contentLength, .contentRange, .contentType, .date, .eTag, .expires, .lastModified,
            .keepAlive, .location,
            .server, .setCookie, .strictTransportSecurity, .trailer, .transferEncoding, .vary,
        ]
        var table = ContiguousArray(repeating: ContiguousArray<Known>(), count: 32)
        for name in names {
            table[name.rawName.utf8.count & 31].append(Known(spelling: ContiguousArray(name.rawName.utf8), name: name))
        }
        return table
    }()

    /// Returns the name with these bytes; nil if they are not a token (RFC 9110 section 5.1).
    static func name(_ bytes: UnsafeRawBufferPointer) -> HTTPField.Name? {
        let candidates = Self.known[bytes.count & 31]
        for index in candidates.indices {
            if candidates[index].spelling.withUnsafeBytes(bytes.equals) { return candidates[index].name }
        }
        return HTTPField.Name(String(decoding: bytes, as: UTF8.self))
    }
}
