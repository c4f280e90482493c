// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// A stage that has nothing to do for most requests and most of their outcomes.
///
/// An asynchronous call through a stage costs as much as all its checks. The chain therefore passes over an idle stage,
/// and asks it about the response or the error afterwards. These stages are classes, because one reference is cheaper to
/// pass than a box.
protocol IdleStage: Interceptor, AnyObject {
    /// Whether the request goes on unchanged, so that only its outcome may concern the stage.
    ///
    /// The chain asks once for each request that reaches the stage. The retry stage counts the call here; other stages
    /// change nothing.
    func isIdle(for request: Request, of call: Call) -> Bool

    /// Whether the stage acts on a response to a request that it was idle for.
    func concerns(_ response: borrowing StreamedResponse, to request: Request) -> Bool

    /// Acts on a response that concerns the stage.
    ///
    /// - Parameters:
    ///   - response: The response; its body has not been read.
    ///   - request: The request as it was passed to the stage.
    ///   - next: The rest of the chain.
    /// - Returns: The response to deliver.
    /// - Throws: The error for the caller.
    func act(
        on response: consuming StreamedResponse,
        to request: Request,
        next: Chain
    ) async throws -> StreamedResponse

    /// Whether the stage acts on the error of a request that it was idle for; by default it does not.
    func concerns(_ error: any Error, of request: Request, in call: Call) -> Bool

    /// Acts on an error that concerns the stage.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - request: The request as it was passed to the stage.
    ///   - next: The rest of the chain.
    /// - Returns: The response to deliver.
    /// - Throws: The error for the caller.
    func act(on error: any Error, of request: Request, next: Chain) async throws -> StreamedResponse
}

extension IdleStage {
    func concerns(_ error: any Error, of request: Request, in call: Call) -> Bool { false }

    func act(on error: any Error, of request: Request, next: Chain) async throws -> StreamedResponse { throw error }

    /// Continues an idle request: sends it, and acts on its outcome if need be.
    func passIdle(_ request: Request, next: Chain) async throws -> StreamedResponse {
        let outcome = await next.outcome(of: request)
        guard self.concerns(outcome, of: request, in: next.call) else { return try outcome.get() }
        return try await self.act(on: outcome, of: request, next: next)
    }

    func concerns(_ outcome: Result<StreamedResponse, any Error>, of request: Request, in call: Call) -> Bool {
        switch outcome {
        case .success(let response): self.concerns(response, to: request)
        case .failure(let error): self.concerns(error, of: request, in: call)
        }
    }

    func act(
        on outcome: consuming Result<StreamedResponse, any Error>,
        of request: Request,
        next: Chain
    ) async throws -> StreamedResponse {
        switch consume outcome {
        case .success(let response): try await self.act(on: consume response, to: request, next: next)
        case .failure(let error): try await self.act(on: error, of: request, next: next)
        }
    }
}
