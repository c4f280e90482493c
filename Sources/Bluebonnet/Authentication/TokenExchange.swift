// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// Sends a request with a token of a ``TokenSource``, and again with another token if the first is refused.
struct TokenExchange {
    /// The largest number of attempts: with the current token, with one that has replaced it, and with a refreshed one.
    private static var largestCount: Int { 3 }

    let tokens: TokenSource
    let target: RequestTarget
    let next: Chain

    /// Sends a request.
    ///
    /// - Parameter request: The request, without a token.
    /// - Returns: The last response, and whether it refuses the token.
    /// - Throws: `SessionError` with `authenticationFailed`; what the chain throws.
    func send(_ request: Request) async throws -> (response: StreamedResponse, isRefused: Bool) {
        var request = request
        var grant = try await self.tokens.grant(self.next)
        var count = 0
        while true {
            // A task may be suspended while it waits for a token, the first one included.
            try await self.next.call.waitWhileSuspended()
            var authorized = request
            try self.tokens.authenticator.authorize(&authorized, with: grant.token)
            let response = try await self.next(authorized)
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
            guard request.body.isReplayable else {
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

    private func tell(_ event: AuthenticationEvent) {
        self.next.call.tell(.authentication(event))
    }
}
