// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import NIOCore

/// The body of a response: an asynchronous sequence of buffers, for one consumer.
///
/// A body that was collected is one buffer. A streamed body applies back-pressure: the server is read only as fast as the buffers are
/// taken. Dropping an unfinished body closes its connection, or ends its stream on HTTP/2; so does ``abandon()``. ``discard(upTo:)``
/// keeps the connection where little is left.
public struct ResponseBody: AsyncSequence, Sendable {
    public typealias Element = ByteBuffer

    /// Gives the buffers of a streamed body one after the other; what a transport implements.
    public protocol Source: AnyObject, Sendable {
        /// Waits for the next buffer.
        ///
        /// - Returns: A buffer with at least one readable byte, or nil at the end of the body.
        /// - Throws: ``TransportError`` if the body is cut short; `CancellationError` when the task is cancelled.
        func next() async throws -> ByteBuffer?

        /// The trailer fields, once ``next()`` has returned nil; nil where there are none.
        var trailers: HTTPFields? { get }

        /// The measurements of the whole exchange, once ``next()`` has returned nil or thrown; nil where there are none.
        var metrics: ExchangeMetrics? { get }

        /// The number of bytes that ``next()`` has still to return; nil, the default, if it is not known.
        var remainingByteCount: Int64? { get }

        /// Gives the rest of the body up: ``next()`` throws `CancellationError` from now on. Does nothing unless it is implemented.
        func abandon()
    }

    enum Storage: Sendable {
        case collected(ByteBuffer, trailers: HTTPFields?)
        case streamed(any Source, expectedLength: Int64?)
    }

    let storage: Storage

    /// The most bytes that one buffer holds: 4 GiB less one byte.
    static let largestCollected = Int(UInt32.max)

    /// A body without bytes.
    public static var empty: ResponseBody { ResponseBody(ByteBuffer()) }

    /// Creates a body that has arrived.
    ///
    /// - Parameters:
    ///   - buffer: All its bytes.
    ///   - trailers: The fields that came after it.
    public init(_ buffer: ByteBuffer, trailers: HTTPFields? = nil) {
        self.storage = .collected(buffer, trailers: trailers)
    }

    /// Creates a body that is still arriving.
    ///
    /// - Parameters:
    ///   - source: Gives the buffers; it is dropped with the last copy of the body and its iterators.
    ///   - expectedLength: The number of bytes to come, nil if it is not known.
    public init(source: any Source, expectedLength: Int64?) {
        self.storage = .streamed(source, expectedLength: expectedLength)
    }

    /// The bytes, if all of them have arrived; nil for a streamed body.
    public var collectedBytes: ByteBuffer? {
        if case .collected(let buffer, _) = self.storage { buffer } else { nil }
    }

    /// The number of bytes, if all of them have arrived; nil for a streamed body.
    package var collectedByteCount: Int? {
        if case .collected(let buffer, _) = self.storage { buffer.readableBytes } else { nil }
    }

    /// What gives the buffers of a streamed body, to tell one body from another; nil for a collected one.
    package var sourceID: ObjectIdentifier? {
        if case .streamed(let source, _) = self.storage { ObjectIdentifier(source) } else { nil }
    }

    /// The number of bytes this sequence will give, nil if it is not known.
    public var expectedLength: Int64? {
        switch self.storage {
        case .collected(let buffer, _): Int64(buffer.readableBytes)
        case .streamed(_, let expectedLength): expectedLength
        }
    }

    /// The fields that came after the body (RFC 9110 section 6.5).
    ///
    /// Nil where there were none, and for a streamed body until its end has been read.
    public var trailers: HTTPFields? {
        switch self.storage {
        case .collected(_, let trailers): trailers
        case .streamed(let source, _): source.trailers
        }
    }

    /// The measurements of the whole exchange, once the end of a streamed body has been read; nil before, and for a collected body.
    ///
    /// Those in ``TransportResponse/metrics`` were taken when the response was handed over.
    public var metrics: ExchangeMetrics? {
        if case .streamed(let source, _) = self.storage { source.metrics } else { nil }
    }

    /// Makes the iterator.
    ///
    /// A streamed body has one consumer: a second iterator goes on where the first one stands. Of two tasks that ask at the same time,
    /// the later one gets an error.
    public func makeAsyncIterator() -> AsyncIterator {
        switch self.storage {
        case .collected(let buffer, _): AsyncIterator(buffer: buffer.readableBytes > 0 ? buffer : nil, source: nil)
        case .streamed(let source, _): AsyncIterator(buffer: nil, source: source)
        }
    }

    /// Gives the buffers of a ``ResponseBody``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var buffer: ByteBuffer?
        let source: (any Source)?

        /// Waits for the next buffer; nil at the end.
        public mutating func next() async throws -> ByteBuffer? {
            if let source { return try await source.next() }
            return self.buffer.take()
        }

        /// Waits for the next buffer on an actor, which a loop there does not leave for one that has come; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            try await self.next()
        }
    }

    /// Waits for the whole body, or for what is left of it.
    ///
    /// - Parameter limit: The largest number of bytes to accept.
    /// - Returns: All bytes.
    /// - Throws: ``TransportError/Code/responseTooLarge`` when there are more; what the stream throws otherwise.
    public func collect(upTo limit: Int) async throws -> ByteBuffer {
        let limit = Swift.min(limit, Self.largestCollected)
        if let expected = self.expectedLength, expected > Int64(limit) {
            throw TransportError.responseTooLarge(limit: limit)
        }
        var all: ByteBuffer?
        for try await var buffer in self {
            if (all?.readableBytes ?? 0) + buffer.readableBytes > limit {
                throw TransportError.responseTooLarge(limit: limit)
            }
            if all == nil { all = buffer } else { all?.writeBuffer(&buffer) }
        }
        return all ?? ByteBuffer()
    }
}

extension ResponseBody.Source {
    /// No trailer fields; a source that has some says so itself.
    public var trailers: HTTPFields? { nil }

    /// No measurements; a source that has some says so itself.
    public var metrics: ExchangeMetrics? { nil }

    /// Not known; a source that knows it says so itself.
    public var remainingByteCount: Int64? { nil }

    /// Does nothing; a source that holds a connection releases it.
    public func abandon() {}
}
