// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// The trailer fields of a request (RFC 9110 section 6.5).
enum RequestTrailers {
    /// Returns the checked trailer fields of a request whose body has been sent; empty if there are none.
    ///
    /// - Throws: ``TransportError/Code/invalidRequest``, after which the server has the body without its end.
    static func fields(of request: TransportRequest) throws(TransportError) -> HTTPFields {
        guard let fields = request.trailers?() else { return HTTPFields() }
        for field in fields {
            guard !Self.isForbidden(field.name) else {
                throw .invalid("the field \(field.name) may not be a trailer", isRequestSent: true)
            }
            let isSafe = field.withUnsafeBytesOfValue { $0.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 } }
            guard isSafe else {
                throw .invalid("the value of trailer \(field.name) holds CR, LF or NUL", isRequestSent: true)
            }
        }
        return fields
    }

    /// Whether a field must not be sent in trailers, because it concerns message framing, routing or processing
    /// (section 6.5.1).
    private static func isForbidden(_ name: HTTPField.Name) -> Bool {
        switch name {
        case .contentLength, .transferEncoding, .contentEncoding, .contentType, .contentRange, .trailer, .te,
            .authorization, .cookie, .connection, .upgrade, .expect, .cacheControl:
            true
        default: name.concernsConnection
        }
    }

    /// Writes the last chunk and the trailer fields in HTTP/1.1 (RFC 9112 section 7.1).
    static func writeEnd(of request: TransportRequest, into buffer: inout ByteBuffer) throws(TransportError) {
        let fields = try Self.fields(of: request)
        buffer.writeStaticString("0\r\n")
        for field in fields { buffer.write(field) }
        buffer.writeStaticString("\r\n")
    }
}

extension HTTPField.Name {
    /// Whether a field concerns the connection or the routing, so that it is sent neither in trailers nor over HTTP/2.
    ///
    /// A field for a proxy must not be passed on; HTTP/2 forbids `Keep-Alive` (RFC 9113 section 8.2.2).
    var concernsConnection: Bool {
        self.isForProxy || ["host", "keep-alive", "http2-settings"].contains(self.canonicalName)
    }
}
