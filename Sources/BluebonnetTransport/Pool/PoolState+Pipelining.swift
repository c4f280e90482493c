// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

// Without it, `removeFirst()` is the standard library's, which leaves the element in the storage of a circular buffer.
import NIOCore

/// Pipelining: requests that are sent on an HTTP/1.1 connection before the responses to earlier ones (RFC 9112 section
/// 9.3.2).
///
/// A connection pipelines while all its requests permit it, and its last response shows that it is reliable. A free
/// connection is preferred to a place in a pipeline, and a place in a pipeline to a new connection. The queue is never
/// overtaken: a request joins a pipeline only if no request of its lane waits, and a free place goes to the next
/// waiter. If that waiter needs an exclusive connection, no request joins until the connection is free.
extension PoolState {
    /// Returns the connection of a lane on which a new request may be pipelined: the one with the fewest requests.
    mutating func joinable(_ lane: Lane) -> Slot? {
        guard !lane.pipelining.isEmpty, self.firstWaiter(lane) == nil else { return nil }
        // A waiter that needs an exclusive connection waits until the connection is free; joining would delay it
        // indefinitely.
        guard !self.yields(lane, serves: true) else { return nil }
        return lane.pipelining.filter { self.hasPlace($0) }.min { $0.lentCount < $1.lentCount }
    }

    /// Removes and returns the next waiting request of a lane, if the connection has room for it.
    mutating func takeWaiter(for slot: Slot) -> Waiter? {
        guard !slot.isRetiring, let first = self.firstWaiter(slot.lane) else { return nil }
        if slot.lentCount >= slot.capacity {
            guard first.pipelines, slot.isPipelining, self.hasPlace(slot) else { return nil }
            guard !self.yields(slot.lane, serves: true) else { return nil }
        } else if slot.isShared, slot.lentCount > 0, self.yields(slot.lane, serves: true) {
            self.giveWay(slot.lane)
            return nil
        } else if !slot.isCapacityKnown, self.needsKnownCapacity(first.request) {
            return nil
        }
        return slot.lane.waiters.removeFirst()
    }

    /// Whether a connection has room for one more pipelined request.
    private func hasPlace(_ slot: Slot) -> Bool {
        slot.lentCount < self.rules.maximumPipelineDepth && slot.useCount < self.rules.maximumUses
    }

    /// Starts pipelining on a connection that was leased to a request that permits it.
    mutating func beginPipelining(_ slot: Slot) {
        guard !slot.isPipelining, !slot.isShared, slot.mayPipeline, slot.lentCount == 1 else { return }
        slot.isPipelining = true
        slot.lane.pipelining.append(slot)
    }

    /// Stops pipelining on a connection.
    mutating func endPipelining(_ slot: Slot) {
        guard slot.isPipelining else { return }
        slot.isPipelining = false
        slot.lane.pipelining.removeAll { $0 === slot }
    }
}
