// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
import NIOCore

extension StreamedResponse {
    /// The values of a body with one JSON document per line (JSON Lines, NDJSON), each as soon as its line has arrived.
    ///
    /// Lines end with LF or CR LF; the last one may lack its line end. Lines of white space are skipped. A line that
    /// cannot be decoded is an error with ``SessionError/Code/serializationFailed``; its reason begins with the line
    /// number, and its response has the line as its body.
    ///
    /// ```swift
    /// for try await row in try await api.stream("rows").jsonLines(as: Row.self) { rows.append(row) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: The decoder; by default that of the ``HTTPSession`` that made the request.
    ///   - limits: The limits of each document: by default ``StreamLimits/documentByteCount`` of the session, and else
    ///     those of `ParsingLimits`.
    /// - Returns: The values, for one consumer.
    public func jsonLines<Value: Decodable & Sendable>(
        as type: Value.Type,
        decoder: (any DataDecoder)? = nil,
        limits: ParsingLimits? = nil
    ) -> JSONLines<Value> {
        JSONLines(response: self, documents: JSONDocumentDecoder(decoder ?? self.decoder, limits, of: self))
    }
}

/// The values of a response with one JSON document per line; see ``StreamedResponse/jsonLines(as:decoder:limits:)``.
///
/// Reading throws ``SessionError``, or `CancellationError` when the reading task is cancelled. After an error the rest
/// of the body is abandoned.
public struct JSONLines<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let response: StreamedResponse
    let documents: JSONDocumentDecoder<Value>

    /// Makes the iterator; the body has one consumer.
    public func makeAsyncIterator() -> AsyncIterator {
        let splitter = StreamSplitter(at: .lineFeed, limit: self.documents.limits.byteCount)
        return AsyncIterator(reader: StreamReader(self.response, splitter), documents: self.documents)
    }

    /// The iterator of a ``JSONLines``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var reader: StreamReader<StreamSplitter>
        let documents: JSONDocumentDecoder<Value>

        /// Waits for the next value; nil at the end of the body.
        public mutating func next() async throws -> Value? {
            while let line = try await self.reader.next() {
                guard !line.isWhiteSpace else { continue }
                do {
                    return try await self.documents.decode(line, "line \(self.reader.parser.count)")
                } catch {
                    throw self.reader.fail(error)
                }
            }
            return nil
        }
    }
}
