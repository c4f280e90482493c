// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes
import NIOCore
import NIOHPACK

/// Writes the header block of a request (RFC 9113 section 8.3.1).
enum HTTP2RequestHead {
    /// Encodes the head of a request that was validated.
    static func encode(
        _ request: TransportRequest,
        framing: BodyFraming,
        with encoder: inout HPACKEncoder
    ) throws -> ByteBuffer {
        try encoder.beginEncoding(allocator: ByteBufferAllocator())
        try encoder.append(header: ":method", value: request.method.rawValue)
        try encoder.append(header: ":scheme", value: request.origin.scheme.rawValue)
        try encoder.append(header: ":authority", value: Self.authority(of: request))
        // Targets differ from request to request: in the table they would only push out what comes again.
        if request.target == "/" {
            try encoder.append(header: ":path", value: "/")
        } else {
            try encoder.appendNonIndexed(header: ":path", value: request.target)
        }
        for field in request.headers where !Self.isLeftOut(field, of: request) {
            try Self.append(field, with: &encoder)
        }
        if Self.expectsContinue(request, framing) { try encoder.append(header: "expect", value: "100-continue") }
        if case .fixed(let length) = framing {
            try encoder.appendNonIndexed(header: "content-length", value: String(length))
        }
        return try encoder.endEncoding()
    }

    /// Refuses fields whose bytes would not go out as they are: the encoder takes text, which is UTF-8.
    static func check(_ fields: HTTPFields) throws(TransportError) {
        for field in fields {
            let value = field.value.utf8
            // Where bytes are not UTF-8, their text has U+FFFD in their place, which is EF BF BD.
            guard value.contains(0xEF) else { continue }
            guard field.withUnsafeBytesOfValue({ $0.elementsEqual(value) }) else {
                throw .invalid("the value of header \(field.name) is not UTF-8, which is sent over HTTP/1.1 only")
            }
        }
    }

    /// The same head for whoever observes the exchange.
    static func sent(_ request: TransportRequest, framing: BodyFraming) -> SentRequestHead {
        var text = ByteBuffer()
        text.writeString("\(request.method.rawValue) \(request.target) HTTP/2\r\n")
        text.writeString("Host: \(Self.authority(of: request))\r\n")
        for field in request.headers where !Self.isLeftOut(field, of: request) {
            text.writeString("\(field.name.rawName): ")
            field.withUnsafeBytesOfValue { _ = text.writeBytes($0) }
            text.writeString("\r\n")
        }
        if Self.expectsContinue(request, framing) { text.writeString("Expect: 100-continue\r\n") }
        if case .fixed(let length) = framing { text.writeString("Content-Length: \(length)\r\n") }
        text.writeString("\r\n")
        return SentRequestHead(text, httpVersion: .http2)
    }

    /// Encodes trailer fields.
    static func encode(trailers: HTTPFields, with encoder: inout HPACKEncoder) throws -> ByteBuffer {
        try encoder.beginEncoding(allocator: ByteBufferAllocator())
        for field in trailers { try Self.append(field, with: &encoder) }
        return try encoder.endEncoding()
    }

    private static func authority(of request: TransportRequest) -> String {
        request.headers.last { $0.name.canonicalName == "host" }?.value ?? request.origin.authority
    }

    private static func expectsContinue(_ request: TransportRequest, _ framing: BodyFraming) -> Bool {
        request.expectsContinue != nil && framing != .none && framing != .fixed(0)
    }

    private static func append(_ field: HTTPField, with encoder: inout HPACKEncoder) throws {
        switch field.name {
        // RFC 7541 section 7.1.3: what is secret must not be guessed by watching how well it compresses.
        case .authorization, .cookie:
            try encoder.appendNeverIndexed(header: field.name.canonicalName, value: field.value)
        default:
            if field.indexingStrategy == .disallow {
                try encoder.appendNeverIndexed(header: field.name.canonicalName, value: field.value)
            } else {
                try encoder.append(header: field.name.canonicalName, value: field.value)
            }
        }
    }

    /// Whether a field does not belong on HTTP/2 (section 8.2.2), or is the engine's own.
    private static func isLeftOut(_ field: HTTPField, of request: TransportRequest) -> Bool {
        switch field.name {
        case .contentLength, .transferEncoding, .connection, .upgrade: true
        case .te: !field.value.isASCIIWord("trailers")
        case .expect: request.expectsContinue != nil
        default:
            field.name.isForProxy || ["host", "keep-alive", "http2-settings"].contains(field.name.canonicalName)
        }
    }
}
