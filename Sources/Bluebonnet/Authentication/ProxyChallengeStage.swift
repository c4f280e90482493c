// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport

/// Answers the challenges of a proxy that forwards requests; the transport knows the credentials, and when to give up.
///
/// It runs below the server's authentication, so that an answer to the server is sent again when the proxy wants another
/// nonce, and below the cache, so that the requests of refreshes pass it as well: those of tokens and those of stored
/// responses. It runs above the network interceptors, which see each exchange.
final class ProxyChallengeStage: IdleStage {
    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        try await self.passIdle(request, next: next)
    }

    func isIdle(for request: Request, of call: Call) -> Bool { true }

    func concerns(_ response: borrowing StreamedResponse, to request: Request) -> Bool {
        response.status.code == 407 && response.proxyAnswer != nil
    }

    /// Sends the request again, until the proxy lets it pass or its challenge has no answer.
    func act(on response: StreamedResponse, to request: Request, next: Chain) async throws -> StreamedResponse {
        var (request, response) = (request, response)
        while self.concerns(response, to: request), var answer = response.proxyAnswer {
            // A body that can be read only once cannot be hashed first.
            guard answer.bodyHash == nil ? next.call.canSend(request.body) : request.body.isReplayable else {
                throw Self.bodyIsGone(response)
            }
            await next.call.discard(response.body)
            next.call.tell(.authentication(.proxyChallengeAnswered(answer.scheme, answer.proxy)))
            if let hash = answer.bodyHash { answer.bodyDigest = try await request.body.digest(hash) }
            request.transportOptions.proxyAnswer = answer
            try await next.call.waitWhileSuspended()
            response = try await next(request)
        }
        return response
    }

    private static func bodyIsGone(_ response: StreamedResponse) -> SessionError {
        var error = ChallengeExchange.bodyIsGone(response)
        error.code = .proxyAuthenticationRequired
        error.reason = "the proxy wants credentials with the body sent again, and this body can be read only once"
        return error
    }
}
