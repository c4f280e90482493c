// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// Sends a request with a token of a ``TokenSource``, and again with another token if the first is refused.
struct TokenExchange {
    /// The largest number of attempts: with the current token, with one that has replaced it, and with a refreshed one.
    private static var largestCount: Int { 3 }

    let tokens: TokenSource
    let target: RequestTarget
    /// Which requests the server never gets; nil without a cache.
    let storeOnly: StoreOnlyRule?
    let next: Chain

    /// Sends a request.
    ///
    /// - Parameter request: The request, without a token.
    /// - Returns: The last response, and whether it refuses the token.
    /// - Throws: `SessionError` with `authenticationFailed`; what the chain throws.
    func send(_ request: Request) async throws -> (response: StreamedResponse, isRefused: Bool) {
        if let stored = try await self.stored(request) { return (stored, false) }
        var request = request
        var grant = try await self.tokens.grant(self.next)
        var count = 0
        while true {
            // A task may be suspended while it waits for a token, the first one included.
            try await self.next.call.waitWhileSuspended()
            let response = try await self.next(self.authorized(request, with: grant.token))
            guard self.tokens.authenticator.refuses(response) else { return (response, false) }
            let mustAskServer = response.cacheStatus?.isHit == true && !request.bypassesStored(response.status)
            request.bypassStored(response.status)
            if mustAskServer {
                // A stored response may have refused another token.
                response.body.abandon()
                continue
            }
            count += 1
            // A server that refuses a token that was just got will not take the next one either.
            guard !grant.isFresh, count < Self.largestCount else { return (response, true) }
            guard self.next.call.canSend(request.body) else {
                self.tokens.spend(grant.version)
                self.tell(.challengeRefused(.bodyIsGone, self.target.origin))
                throw ChallengeExchange.bodyIsGone(response)
            }
            guard self.tokens.mayReplace(grant.version, self.next) else { return (response, true) }
            await self.next.call.discard(response.body)
            // A refresh is an exchange, too.
            try await self.next.call.waitWhileSuspended()
            do {
                grant = try await self.tokens.grant(replacing: grant.version, self.next)
                self.tell(.tokenReplaced(self.target.origin))
            } catch let error as SessionError where error.code == .authenticationFailed {
                throw error.following(response)
            }
        }
    }

    // MARK: Stored responses

    /// The answer to a request that is not sent, or only if no response is stored; nil if it needs a token.
    ///
    /// A token that is about to expire, or has expired, still selects the responses that were stored with it.
    private func stored(_ request: Request) async throws -> StreamedResponse? {
        guard let storeOnly else { return nil }
        let token = self.tokens.token
        if storeOnly.applies(to: request) { return try await self.next(self.authorized(request, with: token)) }
        guard request.options.cachePolicy == .returnCacheDataElseLoad, !request.isForOrigin,
            !self.tokens.isReady(at: self.next.call.clock.now)
        else { return nil }
        var stored = request
        stored.options.cachePolicy = .returnCacheDataDontLoad
        do {
            var response = try await self.next(self.authorized(stored, with: token))
            response.request.options.cachePolicy = .returnCacheDataElseLoad
            return response
        } catch let error as SessionError where error.code == .notCached {
            return nil
        }
    }

    private func authorized(_ request: Request, with token: AccessToken?) throws -> Request {
        guard let token else { return request }
        var authorized = request
        try self.tokens.authenticator.authorize(&authorized, with: token)
        if let fields = TokenFields(of: authorized, addedTo: request) { authorized.context[TokenFields.self] = fields }
        return authorized
    }

    private func tell(_ event: AuthenticationEvent) {
        self.next.call.tell(.authentication(event))
    }
}
