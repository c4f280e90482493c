// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Turns the bytes of a field name into a name, without work for the ones that nearly every reply carries.
enum HTTP1FieldNames {
    /// The names that servers send most, by their length in bytes.
    ///
    /// A name in another case than this is made anew, to keep its case.
    private static let known: [[HTTPField.Name]] = {
        let names: [HTTPField.Name] = [
            .acceptRanges, .accessControlAllowOrigin, .age, .allow, .cacheControl, .connection, .contentDisposition,
            .contentEncoding, .contentLength, .contentRange, .contentType, .date, .eTag, .expires, .lastModified,
            .location,
            .server, .setCookie, .strictTransportSecurity, .trailer, .transferEncoding, .vary,
        ]
        var table = [[HTTPField.Name]](repeating: [], count: 32)
        for name in names { table[name.rawName.utf8.count & 31].append(name) }
        return table
    }()

    /// The name that these bytes spell, nil if they are not a token (RFC 9110 section 5.1).
    static func name(_ bytes: ByteBufferView) -> HTTPField.Name? {
        for name in self.known[bytes.count & 31] where name.rawName.utf8.elementsEqual(bytes) { return name }
        return HTTPField.Name(String(decoding: bytes, as: UTF8.self))
    }
}
