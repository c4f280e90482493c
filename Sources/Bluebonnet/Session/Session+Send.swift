// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
import FoundationEssentials

extension Session {
    /// Sends a request and returns when the head of its response has arrived.
    ///
    /// For the whole response, use ``response(for:monitor:)``.
    /// An error status is a response like any other. The body is read with back-pressure: the server sends only as fast as it is taken.
    /// Cancelling the task before this returns closes the connection, or resets the stream on HTTP/2; afterwards, dropping the response does.
    /// A pipelined request behind others keeps its place, and its response is dropped.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - monitor: Counts the bytes of both directions.
    /// - Returns: The response, its body still to be read.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled.
    public func send(_ request: Request, monitor: TransferMonitor? = nil) async throws -> StreamedResponse {
        try await self.streamed(request, self.handling(monitor: monitor))
    }

    /// Sends a request and waits for the whole response.
    ///
    /// An error status is a response like any other. Cancelling the task closes the connection, or resets the stream on HTTP/2.
    /// A pipelined request behind others keeps its place, and its response is dropped.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - monitor: Counts the bytes of both directions.
    /// - Returns: The response with its body, which may have up to ``Session/Limits/responseByteCount`` bytes.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled.
    public func response(for request: Request, monitor: TransferMonitor? = nil) async throws -> Response {
        let call = self.makeCollectingCall(request, monitor)
        do {
            let response = try await self.collect(call)
            call.finish(.completed)
            return response
        } catch {
            throw call.fail(error, source: .interceptor)
        }
    }

    /// Sends a request and converts its response into a value.
    ///
    /// What counts as a success is the serializer's decision. Cancelling the task closes the connection, or resets the stream on HTTP/2.
    /// A pipelined request behind others keeps its place, and its response is dropped.
    ///
    /// ```swift
    /// let text = try await session.value(for: Request(url: url), serializer: .string)
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - serializer: Validates the response and converts it into a value, a large one off the caller's actor.
    ///   - monitor: Counts the bytes of both directions.
    /// - Returns: The value.
    /// - Throws: ``SessionError``, with ``SessionError/Code/unacceptableStatus``, ``SessionError/Code/unacceptableContentType`` or
    ///   ``SessionError/Code/serializationFailed`` if the serializer refuses; `CancellationError` when the task is cancelled.
    public func value<Serializer: ResponseSerializer>(
        for request: Request,
        serializer: Serializer,
        monitor: TransferMonitor? = nil
    ) async throws -> Serializer.Output {
        try await self.value(of: self.makeCollectingCall(request, monitor), serializer)
    }

    // MARK: Internals

    /// Makes a call whose response is collected.
    ///
    /// This is a separate function so that its values are not kept while the call is under way.
    @inline(never)
    private func makeCollectingCall(_ request: Request, _ monitor: TransferMonitor?) -> Call {
        self.makeCollectingCall(request, self.handling(monitor: monitor))
    }

    private func makeCollectingCall(_ request: Request, _ handling: consuming CallHandling) -> Call {
        self.makeCall(request, handling.collecting(self.configuration.limits.responseByteCount))
    }

    func handling(monitor: TransferMonitor? = nil) -> CallHandling {
        CallHandling(monitor: monitor)
    }

    /// Returns a response whose body the caller reads; the call ends with the body.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - handling: The other settings of the call.
    ///   - refusal: Returns why a head is refused, which ends the call; nil for one that is accepted. Accepts every
    ///     response unless given.
    /// - Returns: The response, its body still to be read.
    /// - Throws: `SessionError`; `CancellationError` when the task is cancelled.
    func streamed(
        _ request: Request,
        _ handling: CallHandling,
        refusal: (StreamedResponse) -> SessionError? = { _ in nil }
    ) async throws -> StreamedResponse {
        let call = self.makeCall(request, handling)
        do {
            let response = try await self.run(call)
            if let refusal = refusal(response) {
                // A body that does not arrive must not end the call before the refusal does.
                throw try await response.observed(by: call, ending: .later).explaining(
                    refusal,
                    upTo: self.configuration.limits.refusedByteCount,
                    call.clock
                )
            }
            return response.observed(by: call, ending: .withBody)
        } catch {
            throw call.fail(error, source: .interceptor)
        }
    }

    func value<Serializer: ResponseSerializer>(
        for request: Request,
        _ serializer: Serializer,
        _ handling: CallHandling
    ) async throws -> Serializer.Output {
        try await self.value(of: self.makeCollectingCall(request, handling), serializer)
    }

    /// The value that a serializer makes from the whole response of a call.
    private func value<Serializer: ResponseSerializer>(
        of call: Call,
        _ serializer: Serializer
    ) async throws -> Serializer.Output {
        do {
            let response = try await self.collect(call)
            let value = try await Self.value(of: response, serializer, call)
            call.finish(.completed)
            return value
        } catch {
            throw call.fail(error, source: .interceptor)
        }
    }

    /// Collects the response of a call, which is still under way afterwards.
    private func collect(_ call: Call) async throws -> Response {
        let limit = self.configuration.limits.responseByteCount
        let streamed = try await self.run(call).observed(by: call, ending: .withFailure)
        // Without a wait, and the memory for one, where the whole body has arrived.
        let response =
            if let whole = streamed.arrived(upTo: limit) { whole } else { try await streamed.response(upTo: limit) }
        call.handling.record?.collected(response)
        return response
    }
}

extension CallHandling {
    /// The same with a collected response, unless its bytes are monitored or may be held back, which needs a stream.
    consuming func collecting(_ limit: Int) -> CallHandling {
        if self.monitor == nil, self.gate == nil { self.responseMode = .collected(upTo: limit) }
        return self
    }
}
