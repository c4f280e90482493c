// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Fairness of shared connections: one that is busy could serve its own origin without end, and would never become free
/// for a request to another origin that needs its place in the total.
///
/// While such a request has waited longer, the requests of the connection's lane wait in their queue, although the
/// connection has room. The connection finishes its exchanges, and ``PoolState/release(_:mayPipeline:now:)`` closes it.
/// If the other request gets a connection elsewhere, or is no longer wanted, the queue continues.
extension PoolState {
    /// Requests that continue on shared connections, and the connections to make for those behind them.
    struct Resumption {
        /// A request to start.
        struct Start {
            let connection: Connection
            let request: Request
        }

        var starts = [Start]()
        var dials = [Dial]()
    }

    /// Whether a shared connection can carry one more exchange, which is a request's.
    ///
    /// The peer may refuse an exchange beyond a number that it has not announced yet.
    func hasRoom(_ slot: Slot, for request: Request) -> Bool {
        slot.lentCount < slot.capacity && (slot.isCapacityKnown || !self.needsKnownCapacity(request))
    }

    /// Notes that the requests of a lane wait beside room on a shared connection.
    mutating func giveWay(_ lane: Lane) {
        guard !lane.isGivingWay else { return }
        if self.givingWay.isEmpty { self.lastLongest = self.longestStarved()?.order ?? 0 }
        lane.isGivingWay = true
        self.givingWay.append(lane)
    }

    /// Removes and returns the requests that need not wait any longer for a request of another lane.
    ///
    /// The lanes that give way are visited only if another request has become the one that has waited longest.
    ///
    /// - Returns: The actions; nil if no lane may continue, which is nearly always the case.
    mutating func takeResumption() -> Resumption? {
        guard !self.givingWay.isEmpty else { return nil }
        let longest = self.longestStarved()?.order ?? 0
        guard longest != self.lastLongest else { return nil }
        self.lastLongest = longest
        let lanes = self.givingWay
        self.givingWay = []
        var resumption = Resumption()
        for lane in lanes {
            lane.isGivingWay = false
            // A lane that still gives way is noted again.
            for slot in lane.shared { self.resume(slot, into: &resumption) }
            while let dial = self.nextDial(lane) { resumption.dials.append(dial) }
        }
        return resumption
    }

    private mutating func resume(_ slot: Slot, into resumption: inout Resumption) {
        while slot.lentCount < slot.capacity, let waiter = self.takeWaiter(for: slot) {
            if slot.lentCount == 0 { slot.lane.idle.removeAll { $0 === slot } }
            self.lend(slot, pipelines: waiter.pipelines)
            resumption.starts.append(Resumption.Start(connection: slot.connection, request: waiter.request))
        }
    }
}
