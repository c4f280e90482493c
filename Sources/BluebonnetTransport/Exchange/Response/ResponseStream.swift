// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import Synchronization

/// The response body of one exchange, between the event loop and its consumer.
///
/// The loop adds buffers and the consumer removes them. When they hold more memory than the high mark, the loop stops
/// reading from the socket; when the consumer has reduced it to the low mark, the loop resumes reading. There is no
/// other back-pressure.
final class ResponseStream: Sendable {
    /// The bytes of memory held here above which reading stops.
    static let highMark = 1024 * 1024
    /// The bytes of memory at which reading resumes.
    static let lowMark = 512 * 1024
    /// The bytes of receive buffers that slices may keep alive: more than one event loop tick reads.
    private static let sliceLimit = 768 * 1024

    private struct State {
        var buffers = BodyBuffers(sliceLimit: ResponseStream.sliceLimit)
        /// The number of bytes that the consumer has taken.
        var takenByteCount: Int64 = 0
        var isStalled = false
        /// The decoder of the bytes that follow the buffers, once the loop delivers no more.
        var tail: BodyDecoder?
        /// The end of the body, with its trailers.
        var end: Result<HTTPFields?, any Error>?
        var metrics: ExchangeMetrics?
        /// Unsafe, as in ``Exchange``: it is removed from the state before it is resumed.
        var consumer: UnsafeContinuation<ByteBuffer?, any Error>?
        /// The number of the wait that the consumer is in.
        var consumerNumber: UInt64 = 0
        var lastNumber: UInt64 = 0
        var isAbandoned = false

        /// Whether the consumer has taken everything that has arrived.
        var isEmpty: Bool { self.buffers.isEmpty && self.tail == nil }
    }

    /// What the stream asks of the connection.
    enum Demand: Sendable {
        case resumeReading
        case abandon
    }

    private let state = Mutex(State())
    private let onDemand: @Sendable (Demand) -> Void

    /// Creates a stream.
    ///
    /// - Parameter onDemand: Called from any thread when the consumer wants more bytes, or abandons the body.
    init(onDemand: @escaping @Sendable (Demand) -> Void) {
        self.onDemand = onDemand
    }

    // MARK: From the event loop

    /// Adds bytes, of which ``wake()`` notifies a waiting consumer, once for all bytes of an event loop tick.
    ///
    /// - Returns: Whether reading should stop until the consumer has caught up.
    func put(_ buffer: ByteBuffer) -> Bool {
        self.state.withLock { state in
            guard !state.isAbandoned else { return false }
            state.buffers.append(buffer)
            if state.buffers.memoryByteCount > Self.highMark { state.isStalled = true }
            return state.isStalled
        }
    }

    /// Resumes a waiting consumer, if something has arrived.
    func wake() {
        let (consumer, step) = self.state.withLock { state -> (UnsafeContinuation<ByteBuffer?, any Error>?, Step) in
            guard let consumer = state.consumer else { return (nil, .wait) }
            let step = Self.step(&state)
            if case .wait = step { return (nil, .wait) }
            state.consumer = nil
            return (consumer, step)
        }
        if let consumer { self.give(step, to: consumer) }
    }

    /// Ends the stream, with an error if the body was cut short.
    ///
    /// - Parameters:
    ///   - result: The trailers, or the error that cut the body short.
    ///   - metrics: The measurements of the exchange.
    ///   - tail: The decoder with encoded bytes that are decoded as the consumer takes them; nil if there are none.
    func end(_ result: Result<HTTPFields?, any Error>, metrics: ExchangeMetrics? = nil, tail: BodyDecoder? = nil) {
        self.state.withLock { state in
            guard state.end == nil else { return }
            state.end = result
            state.metrics = metrics
            if !state.isAbandoned { state.tail = tail }
        }
        self.wake()
    }

    // MARK: From the consumer

    private enum Step {
        case give(ByteBuffer, resumes: Bool)
        case decode(BodyDecoder)
        case end(Result<HTTPFields?, any Error>)
        case wait
    }

