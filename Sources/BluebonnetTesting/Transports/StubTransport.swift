// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
import Synchronization

/// A transport that answers from code or from a list, without a socket.
///
/// ```swift
/// let transport = StubTransport { request in
///     request.target == "/me" ? .json(#"{"name":"Ada"}"#) : TransportReply(status: .notFound)
/// }
/// ```
///
/// It keeps the contract of `Transport`: a cancelled task gets a `CancellationError`, and after ``shutdown()`` every exchange fails.
public final class StubTransport: Transport {
    /// Answers one exchange; called from the task that asked, many at a time.
    public typealias Answer = @Sendable (TransportRequest) async throws -> TransportReply

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
    /// - Parameter replies: The answers.
    public convenience init(replies: [Result<TransportReply, any Error>]) {
        let queue = ReplyQueue(replies)
        self.init { _ in
            guard let reply = queue.next() else {
                throw TransportError(.connectionClosed, phase: .head, reason: "the stub has no reply left")
            }
            return try reply.get()
        }
    }

    /// The requests that were made, in their order, refused ones included.
    public var requests: [TransportRequest] { self.state.withLock { $0.requests } }

    /// Whether ``shutdown()`` was called.
    public var isShutDown: Bool { self.state.withLock { $0.isShutDown } }

    public func exchange(_ request: TransportRequest) async throws -> TransportReply {
        let isShutDown = self.state.withLock { state in
            state.requests.append(request)
            return state.isShutDown
        }
        if isShutDown { throw TransportError(.shutDown, phase: .pool, reason: "the stub has been shut down") }
        try Task.checkCancellation()
        let reply = try await self.answer(request)
        try Task.checkCancellation()
        return reply
    }

    public func shutdown() async {
        self.state.withLock { $0.isShutDown = true }
    }
}

/// The answers of a stub that were not given yet.
private final class ReplyQueue: Sendable {
    private let replies: Mutex<ArraySlice<Result<TransportReply, any Error>>>

    init(_ replies: [Result<TransportReply, any Error>]) {
        self.replies = Mutex(replies[...])
    }

    func next() -> Result<TransportReply, any Error>? {
        self.replies.withLock { $0.popFirst() }
    }
}
