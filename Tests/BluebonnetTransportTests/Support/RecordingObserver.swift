// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Synchronization

/// Remembers the events of every exchange, and lets a test wait for one.
final class RecordingObserver: TransportObserver {
    private struct State {
        var events = [(exchange: ExchangeID, event: TransportEvent)]()
        var waiters = [
            (isWanted: @Sendable ([TransportEvent]) -> Bool, continuation: CheckedContinuation<Void, Never>)
        ]()
    }

    private let state = Mutex(State())

    func observe(_ event: TransportEvent, of exchange: ExchangeID) {
        let ready = self.state.withLock { state in
            state.events.append((exchange, event))
            let events = state.events.map(\.event)
            let ready = state.waiters.filter { $0.isWanted(events) }
            state.waiters.removeAll { $0.isWanted(events) }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Waits until the events so far, of all exchanges, are what a test wants.
    func wait(_ isWanted: @escaping @Sendable ([TransportEvent]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isReady = self.state.withLock { state in
                if isWanted(state.events.map(\.event)) { return true }
                state.waiters.append((isWanted, continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    /// Waits until an event of this name came.
    func wait(for name: String) async {
        await self.wait { events in events.contains { $0.name == name } }
    }

    /// Waits until as many exchanges are over.
    func waitForEnds(_ count: Int) async {
        await self.wait { events in events.count { $0.isLast } >= count }
    }

    /// The names of the events of each exchange, in the order in which the exchanges began.
    var names: [[String]] {
        let events = self.state.withLock { $0.events }
        let exchanges = Set(events.map(\.exchange)).sorted { $0.number < $1.number }
        return exchanges.map { exchange in events.filter { $0.exchange == exchange }.map(\.event.name) }
    }

    /// All events of all exchanges.
    var events: [TransportEvent] { self.state.withLock { $0.events.map(\.event) } }
}

extension TransportEvent {
    /// The name of the case.
    var name: String { String("\(self)".prefix { $0 != "(" }) }

    var isLast: Bool { ["ended", "failed", "cancelled"].contains(self.name) }
}
