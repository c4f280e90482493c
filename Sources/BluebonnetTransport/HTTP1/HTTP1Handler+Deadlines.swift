// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Time: one timer per connection, which looks again instead of being set anew for every byte.
extension HTTP1Handler {
    /// Makes sure that the timer looks no later than the next deadline.
    func armTimer() {
        guard let active, let context else { return }
        let idle = active.exchange.request.timeouts.idle.map { self.lastActivity + TimeAmount($0) }
        guard let deadline = Self.earlier(idle, active.exchange.totalDeadline) else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.timer.arm(deadline, on: context.eventLoop) { bound.value.timerFired() }
    }

    private func timerFired() {
        self.timer.didFire()
        guard let active else { return }
        let now = NIODeadline.now()
        if let total = active.exchange.totalDeadline, total <= now {
            return self.fail(Self.late(.total, "the exchange took longer than its limit in all"))
        }
        if let limit = active.exchange.request.timeouts.idle, self.lastActivity + TimeAmount(limit) <= now {
            if self.isWaitingForConsumer || active.pump?.isReading ?? false {
                // Our own side is slow, not the peer.
                self.lastActivity = now
            } else if !active.isRequestSent {
                return self.fail(Self.late(.write, "the peer did not take any byte of the request for \(limit)"))
            } else if active.reply.head == nil {
                return self.fail(Self.late(.head, "the peer did not reply for \(limit)"))
            } else {
                return self.fail(Self.late(.body, "the peer did not send any byte of the reply's body for \(limit)"))
            }
        }
        self.armTimer()
    }

    private static func late(_ phase: TransportError.Phase, _ reason: String) -> TransportError {
        TransportError(.timedOut, phase: phase, reason: reason, isRequestSent: true)
    }

    private static func earlier(_ left: NIODeadline?, _ right: NIODeadline?) -> NIODeadline? {
        guard let left, let right else { return left ?? right }
        return Swift.min(left, right)
    }
}

/// A timer that is set anew only for an earlier moment; for a later one it fires, finds nothing due and is armed again.
struct DeadlineTimer {
    private var task: Scheduled<Void>?
    private var deadline: NIODeadline?

    mutating func arm(_ deadline: NIODeadline, on eventLoop: any EventLoop, _ action: @escaping @Sendable () -> Void) {
        if let armed = self.deadline, armed <= deadline { return }
        self.task?.cancel()
        self.deadline = deadline
        self.task = eventLoop.scheduleTask(deadline: deadline, action)
    }

    mutating func didFire() {
        self.task = nil
        self.deadline = nil
    }

    mutating func cancel() {
        self.task?.cancel()
        self.didFire()
    }
}
