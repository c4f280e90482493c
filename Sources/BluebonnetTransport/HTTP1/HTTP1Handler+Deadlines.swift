// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Time: one timer per connection, which looks again instead of being re-armed for every byte.
extension HTTP1Handler {
    /// Makes sure that the timer looks no later than the next deadline.
    func armTimer() {
        guard let context, let deadline = self.state.deadline else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.timer.arm(deadline, self.pool.clock, on: context.eventLoop) { bound.value.timerFired() }
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
        if let fault = due.fault { self.fail(fault) } else { self.armTimer() }
    }

    /// How many bytes wait to be sent.
    var bufferedByteCount: Int {
        (try? self.context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
