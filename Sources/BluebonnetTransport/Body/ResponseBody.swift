// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import NIOCore

/// The body of a response: an asynchronous sequence of buffers, for one consumer.
///
/// A collected body is one buffer, which every iterator returns again. A streamed body applies back-pressure: bytes are
/// read from the server only as fast as the buffers are consumed. Dropping an unfinished body closes its connection, or
/// resets its HTTP/2 stream; so does ``abandon()``. ``discard(upTo:)`` keeps the connection if the rest is short.
public struct ResponseBody: AsyncSequence, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public typealias Element = ByteBuffer

    /// Supplies the buffers of a streamed body; a transport implements it.
    public protocol Source: AnyObject, Sendable {
        /// Returns the next buffer.
        ///
        /// - Returns: A buffer with at least one readable byte; nil at the end of the body.
        /// - Throws: ``TransportError`` if the body is cut short; `CancellationError` when the task is cancelled.
        func next() async throws -> ByteBuffer?

        /// See ``ResponseBody/executor``; nil by default.
        var executor: (any TaskExecutor)? { get }

        /// The trailer fields, once ``next()`` has returned nil; nil if there are none.
        var trailers: HTTPFields? { get }

        /// The measurements of the whole exchange, once ``next()`` has returned nil or thrown; nil if there are none.
        var metrics: ExchangeMetrics? { get }

        /// The number of bytes that ``next()`` will still return; nil, the default, if unknown.
        var remainingByteCount: Int64? { get }

        /// Abandons the rest of the body: ``next()`` throws `CancellationError` from now on. The default implementation
        /// does nothing.
        func abandon()
    }

    enum Storage: Sendable {
        case collected(ByteBuffer, trailers: HTTPFields?)
        case streamed(any Source, expectedLength: Int64?)
    }

    let storage: Storage

    /// The largest size of one buffer: 4 GiB less one byte.
    static let largestCollected = Int(UInt32.max)

    /// An empty body.
    public static var empty: ResponseBody { ResponseBody(ByteBuffer()) }

    /// Creates a collected body.
    ///
    /// - Parameters:
    ///   - buffer: The content.
    ///   - trailers: The trailer fields.
    public init(_ buffer: ByteBuffer, trailers: HTTPFields? = nil) {
        self.storage = .collected(buffer, trailers: trailers)
    }

    /// Creates a collected body from bytes, for example a `Data` or `Array("text".utf8)`.
    ///
    /// - Parameter bytes: The content; it is copied.
    public init(_ bytes: some Collection<UInt8>) {
        self.init(ByteBuffer(bytes: bytes))
    }

    /// Creates a streamed body.
    ///
    /// - Parameters:
    ///   - source: The source of the buffers; it is released with the last copy of the body and its iterators.
    ///   - expectedLength: The number of bytes to come; nil if unknown.
    public init(source: any Source, expectedLength: Int64?) {
        self.storage = .streamed(source, expectedLength: expectedLength)
    }

    /// The content of a collected body; nil for a streamed body.
    public var collectedBytes: ByteBuffer? {
        if case .collected(let buffer, _) = self.storage { buffer } else { nil }
    }

    /// The length of a collected body in bytes; nil for a streamed body.
    package var collectedByteCount: Int? {
        if case .collected(let buffer, _) = self.storage { buffer.readableBytes } else { nil }
    }

    /// The executor of the event loop that receives the body; nil if the body has arrived, or does not come from
    /// ``NIOTransport``.
    ///
    /// A consumer that prefers it takes each buffer on the thread that has received it. That saves two thread switches for
    /// each wake-up, a sixth of the processor time of a fast transfer. The consumer must not block and must not compute for
    /// long: meanwhile, nothing happens on any connection of that event loop.
    /// An event loop group that the program has made must not be shut down before the consumer has ended: a loop that is shut
    /// down runs nothing, and the consumer would wait forever.
    ///
    /// Code that belongs to an actor stays there, so the loop has to be in a function with `@concurrent`:
    ///
    /// ```swift
    /// let response = try await session.send(Request(url: url))
    /// try await withTaskExecutorPreference(response.body.executor) { try await consume(response.body) }
    /// ```
    public var executor: (any TaskExecutor)? {
        if case .streamed(let source, _) = self.storage { source.executor } else { nil }
    }

    /// The identity of a streamed body's source, which distinguishes bodies; nil for a collected body.
    package var sourceID: ObjectIdentifier? {
        if case .streamed(let source, _) = self.storage { ObjectIdentifier(source) } else { nil }
    }

    /// The number of bytes of this sequence; nil if unknown.
    public var expectedLength: Int64? {
        switch self.storage {
        case .collected(let buffer, _): Int64(buffer.readableBytes)
        case .streamed(_, let expectedLength): expectedLength
        }
    }

    /// The trailer fields (RFC 9110 section 6.5).
    ///
    /// Nil if there are none, and for a streamed body until its end has been read.
    public var trailers: HTTPFields? {
        switch self.storage {
        case .collected(_, let trailers): trailers
        case .streamed(let source, _): source.trailers
        }
    }

    /// The measurements of the whole exchange, after the end of a streamed body has been read; nil before that, and for
    /// a collected body.
    ///
    /// Those in ``TransportResponse/metrics`` were taken when the response was returned.
    public var metrics: ExchangeMetrics? {
        if case .streamed(let source, _) = self.storage { source.metrics } else { nil }
    }

    /// Makes the iterator.
    ///
    /// A streamed body has one consumer: a second iterator continues where the first one is. Two tasks must not read
    /// one body, because each would get a part of it. A call of `next()` while another one waits for bytes throws
    /// ``TransportError/Code/invalidRequest``.
    public func makeAsyncIterator() -> AsyncIterator {
        switch self.storage {
        case .collected(let buffer, _): AsyncIterator(buffer: buffer.readableBytes > 0 ? buffer : nil, source: nil)
        case .streamed(let source, _): AsyncIterator(buffer: nil, source: source)
        }
    }

    /// Iterates over the buffers of a ``ResponseBody``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var buffer: ByteBuffer?
        let source: (any Source)?

        /// Returns the next buffer; nil at the end.
        public mutating func next() async throws -> ByteBuffer? {
            if let source { return try await source.next() }
            return self.buffer.take()
        }

        /// Returns the next buffer, staying on the actor if one has arrived already; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            try await self.next()
        }
    }

    /// Collects the whole body, or the rest of it.
    ///
    /// - Parameter limit: The largest number of bytes to accept.
    /// - Returns: The bytes.
    /// - Throws: ``TransportError/Code/responseTooLarge`` if there are more, or the error that the session of this body
    ///   has for it; otherwise the errors of the stream.
    public func collect(upTo limit: Int) async throws -> ByteBuffer {
        let limit = Swift.min(limit, Self.largestCollected)
        if let expected = self.rest.expectedLength, expected > Int64(limit) {
            throw self.tooLarge(limit)
        }
        var all: ByteBuffer?
        for try await var buffer in self {
            if (all?.readableBytes ?? 0) + buffer.readableBytes > limit {
                throw self.tooLarge(limit)
            }
            if all == nil { all = buffer } else { all?.writeBuffer(&buffer) }
        }
        return all ?? ByteBuffer()
    }

    private func tooLarge(_ limit: Int) -> any Error {
        let error = TransportError.responseTooLarge(limit: limit)
        guard case .streamed(let source, _) = self.storage, let source = source as? any ErrorConverting else {
            return error
        }
        return source.converted(error)
    }
}

/// A source of a body whose reader gets errors of another type than ``TransportError``.
package protocol ErrorConverting: AnyObject, Sendable {
    /// The error that a reader gets in the place of another one, which ``ResponseBody`` has found.
    func converted(_ error: TransportError) -> any Error
}

extension ResponseBody.Source {
    /// Nil by default.
    public var executor: (any TaskExecutor)? { nil }

    /// Nil by default; implement it for a source with trailer fields.
    public var trailers: HTTPFields? { nil }

    /// Nil by default; implement it for a source with measurements.
    public var metrics: ExchangeMetrics? { nil }

    /// Nil by default; implement it for a source with a known length.
    public var remainingByteCount: Int64? { nil }

    /// Does nothing by default; implement it for a source that holds a connection.
    public func abandon() {}
}
