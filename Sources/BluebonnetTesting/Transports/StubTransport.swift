// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
import Synchronization

/// A transport that answers from code or from a list, without a socket.
///
/// ```swift
/// let transport = StubTransport { request in
///     request.target == "/me" ? .json(#"{"name":"Ada"}"#) : TransportResponse(status: .notFound)
/// }
/// ```
///
/// It keeps the contract of `Transport`: a cancelled task gets a `CancellationError`, and after ``shutdown()`` every exchange fails.
public final class StubTransport: Transport {
    /// Answers one exchange; called from the task that asked, many at a time.
    public typealias Answer = @Sendable (TransportRequest) async throws -> TransportResponse

    private struct State {
        var requests: [TransportRequest] = []
        var isShutDown = false
    }

    private let answer: Answer
    private let state = Mutex(State())

    /// Creates a transport that answers from code.
    ///
    /// - Parameter answer: Answers one exchange; what it throws, the exchange throws.
    public init(_ answer: @escaping Answer) {
        self.answer = answer
    }

    /// Creates a transport that answers from a list, one after the other.
    ///
    /// An exchange past the end of the list fails with `TransportError.Code.connectionClosed`.
    ///
    /// - Parameter responses: The answers.
    public convenience init(responses: [Result<TransportResponse, any Error>]) {
        let queue = ResponseQueue(responses)
        self.init { _ in
            guard let response = queue.next() else {
                throw TransportError(.connectionClosed, phase: .responseHead, reason: "the stub has no response left")
            }
            return try response.get()
        }
    }

    /// The requests that were made, in their order, refused ones included.
    public var requests: [TransportRequest] { self.state.withLock { $0.requests } }

    /// Whether ``shutdown()`` was called.
    public var isShutDown: Bool { self.state.withLock { $0.isShutDown } }

    public func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        let isShutDown = self.state.withLock { state in
            state.requests.append(request)
            return state.isShutDown
        }
        if isShutDown { throw TransportError(.shutDown, phase: .queue, reason: "the stub has been shut down") }
        try Task.checkCancellation()
        let response = try await self.answer(request)
        try Task.checkCancellation()
        return response
    }

    public func shutdown() async {
        self.state.withLock { $0.isShutDown = true }
    }
}

/// The answers of a stub that were not given yet.
private final class ResponseQueue: Sendable {
    private let responses: Mutex<ArraySlice<Result<TransportResponse, any Error>>>

    init(_ responses: [Result<TransportResponse, any Error>]) {
        self.responses = Mutex(responses[...])
    }

    func next() -> Result<TransportResponse, any Error>? {
        self.responses.withLock { $0.popFirst() }
    }
}
