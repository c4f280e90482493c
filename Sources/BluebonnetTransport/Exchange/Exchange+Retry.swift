// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

/// How a connection lost an exchange, which decides whether it may be resent.
enum ExchangeLoss: Hashable, Sendable {
    /// The connection was closed after it was leased and before the exchange started.
    ///
    /// `hadProgress` says whether it had begun another exchange, in which case this cannot repeat indefinitely.
    case notStarted(hadProgress: Bool)
    /// The connection failed, or the peer abandoned the exchange.
    ///
    /// `isReused` says whether the connection had served another exchange before, `hasResponse` whether any byte of a
    /// response arrived.
    case broken(isReused: Bool, hasResponse: Bool)
    /// The peer declined this exchange after processing others, so each attempt makes progress.
    case declined
    /// The peer refused the exchange before it processed anything of it.
    ///
    /// `isEarly` says whether the peer had not announced then how many exchanges it carries at a time.
    case refused(isEarly: Bool)
    /// The peer requires HTTP/1.1.
    case requiresHTTP1
    /// The peer refused the expectation that held the body back (RFC 9110 section 10.1.1).
    case expectationFailed
}

extension ConnectionPool {
    /// Resends a lost exchange on another connection, if that is permitted; this is the only place that resends.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - error: The error it failed with.
    ///   - loss: How it was lost.
    /// - Returns: Whether it was submitted again; if not, the caller must receive the error.
    func resend(_ exchange: Exchange, after error: TransportError, _ loss: ExchangeLoss) -> Bool {
        guard exchange.claimRetry(after: error, loss) else { return false }
        exchange.tell(.retried(after: error))
        switch loss {
        // With HTTP/1.1, or without the expectation, any connection is suitable.
        case .requiresHTTP1, .expectationFailed: self.submit(exchange)
        // An idle connection may be as dead as the previous one.
        case .notStarted, .broken, .declined, .refused: self.submit(exchange, fresh: true)
        }
        return true
    }
}

extension Exchange {
    /// Whether the exchange may be retried silently on another connection; an attempt that counts is allowed once.
    ///
    /// A server may close an idle connection at the moment when a request is sent on it. If no byte of the response
    /// arrived and the method is idempotent (RFC 9110 section 9.2.2), the request is sent again. A request that the
    /// peer says it did not process may be repeated whatever its method.
    fileprivate func claimRetry(after error: TransportError, _ loss: ExchangeLoss) -> Bool {
        switch loss {
        case .declined: return self.canSendBody
        case .notStarted(hadProgress: true): return true
        case .notStarted(hadProgress: false): break
        case .refused(let isEarly):
            guard self.canSendBody else { return false }
            // There were too many exchanges for a limit that nobody knew. Once: a peer may refuse on every connection.
            if isEarly, !self.wasRefusedEarly.exchange(true, ordering: .relaxed) { return true }
        case .requiresHTTP1:
            guard self.canSendBody else { return false }
            self.requiresHTTP1.store(true, ordering: .relaxed)
            return true
        case .expectationFailed: return !self.omitsExpectation.exchange(true, ordering: .relaxed)
        case .broken(let isReused, let hasResponse):
            guard error.code == .connectionClosed, isReused || !error.isRequestSent, !hasResponse else { return false }
            let isIdempotent = HTTPRequest.Method.idempotent.contains(self.request.method)
            guard self.canSendBody, isIdempotent || !error.isRequestSent else { return false }
            if error.isRequestSent { self.wasSent.store(true, ordering: .relaxed) }
        }
        return !self.wasRetried.exchange(true, ordering: .relaxed)
    }
}

extension TransportError {
    /// The peer refused the expectation that held the body back, and the request is repeated without it.
    static var expectationFailed: TransportError {
        TransportError(
            .connectionClosed,
            phase: .responseHead,
            reason: "the server refused the request for its expectation of 100 (Continue)"
        )
    }
}
