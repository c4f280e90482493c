// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

/// Intercepts every request of a session, and may change it, answer it, send it again, or change its response.
///
/// The session calls an interceptor from the task that made the call, many at a time: once per call if it is in
/// ``Session/Configuration/interceptors``, once per exchange if it is in ``Session/Configuration/networkInterceptors``.
/// An interceptor calls `next` to continue: once, several times (to try again) or not at all (to answer by itself). It
/// must rethrow `CancellationError`. It may replace the body of a response that it passes on, but must not read it.
///
/// At the call's total limit, and when the call is cancelled, the interceptor's task is cancelled, and the call ends
/// when the interceptor has returned. One that waits for a callback, for example for a person, ends its wait with
/// `withTaskCancellationHandler`.
///
/// ```swift
/// struct CallNumber: Interceptor {
///     let field: HTTPField.Name
///
///     func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
///         var request = request
///         request.headers[self.field] = "\(next.call.id.number)"
///         return try await next(request)
///     }
/// }
/// ```
///
/// A call that an interceptor makes through the same session, for example to refresh a token, does not count against
/// ``Session/Configuration/maximumConcurrentRequests``, because the outer call holds a place already.
public protocol Interceptor: Sendable {
    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: The request as the interceptors before this one left it.
    ///   - next: The rest of the chain, with the call that the request belongs to.
    /// - Returns: The response.
    /// - Throws: What `next` throws. Any other error reaches the caller as ``SessionError/Code/interceptorFailed``, with the original in
    ///   ``SessionError/underlying``.
    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse
}
