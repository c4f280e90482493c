// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Time: one timer per connection, which looks again instead of being set anew for every byte.
extension HTTP1Handler {
    /// Makes sure that the timer looks no later than the next deadline.
    func armTimer() {
        guard let active, let context else { return }
        let idle = active.exchange.request.timeouts.idle.map { self.lastActivity + TimeAmount($0) }
        var total = active.exchange.totalDeadline
        for behind in self.pipeline { total = Self.earlier(total, behind.exchange.totalDeadline) }
        guard let deadline = Self.earlier(idle, total) else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.timer.arm(deadline, on: context.eventLoop) { bound.value.timerFired() }
    }

    private func timerFired() {
        self.timer.didFire()
        guard let active else { return }
        let now = NIODeadline.now()
        for behind in self.pipeline where behind.exchange.totalDeadline.map({ $0 <= now }) ?? false {
            // Its reply will come and find that nobody waits.
            behind.reply.fail(.late(.total, "the exchange took longer than its limit in all"))
        }
        if let total = active.exchange.totalDeadline, total <= now {
            return self.fail(.late(.total, "the exchange took longer than its limit in all"))
        }
        if let limit = active.exchange.request.timeouts.idle, self.lastActivity + TimeAmount(limit) <= now {
            if self.isWaitingForConsumer || active.pump?.isReading ?? false {
                // Our own side is slow, not the peer.
                self.lastActivity = now
            } else if active.reply.head != nil {
                return self.fail(.late(.body, "the peer did not send any byte of the reply's body for \(limit)"))
            } else if !active.isRequestSent {
                return self.fail(.late(.write, "the peer did not take any byte of the request for \(limit)"))
            } else {
                return self.fail(.late(.head, "the peer did not reply for \(limit)"))
            }
        }
        self.armTimer()
    }

    private static func earlier(_ left: NIODeadline?, _ right: NIODeadline?) -> NIODeadline? {
        guard let left, let right else { return left ?? right }
        return Swift.min(left, right)
    }
}
