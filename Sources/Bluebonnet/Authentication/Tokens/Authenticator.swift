// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

/// Gets tokens, adds them to requests, and recognises the responses that refuse them.
///
/// A ``TokenSource`` calls ``refresh(_:_:)`` from its own task, one call at a time, and cancels that task when the
/// source's time limit is over or the program sets a token. The other two functions are called from the tasks of calls,
/// many at a time.
public protocol Authenticator: Sendable {
    /// Gets a token.
    ///
    /// - Parameters:
    ///   - token: The token that was refused or is about to expire; nil for the first one, and after a refresh has failed for good.
    ///   - context: Sends requests that bypass the session's authentication, redirects, retries and limit of calls.
    /// - Returns: The token that is used from now on.
    /// - Throws: Any error; every waiting call fails with ``SessionError/Code/authenticationFailed``, with the error in
    ///   ``SessionError/underlying``, unless the token can still be sent (see ``TokenSource``).
    func refresh(_ token: AccessToken?, _ context: RefreshContext) async throws -> AccessToken

    /// Adds a token to a request; by default as `Authorization: Bearer …`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - token: The token.
    /// - Throws: Any error if the token cannot be sent.
    func authorize(_ request: inout Request, with token: AccessToken) throws

    /// Returns whether a response refuses the token; by default, whether its status is 401.
    ///
    /// - Parameter response: The response; its body must not be read.
    /// - Returns: Whether another token might help.
    func refuses(_ response: StreamedResponse) -> Bool
}

extension Authenticator {
    public func authorize(_ request: inout Request, with token: AccessToken) throws {
        try request.authorize(bearer: token.value)
    }

    public func refuses(_ response: StreamedResponse) -> Bool { response.status == .unauthorized }
}

extension Request {
    /// Sends a token (RFC 6750 section 2.1).
    mutating func authorize(bearer token: String) throws(SessionError) {
        guard token.isBearerToken else {
            throw .authentication("the token is empty, or holds a space or another character that no token can have")
        }
        self.headers[.authorization] = "Bearer \(token)"
    }
}

/// An authenticator made of a function.
struct FunctionAuthenticator: Authenticator {
    let function: @Sendable () async throws -> AccessToken

    func refresh(_ token: AccessToken?, _ context: RefreshContext) async throws -> AccessToken {
        try await self.function()
    }
}

/// Sends the requests of an ``Authenticator``.
public struct RefreshContext: Sendable {
    /// The rest of the chain of the call that began the refresh, below the authentication.
    private let chain: Chain
    private let limit: Duration

    init(_ chain: Chain, limit: Duration) {
        self.chain = chain
        self.limit = limit
    }

    /// The clock of the session.
    public var clock: SessionClock { self.chain.call.clock }

    /// Sends a request through the stages of the session below the authentication, as a call of its own.
    ///
    /// It does not count against the session's limit of calls, follows no redirect, is not retried, and carries only
    /// the credentials that it is given; a proxy gets those of its `Proxy`. The session's own header fields, client
    /// certificate and trailers are sent only if the request is for the origin of the call that began the refresh. The
    /// deadline of that call does not apply; the time limit of the ``TokenSource`` does. The cookies of the session's jar
    /// are sent, and those of the response stored, unless `request.options.handlesCookies` is false.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, with a body of up to ``Session/Limits/tokenResponseByteCount`` bytes.
    /// - Throws: ``SessionError``; `CancellationError` when the refresh is cancelled.
    public func response(for request: Request) async throws -> Response {
        let byteCount = self.chain.call.environment.limits.tokenResponseByteCount
        var request = request
        if request.context[HomeOrigin.self] == nil { request.context[HomeOrigin.self] = try self.home }
        let (call, chain) = self.chain.nested(request, limit: self.limit, collecting: byteCount)
        call.tell(.callStarted)
        do {
            let streamed = try await chain(request).observed(by: call, ending: .withFailure)
            let response = try await streamed.response(upTo: byteCount)
            call.finish(.completed)
            return response
        } catch {
            throw call.fail(error, source: .interceptor)
        }
    }

    /// The origin that the session's secrets are meant for.
    private var home: HomeOrigin {
        get throws {
            let call = self.chain.call
            let home = HomeOrigin.origin(of: call.originalRequest, in: call.environment.home)
            return try HomeOrigin(origin: home ?? RequestTarget(call.originalRequest.url).origin)
        }
    }
}
