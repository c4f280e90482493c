// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes
import NIOCore

/// Encodes the field block of a request (RFC 9113 section 8.3.1).
enum HTTP2RequestHead {
    /// Encodes the head of a validated request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - framing: How the body is delimited.
    ///   - expectsContinue: Whether the server is asked for the body.
    ///   - encoder: The encoder of the connection.
    /// - Returns: The field block.
    static func encode(
        _ request: TransportRequest,
        framing: BodyFraming,
        expectsContinue: Bool = false,
        with encoder: inout HPACKEncoder
    ) -> ByteBuffer {
        var block = ByteBufferAllocator().buffer(capacity: 256)
        encoder.begin(&block)
        Self.append(":method", request.method.rawValue, with: &encoder, into: &block)
        Self.append(":scheme", request.origin.scheme.rawValue, with: &encoder, into: &block)
        Self.append(":authority", Self.authority(of: request), with: &encoder, into: &block)
        // Targets differ between requests: in the dynamic table they would only evict fields that repeat.
        Self.append(
            ":path",
            request.target,
            indexing: request.target == "/" ? .incremental : .without,
            with: &encoder,
            into: &block
        )
        for field in request.headers where !Self.isLeftOut(field, of: request) {
            Self.append(field, with: &encoder, into: &block)
        }
        if expectsContinue { Self.append("expect", "100-continue", with: &encoder, into: &block) }
        if case .fixed(let length) = framing {
            Self.append("content-length", String(length), indexing: .without, with: &encoder, into: &block)
        }
        return block
    }

    /// Returns the same head in the form that observers receive.
    static func sent(_ request: TransportRequest, framing: BodyFraming, expectsContinue: Bool) -> SentRequestHead {
        var text = ByteBuffer()
        text.writeString("\(request.method.rawValue) \(request.target) HTTP/2\r\n")
        text.writeString("Host: \(Self.authority(of: request))\r\n")
        for field in request.headers where !Self.isLeftOut(field, of: request) { text.write(field) }
        if expectsContinue { text.writeString("Expect: 100-continue\r\n") }
        if case .fixed(let length) = framing { text.writeString("Content-Length: \(length)\r\n") }
        text.writeString("\r\n")
        return SentRequestHead(text, httpVersion: .http2)
    }

    /// Encodes trailer fields.
    static func encode(trailers: HTTPFields, with encoder: inout HPACKEncoder) -> ByteBuffer {
        var block = ByteBuffer()
        encoder.begin(&block)
        for field in trailers { Self.append(field, with: &encoder, into: &block) }
        return block
    }

    private static func authority(of request: TransportRequest) -> String {
        request.headers.last { $0.name.canonicalName == "host" }?.value ?? request.origin.authority
    }

    private static func append(_ field: HTTPField, with encoder: inout HPACKEncoder, into block: inout ByteBuffer) {
        let indexing = Self.indexing(of: field)
        field.withUnsafeBytesOfValue {
            encoder.append(field.name.canonicalName, $0, indexing: indexing, into: &block)
        }
    }

    private static func indexing(of field: HTTPField) -> HPACKEncoder.Indexing {
        // RFC 7541 section 7.1.3.
        if field.name == .authorization || field.name == .cookie { return .never }
        return switch field.indexingStrategy {
        case .disallow: .never
        case .avoid: .without
        default: .incremental
        }
    }

    private static func append(
        _ name: String,
        _ value: String,
        indexing: HPACKEncoder.Indexing = .incremental,
        with encoder: inout HPACKEncoder,
        into block: inout ByteBuffer
    ) {
        var value = value
        value.withUTF8 { encoder.append(name, $0, indexing: indexing, into: &block) }
    }

    /// Whether a field is connection-specific (section 8.2.2), or computed by the engine.
    private static func isLeftOut(_ field: HTTPField, of request: TransportRequest) -> Bool {
        switch field.name {
        case .contentLength, .transferEncoding, .connection, .upgrade: true
        case .te: !field.value.isASCIIWord("trailers")
        case .expect: request.continueTimeout != nil
        default: field.name.concernsConnection
        }
    }
}
