// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
import HTTPTypes
import Synchronization

/// A transport that responds from code, without a socket: by method and path, from a list, or as a closure says.
///
/// ```swift
/// let transport = StubTransport(rules: [
///     .on(.get, "/users/*") { request in .json(#"{"name":"Ada"}"#) },
///     .on(.delete, "/users/7") { _ in TransportResponse(status: .noContent) },
/// ])
/// ```
///
/// A request that no rule matches fails with `TransportError.Code.invalidRequest`; the error says what was expected, and
/// ``unmatchedRequests`` keeps the request.
///
/// It keeps the contract of `Transport`: a cancelled task gets a `CancellationError`, and after ``shutdown()`` every exchange fails.
public final class StubTransport: Transport {
    /// Answers one exchange; called from the task that asked, many at a time.
    public typealias Answer = @Sendable (TransportRequest) async throws -> TransportResponse

    private struct State {
        var rules: [Rule] = []
        var requests: [TransportRequest] = []
        var unmatched: [TransportRequest] = []
        var isShutDown = false
    }

    /// Answers everything that no rule matches; nil if nothing does.
    private let answer: Answer?
    private let state = Mutex(State())

    /// Creates a transport that responds by method and path.
    ///
    /// - Parameter rules: What it responds to; of several that match a request, the last one is taken. ``add(_:)`` adds more.
    public init(rules: [Rule]) {
        self.answer = nil
        self.state.withLock { $0.rules = rules }
    }

    /// Creates a transport that responds from code.
    ///
    /// - Parameter answer: Answers each exchange that no rule matches; what it throws, the exchange throws.
    public init(_ answer: @escaping Answer) {
        self.answer = answer
    }

    /// Creates a transport that responds from a list, one after the other.
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

    /// Adds a rule, which goes before those that are there.
    public func add(_ rule: Rule) {
        self.state.withLock { $0.rules.append(rule) }
    }

    /// The requests that were made, in their order, refused ones included.
    public var requests: [TransportRequest] { self.state.withLock { $0.requests } }

    /// The requests that nothing answered: no rule matched them.
    public var unmatchedRequests: [TransportRequest] { self.state.withLock { $0.unmatched } }

    /// Whether ``shutdown()`` was called.
    public var isShutDown: Bool { self.state.withLock { $0.isShutDown } }

    /// Supported: there is no server that could be judged, so pins and policies of a session change nothing.
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
        let response = try await answer(request)
        try Task.checkCancellation()
        return response
    }

    public func shutdown() async {
        self.state.withLock { $0.isShutDown = true }
    }

    private static func complaint(_ request: TransportRequest, _ rules: [Rule]) -> String {
        let expected = rules.map(\.description).joined(separator: ", ")
        let path = Rule.path(of: request.target)
        return "the stub has no rule for \(request.method.rawValue) \(path); "
            + (expected.isEmpty ? "it has none at all" : "it has \(expected)")
    }
}

/// The responses of a stub that were not given yet.
private final class ResponseQueue: Sendable {
    private let responses: Mutex<ArraySlice<Result<TransportResponse, any Error>>>

    init(_ responses: [Result<TransportResponse, any Error>]) {
        self.responses = Mutex(responses[...])
    }

    func next() -> Result<TransportResponse, any Error>? {
        self.responses.withLock { $0.popFirst() }
    }
}
