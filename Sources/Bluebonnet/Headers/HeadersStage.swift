// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// Completes the header fields of a request for the stages below, so that network interceptors see what is sent.
///
/// It is in the chain only where a stage is between it and the exchange, and a request passes through it only where one
/// of them has something to do; otherwise ``ExchangeStage`` completes the fields, which spares a copy of the request.
struct HeadersStage: Interceptor {
    private let completion: HeaderCompletion

    init(_ completion: HeaderCompletion) {
        self.completion = completion
    }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        try await next.withCompleteFields()(try self.completed(request, next))
    }

    /// This is a separate function so that its values are not kept while the call is under way.
    @inline(never)
    private func completed(_ request: Request, _ next: Chain) throws -> Request {
        var completed = request
        completed.headers = try self.completion.fields(of: request, try next.target(of: request), next.call)
        return completed
    }
}
