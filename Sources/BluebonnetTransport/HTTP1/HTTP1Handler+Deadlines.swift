// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Time: one timer per connection, which checks again instead of being re-armed for every byte.
extension HTTP1Handler {
    /// Makes sure that the timer fires no later than the next deadline.
    func armTimer() {
        guard let context, let look = self.state.nextLook(after: self.pool.clock.now()) else { return }
        self.timer.arm(look, self.pool.clock, on: context.eventLoop, of: self) { $0.timerFired() }
    }

    private func timerFired() {
        self.timer.didFire()
        let due = self.state.findLate(
            now: self.pool.clock.now(),
            isStalled: self.isWaitingForConsumer,
            isReading: self.active?.io.pump?.isReading ?? false,
            unsentByteCount: self.context?.unsentByteCount ?? 0
        )
        for (entry, error) in due.behind { entry.io.response.fail(error) }
        guard let fault = due.active else { return self.armTimer() }
        let late = self.active
        // If the end of the response has been received and only the consumer is slow, the exchange is complete.
        if self.isWaitingForConsumer { self.readResponse(drains: true) }
        guard self.active !== late else {
            if let silence = due.silence, let connection { self.pool.retireSilent(connection, since: silence, fault) }
            return self.fail(fault)
        }
        self.handOver()
        self.armTimer()
    }
}
