// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
import HTTPTypes
import Synchronization

/// A transport that responds without a socket: by method and path, from a list, or with a closure.
///
/// ```swift
/// let transport = StubTransport(rules: [
///     .on(.get, "/users/*") { request in .json(#"{"name":"Ada"}"#) },
///     .on(.delete, "/users/7") { _ in TransportResponse(status: .noContent) },
/// ])
/// ```
///
/// A request that no rule matches fails with `TransportError.Code.invalidRequest`; the error says what was expected,
/// and ``unmatchedRequests`` contains the request.
///
/// It fulfills the contract of `Transport`: a cancelled task gets a `CancellationError`, an answer that is later than
/// the `total` or `responseHead` limit of its request is cancelled and the exchange fails with
/// `TransportError.Code.timedOut`, and after ``shutdown()`` every exchange fails.
public final class StubTransport: Transport {
    /// Responds to one exchange; called concurrently, in the calling task or a child task of it.
    ///
    /// The exchange ends when the closure has returned, also after a time limit or a cancellation, which cancel its
    /// task.
    public typealias Answer = @Sendable (TransportRequest) async throws -> TransportResponse

    private struct State {
        var rules: [Rule] = []
        var requests: [TransportRequest] = []
        var unmatched: [TransportRequest] = []
        var isShutDown = false
    }

    /// Responds to every request that no rule matches; nil for none.
    private let answer: Answer?
    private let state = Mutex(State())

    /// Creates a transport that responds by method and path.
    ///
    /// - Parameter rules: The rules; if several match a request, the last one is used. ``add(_:)`` adds more.
    public init(rules: [Rule]) {
        self.answer = nil
        self.state.withLock { $0.rules = rules }
    }

    /// Creates a transport that responds with a closure.
    ///
    /// - Parameter answer: Responds to each exchange that no rule matches; an error it throws is thrown by the
    ///   exchange.
    public init(_ answer: @escaping Answer) {
        self.answer = answer
    }

    /// Creates a transport that responds from a list, in order.
    ///
    /// An exchange past the end of the list fails with `TransportError.Code.connectionClosed`.
    ///
    /// - Parameter responses: The responses.
    public convenience init(responses: [Result<TransportResponse, any Error>]) {
        let queue = ResponseQueue(responses)
        self.init { _ in
            guard let response = queue.next() else {
                throw TransportError(.connectionClosed, phase: .responseHead, reason: "the stub has no response left")
            }
            return try response.get()
        }
    }

    /// Adds a rule, which takes precedence over existing ones.
    public func add(_ rule: Rule) {
        self.state.withLock { $0.rules.append(rule) }
    }

    /// All requests in order, including refused ones.
    public var requests: [TransportRequest] { self.state.withLock { $0.requests } }

    /// The requests that no rule matched and that were not answered.
    public var unmatchedRequests: [TransportRequest] { self.state.withLock { $0.unmatched } }

    /// Whether ``shutdown()`` has been called.
    public var isShutDown: Bool { self.state.withLock { $0.isShutDown } }

    /// Supported: there is no server to evaluate, so a session's pins and policies have no effect.
    public var trustSupport: TrustSupport { .supported(standing: nil) }

    public func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        let (isShutDown, rules) = self.state.withLock { state in
            state.requests.append(request)
            return (state.isShutDown, state.rules)
        }
        if isShutDown { throw TransportError(.shutDown, phase: .queue, reason: "the stub has been shut down") }
        try Task.checkCancellation()
        guard let answer = rules.last(where: { $0.matches(request) })?.answer ?? self.answer else {
            self.state.withLock { $0.unmatched.append(request) }
            throw TransportError(.invalidRequest, phase: .requestBody, reason: Self.complaint(request, rules))
        }
        return try await request.within(limitsOf: [.responseHead, .total]) {
            let response = try await answer(request)
            try Task.checkCancellation()
            return response
        }
    }

    public func shutdown() async {
        self.state.withLock { $0.isShutDown = true }
    }

    private static func complaint(_ request: TransportRequest, _ rules: [Rule]) -> String {
        let expected = rules.map(\.description).joined(separator: ", ")
        return "the stub has no rule for \(request.method.rawValue) \(request.path); "
            + (expected.isEmpty ? "it has none at all" : "it has \(expected)")
    }
}

/// The responses of a stub that have not been used.
private final class ResponseQueue: Sendable {
    private let responses: Mutex<ArraySlice<Result<TransportResponse, any Error>>>

    init(_ responses: [Result<TransportResponse, any Error>]) {
        self.responses = Mutex(responses[...])
    }

    func next() -> Result<TransportResponse, any Error>? {
        self.responses.withLock { $0.popFirst() }
    }
}
