// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import NIOCore

/// Decodes the documents of a stream.
struct JSONDocumentDecoder<Value: Decodable & Sendable>: Sendable {
    /// The largest document that is decoded on the caller's actor.
    private static var largestDecodedInPlace: Int { 16 * 1024 }

    let limits: ParsingLimits
    private let serializer: DecodableResponseSerializer<Value>
    private let response: StreamedResponse

    init(_ decoder: (any DataDecoder)?, _ limits: ParsingLimits?, of response: StreamedResponse) {
        let limits = limits ?? ParsingLimits(byteCount: response.streamLimits.documentByteCount)
        self.limits = limits
        self.serializer = DecodableResponseSerializer(Value.self, decoder: decoder, validation: .none, limits: limits)
        var head = response
        head.body = .empty
        self.response = head
    }

    /// Decodes a document.
    ///
    /// - Parameters:
    ///   - document: Its bytes.
    ///   - place: The position of the document, at the beginning of an error's reason.
    /// - Returns: The value.
    /// - Throws: `SessionError` with `serializationFailed`.
    func decode(_ document: ByteBuffer, _ place: @autoclosure () -> String) async throws -> Value {
        do {
            let response = self.response.response(body: Data(document))
            guard document.readableBytes > Self.largestDecodedInPlace else {
                return try self.serializer.serialize(response)
            }
            return try await self.concurrently(response)
        } catch let error as SerializationError {
            var error = error
            error.reason = "\(place()): \(error.reason)"
            throw SessionError(error, request: self.response.request, isRequestSent: true)
        }
    }

    /// The error for a document that is refused before it is decoded.
    func error(_ reason: String, _ document: ByteBuffer) -> SessionError {
        let response = self.response.response(body: Data(document))
        let error = SerializationError(.malformedBody, reason: reason, response: response)
        return SessionError(error, request: self.response.request, isRequestSent: true)
    }

    @concurrent
    private func concurrently(_ response: Response) async throws -> Value {
        try self.serializer.serialize(response)
    }
}

extension ByteBuffer {
    /// Whether it contains only JSON white space (RFC 8259 section 2).
    var isWhiteSpace: Bool {
        self.readableBytesView.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }
}
