// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOHPACK

/// The fields of one header block of a response, checked (RFC 9113 sections 8.2 and 8.3.2).
struct HTTP2ResponseFields {
    /// The status; nil for trailers.
    var status: HTTPResponse.Status?
    var fields = HTTPFields()

    /// The names that servers send most, as HTTP/2 spells them.
    private static let known: [String: HTTPField.Name] = {
        let names: [HTTPField.Name] = [
            .acceptRanges, .accessControlAllowOrigin, .age, .allow, .cacheControl, .contentDisposition,
            .contentEncoding, .contentLength, .contentRange, .contentType, .date, .eTag, .expires, .lastModified,
            .location, .server, .setCookie, .strictTransportSecurity, .vary,
        ]
        var table = [String: HTTPField.Name]()
        for name in names { table[name.canonicalName] = HTTPField.Name(name.canonicalName) }
        return table
    }()

    init(_ block: HPACKHeaders, limits: Limits) throws(TransportError) {
        guard block.count <= Swift.min(limits.maximumFieldCount, 60_000) else {
            throw TransportError(
                .limitExceeded,
                phase: .responseHead,
                reason: "the response has more than \(limits.maximumFieldCount) header fields",
                isRequestSent: true
            )
        }
        var byteCount = 0
        for (name, value, _) in block {
            // What a field counts for is in RFC 9113 section 6.5.2.
            byteCount += name.utf8.count + value.utf8.count + 32
            if name.utf8.first == UInt8(ascii: ":") {
                guard name == ":status", self.status == nil, self.fields.isEmpty else {
                    throw .violation("the response has a pseudo-header field that does not belong there")
                }
                self.status = try Self.status(value)
            } else {
                try self.append(name, value)
            }
        }
        let limit = self.status == nil ? limits.maximumTrailerByteCount : limits.maximumHeadByteCount
        guard byteCount <= limit else {
            throw TransportError(
                .limitExceeded,
                phase: .responseHead,
                reason: "the response's header fields are larger than the limit of \(limit) bytes",
                isRequestSent: true
            )
        }
    }

    private mutating func append(_ name: String, _ value: String) throws(TransportError) {
        guard let known = Self.known[name] ?? Self.name(name) else {
            throw .violation("a header field of the response has no valid name")
        }
        switch known {
        case .connection, .transferEncoding, .upgrade:
            throw .violation("the response has the field \(known), which HTTP/2 forbids")
        default:
            // RFC 9113 section 8.2.2; those that nobody sends have no name of their own.
            guard name != "keep-alive", name != "proxy-connection" else {
                throw .violation("the response has the field \(known), which HTTP/2 forbids")
            }
        }
        guard value.utf8.allSatisfy({ $0 != 0 && $0 != 0x0D && $0 != 0x0A }) else {
            throw .violation("a header value of the response holds CR, LF or NUL")
        }
        // RFC 9113 section 8.2.1.
        guard value.utf8.first?.isBlank != true, value.utf8.last?.isBlank != true else {
            throw .violation("a header value of the response begins or ends with a blank, which HTTP/2 forbids")
        }
        self.fields.append(HTTPField(name: known, lenientValue: value.utf8))
    }

    /// A name that is not in the table: a token in lower case.
    private static func name(_ text: String) -> HTTPField.Name? {
        guard text.utf8.allSatisfy({ !(0x41...0x5A).contains($0) }) else { return nil }
        return HTTPField.Name(text)
    }

    private static func status(_ text: String) throws(TransportError) -> HTTPResponse.Status {
        guard text.utf8.count == 3, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let code = Int(text),
            code >= 100
        else { throw .violation("the response's status is not a number of three digits") }
        return HTTPResponse.Status(code: code)
    }
}

extension UInt8 {
    /// Whether it is a space or a tab.
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
}
