// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

/// The rest of the chain that a request goes through: the interceptors that follow, then the exchange.
public struct Chain: Sendable {
    /// The call that the request belongs to.
    public let call: Call

    private let stages: StageList
    private var position = 0

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
    /// - Throws: ``SessionError``; what an interceptor further on throws; `CancellationError` when the task is cancelled.
    @inline(__always)
    public func callAsFunction(_ request: Request) async throws -> StreamedResponse {
        var position = self.position
        var outgoing = request
        // Stages that let the request pass cost a call each, and no suspension.
        while let stage = self.stages.passing(at: position), try stage.passes(&outgoing, in: self.call) {
            position += 1
        }
        // The last stage of a session's chain does not go on.
        guard position < self.stages.count else { throw Self.endError(request) }
        var response = try await self.stages[position].intercept(outgoing, next: self.after(position))
        while position > self.position {
            position -= 1
            guard let stage = self.stages.passing(at: position), !stage.passes(response) else { continue }
            let asked = try self.request(request, at: position)
            response = try await stage.answer(response, to: asked, next: self.after(position))
        }
        return response
    }

    /// The rest of the chain behind a stage.
    private func after(_ position: Int) -> Chain {
        var chain = self
        chain.position = position + 1
        return chain
    }

    /// A request as a stage got it that let it pass.
    private func request(_ request: Request, at position: Int) throws -> Request {
        var request = request
        for earlier in self.position..<position {
            _ = try self.stages.passing(at: earlier)?.passes(&request, in: self.call)
        }
        return request
    }

    private static func endError(_ request: Request) -> SessionError {
        SessionError(.interceptorFailed, reason: "the chain has no stage left", request: request)
    }

    /// The rest of the chain for a call of its own, with a response in one piece.
    func nested(_ request: Request, limit: Duration, collecting byteCount: Int) -> (call: Call, chain: Chain) {
        var handling = CallHandling()
        handling.limits = self.call.handling.limits
        handling.responseMode = .collected(upTo: byteCount)
        let call = self.call.makeNested(request, handling, limit: limit)
        return (call, self.continuing(call))
    }

    /// The same rest of the chain for another call.
    func continuing(_ call: Call) -> Chain {
        var chain = Chain(call, stages: self.stages)
        chain.position = self.position
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
