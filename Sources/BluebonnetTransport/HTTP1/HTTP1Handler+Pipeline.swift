// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// Requests that are sent behind one another before their replies have come (RFC 9112 section 9.3.2).
extension HTTP1Handler {
    /// Whether an exchange can be started now: nothing is under way, or only what it may be sent behind.
    func canTake(_ exchange: Exchange) -> Bool {
        guard let active else { return true }
        return exchange.request.isPipelinable && active.exchange.request.isPipelinable && active.isRequestSent
            && !active.asksForClose
    }

    /// The reply of the next pipelined request is the one that comes now.
    ///
    /// - Returns: Whether there is one.
    func advancePipeline() -> Bool {
        guard let next = self.pipeline.popFirst() else { return false }
        self.parser.begin(method: next.exchange.request.method, limits: next.exchange.request.limits)
        self.active = next
        self.lastActivity = self.pool.clock.now()
        self.replyAwaited = self.lastActivity
        self.armTimer()
        return true
    }

    /// Sends what was behind a reply that did not come, or was the last one, on other connections: nothing came of it here.
    func restart(_ pipelined: CircularBuffer<Active>) {
        for active in pipelined {
            let error = TransportError.closedEarly(isRequestSent: true)
            if active.exchange.claimRetry(after: error, isReused: true, hasReply: false) {
                self.pool.submit(active.exchange, fresh: true)
            } else {
                active.reply.fail(error)
            }
        }
    }
}
