// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Time: one timer per connection, which looks at every stream when the earliest deadline may have come.
extension HTTP2Handler {
    /// Makes sure that the timer looks no later than the next deadline of a stream.
    func armTimer(for stream: HTTP2Stream) {
        var deadline = self.deadline(of: stream)
        if let interval = self.options.pingInterval {
            deadline = Self.earlier(deadline, self.lastHeard + TimeAmount(interval))
        }
        self.arm(deadline)
    }

    private func arm(_ deadline: NIODeadline?) {
        guard let deadline, let context else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.timer.arm(deadline, self.pool.clock, on: context.eventLoop) { bound.value.timerFired() }
    }

    private func timerFired() {
        self.timer.didFire()
        let now = self.pool.clock.now()
        self.noteProgress(now: now)
        for stream in self.streams.values.sorted(by: { $0.id < $1.id }) { self.check(stream, now: now) }
        guard !self.streams.isEmpty else { return }
        var next = self.checkPulse(now: now)
        for stream in self.streams.values { next = Self.earlier(next, self.deadline(of: stream)) }
        self.arm(next)
    }

    /// Gives the streams more time whose last bytes wait in the channel, if the peer has taken some since somebody last looked.
    private func noteProgress(now: NIODeadline) {
        let unsent = self.unsentByteCount
        guard self.progress.note(waiting: unsent), unsent > 0 else { return }
        for stream in self.streams.values where self.progress.isWaiting(stream.sendMark, waiting: unsent) {
            stream.lastActivity = now
            stream.responseAwaited = now
        }
    }

    private func deadline(of stream: HTTP2Stream) -> NIODeadline? {
        let limit = stream.stage.limit(stream.exchange.request.timeouts)
        return Self.earlier(limit.map { stream.stageStart + TimeAmount($0) }, stream.exchange.totalDeadline)
    }

    private func check(_ stream: HTTP2Stream, now: NIODeadline) {
        if let total = stream.exchange.totalDeadline, total <= now {
            return self.reject(
                stream,
                .late(.total, "the exchange took longer than its limit in all"),
                code: .cancel
            )
        }
        let stage = stream.stage
        guard let limit = stage.limit(stream.exchange.request.timeouts), stream.stageStart + TimeAmount(limit) <= now
        else {
            return
        }
        // A source is the slow side only if the peer has taken all that came from it.
        let isReading = stream.pump?.isReading ?? false && stream.pendingByteCount == 0
        if stream.response.isStalled
            || (isReading && !self.progress.isWaiting(stream.sendMark, waiting: self.unsentByteCount))
        {
            // Our own side is slow, not the peer.
            stream.lastActivity = now
        } else {
            self.reject(stream, stage.error(limit), code: .cancel)
        }
    }

    /// Asks a peer that has been silent whether it is alive, and gives up on one that does not answer.
    ///
    /// - Returns: When to look again.
    private func checkPulse(now: NIODeadline) -> NIODeadline? {
        guard let interval = self.options.pingInterval else { return nil }
        // Whatever the peer has sent since then shows that it is alive.
        if let sent = self.pingSent, self.lastHeard > sent { self.pingSent = nil }
        if let sent = self.pingSent {
            let deadline = sent + TimeAmount(self.options.pingTimeout)
            guard deadline <= now else { return deadline }
            self.failAll(
                .late(
                    .responseHead,
                    "the connection is dead: a ping was not answered for \(self.options.pingTimeout.asLimit)"
                )
            )
            self.close()
            return nil
        }
        guard self.lastHeard + TimeAmount(interval) <= now else { return self.lastHeard + TimeAmount(interval) }
        self.pingSent = now
        HTTP2FrameWriter.ping(0, isAcknowledgement: false, into: &self.outbound)
        self.flush()
        return now + TimeAmount(self.options.pingTimeout)
    }

    private static func earlier(_ left: NIODeadline?, _ right: NIODeadline?) -> NIODeadline? {
        guard let left, let right else { return left ?? right }
        return Swift.min(left, right)
    }
}
