// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes
import NIOCore

/// Encodes the head of an HTTP/1.1 request (RFC 9112 section 3).
enum HTTP1RequestEncoder {
    /// Writes the head of a validated request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - framing: How the body is delimited.
    ///   - forwarder: The forwarding proxy, if there is one: it receives the absolute-form target (RFC 9112 section
    ///     3.2.2) and the fields for proxies.
    ///   - authorization: The credentials for that proxy.
    ///   - expectsContinue: Whether the server is asked for the body.
    ///   - buffer: The buffer to write to.
    /// - Returns: Whether the request contains `Connection: close`.
    static func write(
        _ request: TransportRequest,
        framing: BodyFraming,
        forwarder: Proxy? = nil,
        authorization: ProxyAuthorization? = nil,
        expectsContinue: Bool = false,
        into buffer: inout ByteBuffer
    ) -> Bool {
        buffer.writeString(request.method.rawValue)
        buffer.writeInteger(UInt8(ascii: " "))
        buffer.writeString(forwarder == nil ? request.target : Self.absoluteTarget(of: request))
        buffer.writeStaticString(" HTTP/1.1\r\n")
        var hasHost = false
        var closes = false
        var cookieCount = 0
        for field in request.headers {
            switch field.name {
            case .contentLength, .transferEncoding: continue
            case .cookie: cookieCount += 1
            case .connection: closes = closes || field.value.listElements.contains { $0.isASCIIWord("close") }
            default: hasHost = hasHost || field.name.canonicalName == "host"
            }
        }
        if !hasHost { Self.writeField("Host", request.origin.authority, into: &buffer) }
        if cookieCount > 1 { Self.writeCookies(of: request, into: &buffer) }
        for field in request.headers where !Self.isComputed(field.name, of: request) {
            if cookieCount > 1, field.name == .cookie { continue }
            buffer.write(field)
        }
        forwarder?.writeFields(authorization, into: &buffer)
        if expectsContinue { Self.writeField("Expect", "100-continue", into: &buffer) }
        switch framing {
        case .none: break
        case .fixed(let length): Self.writeField("Content-Length", String(length), into: &buffer)
        case .chunked: Self.writeField("Transfer-Encoding", "chunked", into: &buffer)
        }
        buffer.writeStaticString("\r\n")
        return closes
    }

    /// Returns the absolute-form request target for a forwarding proxy (RFC 9112 section 3.2.2).
    static func absoluteTarget(of request: TransportRequest) -> String {
        // RFC 9112 section 3.2.4: the asterisk form becomes a URL without a path.
        "\(request.origin.scheme.rawValue)://\(request.origin.authority)"
            + (request.target == "*" ? "" : request.target)
    }

    /// Whether the engine computes a field itself and ignores the caller's value.
    private static func isComputed(_ name: HTTPField.Name, of request: TransportRequest) -> Bool {
        name == .contentLength || name == .transferEncoding || name.isForProxy
            || (name == .expect && request.continueTimeout != nil)
    }

    /// Writes several Cookie fields as one, because only one is allowed (RFC 6265 section 5.4); HTTP/2 allows more (RFC
    /// 9113 section 8.2.3).
    private static func writeCookies(of request: TransportRequest, into buffer: inout ByteBuffer) {
        var separator: StaticString = "Cookie: "
        for field in request.headers where field.name == .cookie {
            buffer.writeStaticString(separator)
            field.withUnsafeBytesOfValue { _ = buffer.writeBytes($0) }
            separator = "; "
        }
        buffer.writeStaticString("\r\n")
    }

    private static func writeField(_ name: StaticString, _ value: String, into buffer: inout ByteBuffer) {
        buffer.writeStaticString(name)
        buffer.writeStaticString(": ")
        buffer.writeString(value)
        buffer.writeStaticString("\r\n")
    }
}

extension ByteBuffer {
    /// Writes a field line in the form of HTTP/1.1.
    mutating func write(_ field: HTTPField) {
        self.writeString(field.name.rawName)
        self.writeStaticString(": ")
        field.withUnsafeBytesOfValue { _ = self.writeBytes($0) }
        self.writeStaticString("\r\n")
    }
}