    func next() async throws -> ByteBuffer? {
        // Checked before the buffers; otherwise a peer faster than its reader could delay the cancellation
        // indefinitely.
        if Task.isCancelled {
            // No wait has this number: a reader that waits is another one, and goes on.
            self.abandon(by: 0)
            throw CancellationError()
        }
        // Usually something has arrived already, so there is no need to suspend.
        let number: UInt64
        switch try self.takeReady() {
        case .ready(let buffer): return buffer
        case .wait(let next): number = next
        }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let step = self.state.withLock { state -> Step in
                    if state.isAbandoned { return .end(.failure(CancellationError())) }
                    // The waiting reader would never be resumed.
                    if state.consumer != nil { return .end(.failure(TransportError.secondReader)) }
                    let step = Self.step(&state)
                    if case .wait = step { (state.consumer, state.consumerNumber) = (continuation, number) }
                    return step
                }
                self.give(step, to: continuation)
            }
        } onCancel: {
            self.abandon(by: number)
        }
    }

    private func give(_ step: Step, to consumer: UnsafeContinuation<ByteBuffer?, any Error>) {
        switch self.carryOut(step) {
        case .wait, .decode: break
        case .end(let result): consumer.resume(with: result.map { _ in nil })
        case .give(let buffer, let resumes):
            if resumes { self.onDemand(.resumeReading) }
            consumer.resume(returning: buffer)
        }
    }

    private enum Readiness {
        /// A buffer, or the end.
        case ready(ByteBuffer?)
        /// Nothing yet; the wait has this number.
        case wait(UInt64)
    }

    /// Returns a buffer, or the end, if that needs no waiting.
    private func takeReady() throws -> Readiness {
        let (step, number) = self.state.withLock { state -> (Step, UInt64) in
            // Bytes that have arrived since belong to the reader that waits.
            if state.consumer != nil { return (.end(.failure(TransportError.secondReader)), 0) }
            let step = Self.step(&state)
            if case .wait = step { state.lastNumber += 1 }
            return (step, state.lastNumber)
        }
        switch self.carryOut(step) {
        case .wait, .decode: return .wait(number)
        case .end(let result):
            _ = try result.get()
            return .ready(nil)
        case .give(let buffer, let resumes):
            if resumes { self.onDemand(.resumeReading) }
            return .ready(buffer)
        }
    }

    private static func step(_ state: inout State) -> Step {
        if let buffer = state.buffers.popFirst() {
            state.takenByteCount += Int64(buffer.readableBytes)
            let isLow = state.buffers.memoryByteCount <= Self.lowMark
            let resumes = state.isStalled && isLow && state.end == nil
            if resumes { state.isStalled = false }
            return .give(buffer, resumes: resumes)
        }
        if let tail = state.tail { return .decode(tail) }
        if let end = state.end { return .end(end) }
        return .wait
    }

    /// Decodes a piece of the tail, if that is the step, and returns the step that results.
    private func carryOut(_ step: Step) -> Step {
        guard case .decode(let decoder) = step else { return step }
        // Outside the lock, because decoding takes time.
        let piece = Result { () throws(TransportError) -> ByteBuffer? in
            if let piece = try decoder.next() { return piece }
            try decoder.finish()
            return nil
        }
        return self.state.withLock { state in
            if case .success(let piece?) = piece, !state.isAbandoned {
                state.takenByteCount += Int64(piece.readableBytes)
                state.metrics?.decodedBodyByteCount += Int64(piece.readableBytes)
                return .give(piece, resumes: false)
            }
            state.tail = nil
            // The error of the connection says more than that its data is incomplete.
            if case .failure(let error) = piece, case .success? = state.end { state.end = .failure(error) }
            return .end(state.end ?? .failure(CancellationError()))
        }
    }

    /// The trailer fields; nil before the end, and where there were none.
    var trailers: HTTPFields? {
        self.state.withLock { state in
            if case .success(let trailers)? = state.end, state.isEmpty { trailers } else { nil }
        }
    }

    /// The measurements of the whole exchange; nil before the end.
    var metrics: ExchangeMetrics? {
        self.state.withLock { $0.isEmpty ? $0.metrics : nil }
    }

    /// The bytes that the consumer has taken.
    var takenByteCount: Int64 {
        self.state.withLock { $0.takenByteCount }
    }

    /// Abandons the rest: the connection is closed, or the HTTP/2 stream reset; a waiting consumer receives the
    /// cancellation.
    ///
    /// - Parameter number: The number of the wait that is cancelled; a second reader, which must not exist, does not end
    ///   the wait of the first. Nil for every wait.
    func abandon(by number: UInt64? = nil) {
        let (consumer, wasRunning) = self.state.withLock {
            state -> (UnsafeContinuation<ByteBuffer?, any Error>?, Bool) in
            guard !state.isAbandoned else { return (nil, false) }
            if let number, state.consumer != nil, state.consumerNumber != number { return (nil, false) }
            state.isAbandoned = true
            let wasRunning = state.end == nil
            // If bytes are discarded here, what was read must not look like the whole body.
            if wasRunning || !state.isEmpty { state.end = .failure(CancellationError()) }
            state.buffers.removeAll()
            state.tail = nil
            defer { state.consumer = nil }
            return (state.consumer, wasRunning)
        }
        if wasRunning { self.onDemand(.abandon) }
        consumer?.resume(throwing: CancellationError())
    }
}

extension TransportError {
    /// Two tasks read the same body at the same time.
    package static var secondReader: TransportError {
        TransportError(
            .invalidRequest,
            phase: .responseBody,
            reason: "another task is reading the body of this response, which is for one reader",
            isRequestSent: true
        )
    }
}

/// The consumer's end of a ``ResponseStream``; releasing it abandons the rest of the body.
final class ResponseStreamSource: ResponseBody.Source {
    private let stream: ResponseStream
    private let expectedLength: Int64?
    let executor: (any TaskExecutor)?

    init(_ stream: ResponseStream, expectedLength: Int64?, executor: EventLoopExecutor? = nil) {
        self.stream = stream
        self.expectedLength = expectedLength
        self.executor = executor
    }

    deinit {
        self.stream.abandon()
    }

    var trailers: HTTPFields? { self.stream.trailers }
    var metrics: ExchangeMetrics? { self.stream.metrics }

    var remainingByteCount: Int64? {
        self.expectedLength.map { $0 - self.stream.takenByteCount }
    }

    func abandon() {
        self.stream.abandon()
    }

    func next() async throws -> ByteBuffer? {
        try await self.stream.next()
    }
}
