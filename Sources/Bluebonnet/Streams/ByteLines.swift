// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import NIOCore

extension StreamedResponse {
    /// The lines of the body as bytes, each when its end has arrived; the last one may lack its end.
    ///
    /// A line shares the memory of what arrived with it, which may be many times as much: copy the lines that are kept, as `ByteBuffer(bytes:)` does
    /// of `readableBytesView`.
    ///
    /// - Parameter options: What ends a line, and how long it may be.
    /// - Returns: The lines without their ends, for one consumer.
    public func byteLines(_ options: LineOptions = LineOptions()) -> ByteLines {
        ByteLines(response: self, options: options)
    }
}

/// The lines of a response as bytes; see ``StreamedResponse/byteLines(_:)``.
///
/// Reading throws ``SessionError``, or `CancellationError` when the reading task is cancelled. After an error the rest of the body is given up.
public struct ByteLines: AsyncSequence, Sendable {
    public typealias Element = ByteBuffer

    let response: StreamedResponse
    let options: LineOptions

    /// Makes the iterator; the body has one consumer.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: StreamReader(self.response, self.options.splitter(self.response.streamLimits)))
    }

    /// Gives the lines of a ``ByteLines``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var reader: StreamReader<StreamSplitter>

        /// Waits for the next line; nil at the end of the body.
        public mutating func next() async throws -> ByteBuffer? { try await self.reader.next() }
    }
}
