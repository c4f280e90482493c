// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
import NIOCore

extension StreamedResponse {
    /// The values of a body that has one JSON document in each line (JSON Lines, NDJSON), each when its line has arrived.
    ///
    /// Lines end with LF or CR LF; the last one may lack its end. Lines of white space are skipped. A line that cannot be decoded is an error
    /// with ``SessionError/Code/serializationFailed``, whose reason begins with the number of the line and whose response has the line as its
    /// body.
    ///
    /// ```swift
    /// for try await row in try await api.stream("rows").jsonLines(as: Row.self) { rows.append(row) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: The decoder; that of the ``HTTPSession`` that made the request unless given.
    ///   - limits: The limits of each document: ``StreamLimits/documentByteCount`` of the session unless given, else as `ParsingLimits` says.
    /// - Returns: The values, for one consumer.
    public func jsonLines<Value: Decodable & Sendable>(
        as type: Value.Type,
        decoder: (any DataDecoder)? = nil,
        limits: ParsingLimits? = nil
    ) -> JSONLines<Value> {
        JSONLines(response: self, documents: JSONDocumentDecoder(decoder ?? self.decoder, limits, of: self))
    }
}

/// The values of a response that has one JSON document in each line; see ``StreamedResponse/jsonLines(as:decoder:limits:)``.
///
/// Reading throws ``SessionError``, or `CancellationError` when the reading task is cancelled. After an error the rest of the body is given up.
public struct JSONLines<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let response: StreamedResponse
    let documents: JSONDocumentDecoder<Value>

    /// Makes the iterator; the body has one consumer.
    public func makeAsyncIterator() -> AsyncIterator {
        let splitter = StreamSplitter(at: .lineFeed, limit: self.documents.limits.byteCount)
        return AsyncIterator(reader: StreamReader(self.response, splitter), documents: self.documents)
    }

    /// Gives the values of a ``JSONLines``.
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
