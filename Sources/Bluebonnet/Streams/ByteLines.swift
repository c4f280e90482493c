// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import NIOCore

extension StreamedResponse {
    /// The lines of the body as bytes, each as soon as it has arrived; the last one may lack its line end.
    ///
    /// A line shares the memory of the bytes that arrived with it, which may be much larger: copy the lines that are
    /// kept, as `ByteBuffer(bytes:)` does with `readableBytesView`.
    ///
    /// - Parameter options: The line ends, and the largest length.
    /// - Returns: The lines without their ends, for one consumer.
    public func byteLines(_ options: LineOptions = LineOptions()) -> ByteLines {
        ByteLines(response: self, options: options)
    }
}

/// The lines of a response as bytes; see ``StreamedResponse/byteLines(_:)``.
///
/// Reading throws ``SessionError``, or `CancellationError` when the reading task is cancelled. After an error the rest
/// of the body is abandoned.
public struct ByteLines: AsyncSequence, Sendable {
    public typealias Element = ByteBuffer

    let response: StreamedResponse
    let options: LineOptions

    /// Makes the iterator; the body has one consumer.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: StreamReader(self.response, self.options.splitter(self.response.streamLimits)))
    }

    /// The iterator of a ``ByteLines``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var reader: StreamReader<StreamSplitter>

        /// Waits for the next line; nil at the end of the body.
        public mutating func next() async throws -> ByteBuffer? { try await self.reader.next() }
    }
}
