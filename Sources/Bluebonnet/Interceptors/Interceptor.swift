// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

/// Stands in the way of every request, and may change it, answer it, send it again, or change its response.
///
/// The session calls an interceptor once per request, from the task that sent it, many at a time. An interceptor calls `next` to go
/// on: once, several times (to try again) or not at all (to answer by itself). It must let `CancellationError` through, and must not read
/// the body of a response that it passes on.
///
/// ```swift
/// struct RequestID: Interceptor {
///     func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
///         var request = request
///         request.headers[.requestID] = makeIdentifier()
///         return try await next(request)
///     }
/// }
/// ```
public protocol Interceptor: Sendable {
    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: The request as the interceptors before this one left it.
    ///   - next: The rest of the way.
    /// - Returns: The response.
    /// - Throws: What `next` throws. Any other error reaches the caller as ``SessionError/Code/interceptorFailed``, with the original in
    ///   ``SessionError/underlying``.
    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse
}

/// The rest of a request's way: the interceptors that follow, then the transport.
public struct Chain: Sendable {
    private enum Way: Sendable {
        case pipeline(Session, position: Int, ExchangeContext)
        case function(@Sendable (Request) async throws -> StreamedResponse)
    }

    private let way: Way

    /// Creates a way that ends in a function, to test an interceptor by itself.
    ///
    /// - Parameter function: Answers requests.
    public init(_ function: @escaping @Sendable (Request) async throws -> StreamedResponse) {
        self.way = .function(function)
    }

    init(_ session: Session, position: Int, _ context: ExchangeContext) {
        self.way = .pipeline(session, position: position, context)
    }

    /// Sends a request the rest of the way.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, its head arrived and its body still to be read.
    /// - Throws: ``SessionError``; what an interceptor further on throws; `CancellationError` when the task is cancelled.
    public func callAsFunction(_ request: Request) async throws -> StreamedResponse {
        switch self.way {
        case .pipeline(let session, let position, let context):
            return try await session.step(request, position: position, context)
        case .function(let function):
            return try await function(request)
        }
    }
}
