// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Connect back-off: after a failed connection attempt, a lane waits before it tries again.
///
/// The first failure is reported at once. Later requests of the lane wait together, and then one connection is
/// attempted for all of them. Its success ends the back-off. Its failure fails every request whose time limit is not
/// longer than the attempt's, and starts a longer delay if no such request is left. While the lane has an established
/// connection, for which the others can wait, only the request that has waited longest fails.
extension PoolState {
    /// The back-off of one lane.
    struct LaneBackoff {
        /// The number of consecutive failed attempts.
        var failureCount = 0
        /// Whether no attempt may be made now.
        var isHolding = true
        /// When the next attempt may be made.
        var release: NIODeadline
        /// When the back-off is forgotten, unless another attempt fails.
        var end: NIODeadline
    }

    /// Whether the back-off of a lane prevents another connection.
    func isHeldBack(_ lane: Lane) -> Bool {
        guard let backoff = lane.backoff else { return false }
        return backoff.isHolding || lane.connectingCount > 0
    }

    /// Starts or extends the back-off after a failed attempt; attempts that began before the back-off change nothing.
    ///
    /// - Parameters:
    ///   - lane: The lane.
    ///   - jitter: The position in the range of the delay, from 0 to 1.
    ///   - now: The current time.
    mutating func beginBackoff(_ lane: Lane, jitter: Double, now: NIODeadline) {
        guard let options = self.rules.backoff, lane.backoff.map({ !$0.isHolding }) ?? true else { return }
        if lane.backoff == nil { self.backoffCount += 1 }
        let count = (lane.backoff?.failureCount ?? 0) + 1
        let release = now + options.delay(after: count, jitter: jitter)
        lane.backoff = LaneBackoff(failureCount: count, release: release, end: release + TimeAmount(options.maximum))
        self.agenda.add(lane, at: release)
        self.hold(lane.waiters.lazy.compactMap(\.patience).min(), in: lane, now: now)
    }

    /// Shortens the back-off of a lane to what one of its requests can wait.
    mutating func hold(_ patience: TimeAmount?, in lane: Lane, now: NIODeadline) {
        guard let backoff = lane.backoff, backoff.isHolding, let patience, now + patience < backoff.release else {
            return
        }
        lane.backoff?.release = now + patience
        self.agenda.add(lane, at: now + patience)
    }

    /// Checks whether an attempt may be made again, or the back-off be forgotten.
    mutating func updateBackoff(_ lane: Lane, now: NIODeadline) {
        guard let backoff = lane.backoff else { return }
        if backoff.end <= now, lane.connectingCount == 0, lane.waiters.isEmpty {
            self.endBackoff(lane)
        } else if backoff.release <= now {
            lane.backoff?.isHolding = false
        }
    }

    /// Ends the back-off of a lane.
    mutating func endBackoff(_ lane: Lane) {
        guard lane.backoff != nil else { return }
        lane.backoff = nil
        self.backoffCount -= 1
    }

    /// Ends all back-offs, because attempts may succeed now: for example, the network has changed.
    ///
    /// - Returns: The connections to make.
    mutating func endBackoffs() -> [Dial] {
        var dials = [Dial]()
        for lane in Array(self.lanes.values) where lane.backoff != nil {
            self.endBackoff(lane)
            while let dial = self.nextDial(lane) { dials.append(dial) }
            self.forget(lane)
        }
        return dials
    }
}
