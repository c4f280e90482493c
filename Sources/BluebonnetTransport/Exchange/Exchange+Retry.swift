// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

/// How a connection lost an exchange, as far as sending it once more goes.
enum ExchangeLoss: Hashable, Sendable {
    /// It was closed between being lent and starting the exchange.
    ///
    /// `hadProgress` says whether it had carried another one: then this cannot go on without end.
    case notStarted(hadProgress: Bool)
    /// It broke, or the peer gave the exchange up.
    ///
    /// `isReused` says whether the connection had served another exchange before, `hasResponse` whether any byte of a response came.
    case broken(isReused: Bool, hasResponse: Bool)
    /// The peer has taken others and not this one, and says so: it brings the others forward each time.
    case declined
    /// The peer wants it over HTTP/1.1; `isBodyBegun` says whether somebody has begun to produce its body.
    case requiresHTTP1(isBodyBegun: Bool)
}

extension ConnectionPool {
    /// Sends an exchange that a connection has lost over another one, if it may be: the only place where that happens.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - error: How it failed.
    ///   - loss: How it was lost.
    /// - Returns: Whether it was submitted again; if not, its caller has to be told the error.
    func resend(_ exchange: Exchange, after error: TransportError, _ loss: ExchangeLoss) -> Bool {
        guard exchange.claimRetry(after: error, loss) else { return false }
        exchange.tell(.retried(after: error))
        // Over HTTP/1.1 any connection will do; otherwise one that is idle may be as dead as the one before.
        if case .requiresHTTP1 = loss { self.submit(exchange) } else { self.submit(exchange, fresh: true) }
        return true
    }
}

extension Exchange {
    /// Whether the exchange may silently be tried once more, on another connection; what counts as a try is allowed once.
    ///
    /// A server may close an idle connection at the very moment a request is sent on it. Without a byte of the response, and with a method
    /// that may be repeated (RFC 9110 section 9.2.2), trying again is what a person would do. A request of which the peer says that it
    /// did nothing with it may be repeated whatever its method.
    fileprivate func claimRetry(after error: TransportError, _ loss: ExchangeLoss) -> Bool {
        let isReplayable = self.request.body.isReplayable
        switch loss {
        case .declined: return isReplayable
        case .notStarted(hadProgress: true): return true
        case .notStarted(hadProgress: false): break
        case .requiresHTTP1(let isBodyBegun):
            guard isReplayable || !isBodyBegun else { return false }
            self.requiresHTTP1.store(true, ordering: .relaxed)
            return true
        case .broken(let isReused, let hasResponse):
            guard error.code == .connectionClosed, isReused || !error.isRequestSent, !hasResponse else { return false }
            guard isReplayable, self.request.method.isIdempotent || !error.isRequestSent else { return false }
            if error.isRequestSent { self.wasSent.store(true, ordering: .relaxed) }
        }
        return !self.wasRetried.exchange(true, ordering: .relaxed)
    }
}

extension HTTPRequest.Method {
    /// Whether a request with this method may be repeated without asking (RFC 9110 section 9.2.2).
    var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }
}
