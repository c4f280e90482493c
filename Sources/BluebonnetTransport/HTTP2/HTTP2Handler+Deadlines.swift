// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Time: one timer per connection, which checks every stream when the earliest deadline may have come.
extension HTTP2Handler {
    /// How long a request whose body can be read only once waits for the server's SETTINGS.
    private static let settingsPatience = TimeAmount.seconds(1)

    /// Limits the wait for the server's SETTINGS.
    func awaitSettings() {
        self.settingsDeadline = self.pool.clock.now() + Self.settingsPatience
        self.arm(self.settingsDeadline)
    }

    /// Lets the requests that wait for the server's SETTINGS start when they do not come: a silent server then exceeds
    /// the limits of each of them.
    private func checkSettings(_ now: NIODeadline) {
        guard let settingsDeadline else { return }
        guard settingsDeadline <= now || self.isCapacityKnown else { return self.arm(settingsDeadline) }
        self.settingsDeadline = nil
        guard !self.isCapacityKnown, let connection else { return }
        self.pool.changeCapacity(of: connection, to: self.capacity)
    }

    /// Makes sure that the timer fires no later than the next deadline of a stream.
    func armTimer(for stream: Stream) {
        self.arm(self.state.nextLook(at: stream, after: self.pool.clock.now()))
    }

    /// Makes sure that the timer fires no later than a deadline.
    func arm(_ deadline: NIODeadline?) {
        guard let deadline, let context else { return }
        self.timer.arm(deadline, self.pool.clock, on: context.eventLoop, of: self) { $0.timerFired() }
    }

    private func timerFired() {
        self.timer.didFire()
        let now = self.pool.clock.now()
        self.checkSettings(now)
        let late = self.state.findLate(now: now, unsentByteCount: self.context?.unsentByteCount ?? 0) { stream in
            (stream.io.response.isStalled, stream.io.pump?.isReading ?? false)
        }
        for (stream, error, silence) in late {
            if let silence { self.retire(silentSince: silence, for: stream, error) }
            self.reject(stream, error, code: .cancel)
        }
        switch self.state.checkPulse(now) {
        case .quiet(let deadline): self.arm(.earlier(self.state.nextLook(after: now), deadline))
        case .ping(let deadline):
            HTTP2FrameWriter.ping(0, isAcknowledgement: false, into: &self.outbound)
            self.flush()
            self.arm(.earlier(self.state.nextLook(after: now), deadline))
        case .dead(let timeout):
            self.failAll(.late(.responseHead, "the connection is dead: a ping was not answered for \(timeout.asLimit)"))
            self.close()
        }
    }

    /// Retires the connection if nothing has come on it until a stream that waited for the server was late: it may be dead, and the next
    /// request would fail for the same silence.
    private func retire(silentSince silence: NIODeadline, for stream: Stream, _ error: TransportError) {
        guard let connection, !stream.io.response.isStalled, stream.io.pump?.isReading != true else { return }
        if self.pool.retireSilent(connection, since: silence, error) { self.state.retire() }
    }
}
