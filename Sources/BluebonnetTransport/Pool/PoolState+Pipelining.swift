// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

// Without it `removeFirst()` is that of the standard library, which leaves the element in the storage of a circular buffer.
import NIOCore

/// Requests that are sent behind others on a connection of HTTP/1.1 before their responses have come (RFC 9112 section 9.3.2).
///
/// A connection pipelines while all that it carries may be sent behind one another, and its last response has shown that it can be
/// relied on. A free connection goes first; a place behind others goes before a new connection. Nobody overtakes the queue: a request
/// joins only if none of its lane waits, and a place that becomes free is the next one's, who may be one that needs the connection
/// for itself. Then nothing joins until the connection carries nothing.
extension PoolState {
    /// The connection of a lane that a new request may be sent on behind others: the one that carries the fewest.
    mutating func joinable(_ lane: Lane) -> Slot? {
        guard !lane.pipelining.isEmpty, self.firstWaiter(lane) == nil else { return nil }
        // A waiter that needs an exclusive connection waits until it carries nothing; joining would put that off for ever.
        guard !self.yields(lane, serves: true) else { return nil }
        return lane.pipelining.filter { self.hasPlace($0) }.min { $0.lentCount < $1.lentCount }
    }

    /// Takes the request that is next in a lane out of the queue, if the connection has room for it.
    mutating func takeWaiter(for slot: Slot) -> Waiter? {
        guard !slot.isRetiring, let first = self.firstWaiter(slot.lane) else { return nil }
        if slot.lentCount >= slot.capacity {
            guard first.pipelines, slot.isPipelining, self.hasPlace(slot) else { return nil }
            guard !self.yields(slot.lane, serves: true) else { return nil }
        }
        return slot.lane.waiters.removeFirst()
    }

    /// Whether one more request may be sent behind those that a connection carries.
    private func hasPlace(_ slot: Slot) -> Bool {
        slot.lentCount < self.rules.maximumPipelineDepth && slot.useCount < self.rules.maximumUses
    }

    /// A connection was lent to a request that others may be sent behind.
    mutating func beginPipelining(_ slot: Slot) {
        guard !slot.isPipelining, !slot.isShared, slot.mayPipeline, slot.lentCount == 1 else { return }
        slot.isPipelining = true
        slot.lane.pipelining.append(slot)
    }

    /// Nothing is sent behind what a connection carries any more.
    mutating func endPipelining(_ slot: Slot) {
        guard slot.isPipelining else { return }
        slot.isPipelining = false
        slot.lane.pipelining.removeAll { $0 === slot }
    }
}
