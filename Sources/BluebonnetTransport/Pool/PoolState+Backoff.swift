// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Connect back-off: after a connection could not be made, a lane waits before it tries again.
///
/// The first failure is reported at once; what comes after it waits, all requests of the lane together, and then one connection is tried
/// for all of them. Its success ends the back-off; its failure fails all that had no more time than it, and begins a longer wait if nobody
/// is left.
extension PoolState {
    /// The back-off of one lane.
    struct LaneBackoff {
        /// How many attempts have failed one after the other.
        var failureCount = 0
        /// Whether no attempt may be made now.
        var isHolding = true
        /// When the next attempt may be made.
        var release: NIODeadline
        /// When it is forgotten, unless another attempt fails.
        var end: NIODeadline
    }

    /// Whether a lane may have one more connection as far as its back-off goes.
    func isHeldBack(_ lane: Lane) -> Bool {
        guard let backoff = lane.backoff else { return false }
        return backoff.isHolding || lane.connectingCount > 0
    }

    /// An attempt to connect has failed; those that began before the back-off did change nothing.
    ///
    /// - Parameters:
    ///   - lane: The lane.
    ///   - jitter: Where in the range of the delay it is to be, from 0 to 1.
    ///   - now: The time.
    mutating func beginBackoff(_ lane: Lane, jitter: Double, now: NIODeadline) {
        guard let options = self.rules.backoff, lane.backoff.map({ !$0.isHolding }) ?? true else { return }
        if lane.backoff == nil { self.backoffCount += 1 }
        let count = (lane.backoff?.failureCount ?? 0) + 1
        let release = now + options.delay(after: count, jitter: jitter)
        lane.backoff = LaneBackoff(failureCount: count, release: release, end: release + TimeAmount(options.maximum))
        self.agenda.add(lane, at: release)
        self.hold(lane.waiters.lazy.compactMap(\.patience).min(), in: lane, now: now)
    }

    /// A request waits for the end of the back-off, no longer than it can.
    mutating func hold(_ patience: TimeAmount?, in lane: Lane, now: NIODeadline) {
        guard let backoff = lane.backoff, backoff.isHolding, let patience, now + patience < backoff.release else {
            return
        }
        lane.backoff?.release = now + patience
        self.agenda.add(lane, at: now + patience)
    }

    /// Looks whether an attempt may be made again, or the back-off be forgotten.
    mutating func updateBackoff(_ lane: Lane, now: NIODeadline) {
        guard let backoff = lane.backoff else { return }
        if backoff.end <= now, lane.connectingCount == 0, lane.waiters.isEmpty {
            self.endBackoff(lane)
        } else if backoff.release <= now {
            lane.backoff?.isHolding = false
        }
    }

    /// The back-off of a lane is over.
    mutating func endBackoff(_ lane: Lane) {
        guard lane.backoff != nil else { return }
        lane.backoff = nil
        self.backoffCount -= 1
    }

    /// Something has changed that makes attempts worth while: the network, for example.
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
