// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Time: one timer per connection, which looks again instead of being re-armed for every byte.
extension HTTP1Handler {
    /// Makes sure that the timer looks as soon as something may be late.
    func armTimer() {
        guard let context, let look = self.state.nextLook(after: self.pool.clock.now()) else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.timer.arm(look, self.pool.clock, on: context.eventLoop) { bound.value.timerFired() }
    }

    private func timerFired() {
        self.timer.didFire()
        let due = self.state.findLate(
            now: self.pool.clock.now(),
            isStalled: self.isWaitingForConsumer,
            isReading: self.active?.io.pump?.isReading ?? false,
            unsentByteCount: self.bufferedByteCount
        )
        for (entry, error) in due.behind { entry.io.response.fail(error) }
        guard let fault = due.fault else { return self.armTimer() }
        let late = self.active
        // Its end waits here for the consumer, if it has come; if so, only the consumer is late.
        if self.isWaitingForConsumer { self.readResponse(drains: true) }
        guard self.active !== late else { return self.fail(fault) }
        self.handOver()
        self.armTimer()
    }

    /// How many bytes wait to be sent.
    var bufferedByteCount: Int {
        (try? self.context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
