// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// A stage that has nothing to do for most requests and most responses.
///
/// An asynchronous call through a stage costs as much as all its checks. The chain therefore passes over an idle stage,
/// and asks it about the response afterwards. These stages are classes, because one reference is cheaper to pass than a
/// box.
protocol IdleStage: Interceptor, AnyObject {
    /// Whether the request goes on unchanged, so that only its response may concern the stage.
    func isIdle(for request: Request) -> Bool

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
    func act(on response: StreamedResponse, to request: Request, next: Chain) async throws -> StreamedResponse
}

extension IdleStage {
    /// Continues an idle request: sends it, and acts on its response if need be.
    func passIdle(_ request: Request, next: Chain) async throws -> StreamedResponse {
        let response = try await next(request)
        guard self.concerns(response, to: request) else { return response }
        return try await self.act(on: response, to: request, next: next)
    }
}
