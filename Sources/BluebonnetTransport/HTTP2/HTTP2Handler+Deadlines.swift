// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Time: one timer per connection, which looks at every stream when the earliest deadline may have come.
extension HTTP2Handler {
    /// Makes sure that the timer looks as soon as a stream may be late.
    func armTimer(for stream: Stream) {
        self.arm(.earlier(self.state.deadline(of: stream), stream.nextLook(after: self.pool.clock.now())))
    }

    /// Makes sure that the timer looks at a time at the latest.
    func arm(_ deadline: NIODeadline?) {
        guard let deadline, let context else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.timer.arm(deadline, self.pool.clock, on: context.eventLoop) { bound.value.timerFired() }
    }

    private func timerFired() {
        self.timer.didFire()
        let now = self.pool.clock.now()
        let late = self.state.findLate(now: now, unsentByteCount: self.unsentByteCount) { stream in
            (stream.io.response.isStalled, stream.io.pump?.isReading ?? false)
        }
        for (stream, error) in late { self.reject(stream, error, code: .cancel) }
        let pulse = self.state.checkPulse(now)
        let look = NIODeadline.earlier(self.state.deadline, self.state.nextLook(after: now))
        switch pulse {
        case .quiet(let deadline): self.arm(.earlier(look, deadline))
        case .ping(let deadline):
            HTTP2FrameWriter.ping(0, isAcknowledgement: false, into: &self.outbound)
            self.flush()
            self.arm(.earlier(look, deadline))
        case .dead(let timeout):
            self.failAll(.late(.responseHead, "the connection is dead: a ping was not answered for \(timeout.asLimit)"))
            self.close()
        }
    }
}
