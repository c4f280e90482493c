// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

extension StreamedResponse {
    /// Wraps the body for the caller of the session.
    ///
    /// The body then counts its bytes, waits while a task is suspended, and throws only session errors.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - end: When the call ends.
    /// - Returns: The response with the wrapped body; unchanged if its body is complete.
    consuming func observed(by call: Call, ending end: ObservedEnd) -> StreamedResponse {
        self.observe(by: call, ending: end)
        return self
    }

    private mutating func observe(by call: Call, ending end: ObservedEnd) {
        self.streamLimits = call.environment.limits.streams
        self.bodyLimit = call.environment.limits.responseByteCount
        if let decoder = call.handling.decoder { self.decoder = decoder }
        let (expected, collected) = (self.body.expectedLength, self.body.collectedByteCount)
        let monitor = end == .later ? nil : call.handling.monitor
        monitor?.responseBegan(to: call.originalRequest, length: expected)
        guard expected == 0 || (collected != nil && call.handling.gate == nil) else {
            self.body = ResponseBody(
                source: ObservedResponseBody(self, call, ending: end),
                expectedLength: self.body.expectedLength
            )
            return
        }
        // Nothing is left to wait for.
        let byteCount = collected ?? 0
        if byteCount > 0 { monitor?.download.add(byteCount) }
        monitor?.responseEnded()
        call.tell(.responseBodyEnded(byteCount: Int64(byteCount), self.body.metrics ?? self.metrics))
        guard end == .withBody else { return }
        call.finish(.completed)
        self.replaceByArrived(of: call)
    }
}

/// When the call of a response that is being read ends.
enum ObservedEnd {
    /// With the body, in any way.
    case withBody
    /// With the body if that fails; otherwise when its reader ends it.
    case withFailure
    /// When the reader ends it, which also counts the bytes: another response may follow.
    case later
}

/// The body of a response as the caller of a session reads it.
private final class ObservedResponseBody: ResponseBody.Source, ErrorConverting {
    private struct State {
        /// The rest of the body; nil after the end.
        ///
        /// Releasing it tells the transport that the rest is not needed.
        var body: ResponseBody?
        /// Whether a read is under way.
        var isReading = false
        var isAbandoned = false
        /// Why there are no more bytes; it is thrown each time, because the body is incomplete.
        var failure: (any Error)?
        var byteCount: Int64 = 0
        var trailers: HTTPFields?
        var metrics: ExchangeMetrics?
    }

    private let call: Call
    private let callEnd: ObservedEnd
    /// The response without its body, for an error.
    private let head: StreamedResponse
    private let isCollected: Bool
    /// Whether the body is not the transport's, so that reading it may wait for a rate, or run code of the program:
    /// the transport limits the time of its own, and makes no calls.
    private let isBounded: Bool
    private let state: Mutex<State>

    init(_ response: borrowing StreamedResponse, _ call: Call, ending end: ObservedEnd) {
        self.call = call
        self.callEnd = end
        self.head = response.withoutBody
        self.isCollected = response.body.collectedByteCount != nil
        self.isBounded = response.body.sourceID != response.transportBodyID
        call.activity = response.isBodyOfServer ? .exchange : .body
        self.state = Mutex(State(body: response.body))
    }

    deinit {
        // At the body's end the call has ended already. A call that does not end with its body is ended by its reader.
        if self.callEnd == .withBody, self.state.withLock({ $0.body != nil }) { self.call.finish(.cancelled) }
    }

    /// The metrics up to the response's head, which are those of the whole exchange if the body arrived with it.
    private var headMetrics: ExchangeMetrics { self.head.metrics }

    private var monitor: TransferMonitor? { self.callEnd == .later ? nil : self.call.handling.monitor }

    var executor: (any TaskExecutor)? { self.state.withLock { $0.body?.executor } }

    var trailers: HTTPFields? { self.state.withLock { $0.trailers } }

    var metrics: ExchangeMetrics? { self.state.withLock { $0.metrics } }

    var remainingByteCount: Int64? {
        self.state.withLock { state in
            state.body.map { $0.expectedLength.map { max($0 - state.byteCount, 0) } } ?? 0
        }
    }

    func abandon() {
        let body = self.state.withLock { state in
            if state.body != nil { state.isAbandoned = true }
            return state.body.take()
        }
        guard let body else { return }
        body.abandon()
        if self.callEnd == .withBody { self.call.finish(.cancelled) }
    }

    func next() async throws -> ByteBuffer? {
        guard let body = try self.begin() else { return nil }
        do {
            try Task.checkCancellation()
            if let gate = self.call.handling.gate { try await self.call.pass(gate) }
            guard let buffer = try await self.read(body) else {
                self.end(body)
                return nil
            }
            self.state.withLock { state in
                state.isReading = false
                state.byteCount += Int64(buffer.readableBytes)
            }
            self.monitor?.download.add(buffer.readableBytes)
            return buffer
        } catch {
            throw self.fail(error)
        }
    }

    /// Takes the rest of the body for the caller; nil after the end.
    private func begin() throws -> ResponseBody? {
        try self.state.withLock { state in
            if state.isAbandoned { throw CancellationError() }
            if let failure = state.failure { throw failure }
            guard let body = state.body else { return nil }
            // The current reader continues.
            guard !state.isReading else { throw self.converted(TransportError.secondReader) }
            state.isReading = true
            return body
        }
    }

    private func fail(_ error: any Error) -> any Error {
        let wrapped = self.wrapped(error)
        self.endActivity()
        let failure = self.callEnd == .later ? wrapped : self.call.fail(wrapped, source: .transport)
        let body = self.state.withLock { state in
            state.isReading = false
            state.failure = failure
            state.metrics = state.body?.metrics
            return state.body.take()
        }
        body?.abandon()
        return failure
    }

    func converted(_ error: TransportError) -> any Error { self.wrapped(error) }

    private func wrapped(_ error: any Error) -> any Error { self.head.bodyFailure(error, of: self.call) }

    /// Records that the call does not wait for the body any more, if it goes on.
    private func endActivity() {
        if self.callEnd != .withBody { self.call.activity = .chain }
    }

    /// An iterator of a streamed body continues where the last one stopped; a collected body is returned once.
    private func read(_ body: ResponseBody) async throws -> ByteBuffer? {
        if let bytes = body.collectedBytes {
            self.state.withLock { $0.body = ResponseBody(ByteBuffer(), trailers: body.trailers) }
            return bytes.readableBytes > 0 ? bytes : nil
        }
        guard self.isBounded else {
            var iterator = body.makeAsyncIterator()
            return try await iterator.next()
        }
        return try await self.call.runProgramCode {
            var iterator = body.makeAsyncIterator()
            return try await iterator.next()
        }
    }

    private func end(_ body: ResponseBody) {
        let (trailers, metrics) = (body.trailers, body.metrics ?? (self.isCollected ? self.headMetrics : nil))
        let byteCount = self.state.withLock { state in
            state.trailers = trailers
            state.metrics = metrics
            state.body = nil
            state.isReading = false
            return state.byteCount
        }
        self.endActivity()
        if let metrics { self.call.handling.record?.measured(metrics) }
        self.monitor?.responseEnded()
        self.call.tell(.responseBodyEnded(byteCount: byteCount, metrics ?? self.headMetrics))
        if self.callEnd == .withBody { self.call.finish(.completed) }
    }
}
