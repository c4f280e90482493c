// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

/// The rest of the chain that a request goes through: the interceptors that follow, then the exchange.
public struct Chain: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The call that the request belongs to.
    public let call: Call

    private let stages: StageList
    private var position = 0

    /// Whether a stage has completed the header fields; otherwise the exchange does.
    private(set) var hasCompleteFields = false

    /// Creates the beginning of a chain.
    init(_ call: Call, stages: StageList) {
        self.call = call
        self.stages = stages
    }

    /// Creates a chain that ends in a function, to test an interceptor by itself.
    ///
    /// - Parameters:
    ///   - call: The call; see ``Call/init(_:clock:)``.
    ///   - function: Answers requests.
    public init(_ call: Call, _ function: @escaping @Sendable (Request) async throws -> StreamedResponse) {
        self.init(call, stages: StageList([FunctionStage(function: function)]))
    }

    /// Sends a request through the rest of the chain.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response: its head has arrived, its body may still have to be read.
    /// - Throws: ``SessionError``; what a later interceptor throws; `CancellationError` when the task is cancelled.
    public func callAsFunction(_ request: Request) async throws -> StreamedResponse {
        let first = self.stages.firstBusy(from: self.position, for: request, of: self.call)
        // The last stage of a session's chain never calls the rest.
        guard first < self.stages.count else { throw Self.endError(request) }
        let response: StreamedResponse
        do {
            response = try await self.stages[first].intercept(request, next: self.at(first + 1))
        } catch {
            guard let place = self.lastConcerned(before: first, .failure(error), request) else { throw error }
            return try await self.act(on: .failure(error), of: request, at: place)
        }
        // Asked without a copy of the response, which nearly always goes on as it is.
        let passed = self.position..<first
        guard let place = self.stages.lastConcerned(in: passed, response, request) else { return response }
        return try await self.act(on: .success(consume response), of: request, at: place)
    }

    /// Passes an outcome to the stages that were passed over and that it concerns, beginning with the innermost.
    ///
    /// The response is handed over at each step, because a stage that notes a fact on a shared one would copy it.
    private func act(
        on outcome: consuming Result<StreamedResponse, any Error>,
        of request: Request,
        at innermost: Int
    ) async throws -> StreamedResponse {
        var next = Int?.some(innermost)
        while let place = next, let stage = self.stages.idle(place) {
            do {
                outcome = .success(try await stage.act(on: consume outcome, of: request, next: self.at(place + 1)))
            } catch {
                outcome = .failure(error)
            }
            next = self.lastConcerned(before: place, outcome, request)
        }
        return try outcome.get()
    }

    private func lastConcerned(
        before end: Int,
        _ outcome: borrowing Result<StreamedResponse, any Error>,
        _ request: Request
    ) -> Int? {
        let range = self.position..<end
        return switch outcome {
        case .success(let response): self.stages.lastConcerned(in: range, response, request)
        case .failure(let error): self.stages.lastConcerned(in: range, error, request, self.call)
        }
    }

    /// Sends a request through the rest of the chain, without throwing.
    func outcome(of request: Request) async -> Result<StreamedResponse, any Error> {
        do { return .success(try await self(request)) } catch { return .failure(error) }
    }

    private func at(_ position: Int) -> Chain {
        var chain = self
        chain.position = position
        return chain
    }

    @inline(never)
    private static func endError(_ request: Request) -> any Error {
        SessionError(.interceptorFailed, reason: "the chain has no stage left", request: request)
    }

    /// The rest of the chain for a separate call, with a collected response.
    func nested(_ request: Request, limit: Duration, collecting byteCount: Int) -> (call: Call, chain: Chain) {
        let handling = CallHandling(responseMode: .collected(upTo: byteCount))
        let call = self.call.makeNested(request, handling, limit: limit)
        return (call, self.continuing(call))
    }

    /// The same rest of the chain for another call.
    func continuing(_ call: Call) -> Chain {
        var chain = Chain(call, stages: self.stages)
        chain.position = self.position
        chain.hasCompleteFields = self.hasCompleteFields
        return chain
    }

    /// The same rest of the chain for a request with all its header fields.
    func withCompleteFields() -> Chain {
        var chain = self
        chain.hasCompleteFields = true
        return chain
    }

    /// The parsed URL of a request.
    func target(of request: Request) throws(SessionError) -> RequestTarget {
        try self.call.target(of: request.url)
    }
}

/// The end of a chain in a test.
private struct FunctionStage: Interceptor {
    var function: @Sendable (Request) async throws -> StreamedResponse

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        try await self.function(request)
    }
}
