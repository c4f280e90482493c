// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

/// The rest of the chain that a request goes through: the interceptors that follow, then the exchange.
public struct Chain: Sendable {
    /// The call that the request belongs to.
    public let call: Call

    private let stages: [any Interceptor]
    private var position = 0

    /// Creates the beginning of a chain.
    init(_ call: Call, stages: [any Interceptor]) {
        self.call = call
        self.stages = stages
    }

    /// Creates a chain that ends in a function, to test an interceptor by itself.
    ///
    /// - Parameters:
    ///   - call: The call; see ``Call/init(_:clock:)``.
    ///   - function: Answers requests.
    public init(_ call: Call, _ function: @escaping @Sendable (Request) async throws -> StreamedResponse) {
        self.init(call, stages: [FunctionStage(function: function)])
    }

    /// Sends a request through the rest of the chain.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response: its head has arrived, its body may still have to be read.
    /// - Throws: ``SessionError``; what a later interceptor throws; `CancellationError` when the task is cancelled.
    @inline(__always)
    public func callAsFunction(_ request: Request) async throws -> StreamedResponse {
        // The last stage of a session's chain never calls the rest.
        guard self.position < self.stages.count else { throw Self.endError(request) }
        var next = self
        next.position += 1
        return try await self.stages[self.position].intercept(request, next: next)
    }

    @inline(never)
    private static func endError(_ request: Request) -> any Error {
        SessionError(.interceptorFailed, reason: "the chain has no stage left", request: request)
    }

    /// The rest of the chain for a separate call, with a collected response.
    func nested(_ request: Request, limit: Duration, collecting byteCount: Int) -> (call: Call, chain: Chain) {
        var handling = CallHandling()
        handling.limits = self.call.handling.limits
        handling.responseMode = .collected(upTo: byteCount)
        let call = self.call.makeNested(request, handling, limit: limit)
        return (call, Chain(call, stages: Array(self.stages.dropFirst(self.position))))
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
