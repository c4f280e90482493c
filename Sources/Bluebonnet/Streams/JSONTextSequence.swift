// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
import NIOCore

extension StreamedResponse {
    /// The values of a JSON text sequence (RFC 7464, `application/json-seq`), each as soon as the next one begins or
    /// the body ends.
    ///
    /// Every text begins with RS, the byte 1E; several successive ones count as one. Bytes before the first RS are
    /// refused, as are a text that cannot be decoded, and a number, `true`, `false` or `null` at the top level without
    /// white space after it, which may be truncated (section 2.4).
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: The decoder; by default that of the ``HTTPSession`` that made the request.
    ///   - limits: The limits of each text: by default ``StreamLimits/documentByteCount`` of the session, and else
    ///     those of `ParsingLimits`.
    ///   - skipsInvalidTexts: Whether a refused text is skipped, as section 2.3 suggests for logs; false by default,
    ///     which makes it an error with ``SessionError/Code/serializationFailed``. A text beyond its byte limit is
    ///     always an error.
    /// - Returns: The values, for one consumer.
    public func jsonTextSequence<Value: Decodable & Sendable>(
        as type: Value.Type,
        decoder: (any DataDecoder)? = nil,
        limits: ParsingLimits? = nil,
        skipsInvalidTexts: Bool = false
    ) -> JSONTextSequence<Value> {
        JSONTextSequence(
            response: self,
            documents: JSONDocumentDecoder(decoder ?? self.decoder, limits, of: self),
            skipsInvalidTexts: skipsInvalidTexts
        )
    }
}

/// The values of a JSON text sequence; see ``StreamedResponse/jsonTextSequence(as:decoder:limits:skipsInvalidTexts:)``.
///
/// Reading throws ``SessionError``, or `CancellationError` when the reading task is cancelled. After an error the rest
/// of the body is abandoned.
public struct JSONTextSequence<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let response: StreamedResponse
    let documents: JSONDocumentDecoder<Value>
    let skipsInvalidTexts: Bool

    /// Makes the iterator; the body has one consumer.
    public func makeAsyncIterator() -> AsyncIterator {
        let splitter = StreamSplitter(at: .recordSeparator, limit: self.documents.limits.byteCount)
        return AsyncIterator(
            reader: StreamReader(self.response, splitter),
            documents: self.documents,
            skipsInvalidTexts: self.skipsInvalidTexts
        )
    }

    /// The iterator of a ``JSONTextSequence``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var reader: StreamReader<StreamSplitter>
        let documents: JSONDocumentDecoder<Value>
        let skipsInvalidTexts: Bool

        /// The number of texts that were read, including refused ones.
        private var count = 0

        init(reader: StreamReader<StreamSplitter>, documents: JSONDocumentDecoder<Value>, skipsInvalidTexts: Bool) {
            self.reader = reader
            self.documents = documents
            self.skipsInvalidTexts = skipsInvalidTexts
        }

        /// Waits for the next value; nil at the end of the body.
        public mutating func next() async throws -> Value? {
            while let text = try await self.reader.next() {
                guard !text.isWhiteSpace else { continue }
                do {
                    // The bytes before the first RS are the first piece.
                    guard self.reader.parser.count > 1 else { throw self.documents.error(Self.noBeginning, text) }
                    self.count += 1
                    guard text.isWholeJSON else { throw self.documents.error("text \(self.count): \(Self.cut)", text) }
                    return try await self.documents.decode(text, "text \(self.count)")
                } catch  where !self.skipsInvalidTexts || error is CancellationError {
                    throw self.reader.fail(error)
                } catch {
                    continue
                }
            }
            return nil
        }

        private static var noBeginning: String { "the response is no JSON text sequence: it does not begin with RS" }

        private static var cut: String { "the value may have been cut: no white space follows it" }
    }
}

extension ByteBuffer {
    /// Whether the end of a JSON text is certain: by its last character, or white space after it (RFC 7464 section
    /// 2.4).
    fileprivate var isWholeJSON: Bool {
        switch self.readableBytesView.last {
        case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "\""), 0x20, 0x09, 0x0A, 0x0D: true
        default: false
        }
    }
}
