// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Time: one timer per connection, which looks again instead of being re-armed for every byte.
extension HTTP1Handler {
    /// Makes sure that the timer looks no later than the next deadline.
    func armTimer() {
        guard let active, let context else { return }
        let limit = active.stage.limit(active.exchange.request.timeouts)
        let stageEnd = limit.map { self.stageStart(active) + TimeAmount($0) }
        let own = Self.earlier(stageEnd, active.totalDeadline)
        let behind = self.pipeline.isEmpty ? nil : self.pipeline.deadline
        guard let deadline = Self.earlier(own, behind) else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.timer.arm(deadline, self.pool.clock, on: context.eventLoop) { bound.value.timerFired() }
    }

    /// When the limit of the present phase began to run: that on the response's head is absolute, those on bodies are on silence.
    private func stageStart(_ active: Active) -> NIODeadline {
        active.stage == .waiting ? self.responseAwaited : self.lastActivity
    }

    /// Notes how many bytes wait to be sent, so that a peer that takes some is seen to be alive before it has taken them all.
    func noteUnsent() {
        self.unsentByteCount = self.bufferedByteCount
    }

    /// How many bytes wait to be sent.
    var bufferedByteCount: Int {
        (try? self.context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// Whether the peer has taken bytes since that was last noted.
    private func hasTakenBytes() -> Bool {
        let before = self.unsentByteCount
        self.noteUnsent()
        return self.unsentByteCount < before
    }

    private func timerFired() {
        self.timer.didFire()
        guard let active else { return }
        let now = self.pool.clock.now()
        self.pipeline.failLate(now: now)
        if let total = active.totalDeadline, total <= now {
            return self.fail(.late(.total, "the exchange took longer than its limit in all"))
        }
        let stage = active.stage
        if let limit = stage.limit(active.exchange.request.timeouts), self.stageStart(active) + TimeAmount(limit) <= now
        {
            // A source is the slow side only if the peer has taken all that came from it.
            let isOurs = self.isWaitingForConsumer || (active.pump?.isReading ?? false && self.bufferedByteCount == 0)
            guard isOurs || (stage == .sending && self.hasTakenBytes()) else { return self.fail(stage.error(limit)) }
            // Our own side is slow, not the peer; or the peer is slow and not silent.
            self.lastActivity = now
        }
        self.armTimer()
    }

    private static func earlier(_ left: NIODeadline?, _ right: NIODeadline?) -> NIODeadline? {
        guard let left, let right else { return left ?? right }
        return Swift.min(left, right)
    }
}
