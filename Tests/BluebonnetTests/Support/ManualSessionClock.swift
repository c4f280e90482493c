// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Synchronization

@testable import Bluebonnet

/// A clock that a test sets; whoever sleeps wakes up when it is advanced far enough.
final class ManualSessionClock: Sendable {
    private struct State {
        var now = SessionClock.Instant.now
        var lastID = 0
        var sleepers: [Int: (deadline: SessionClock.Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var sleepCount = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// The clock for a configuration.
    var clock: SessionClock {
        SessionClock(now: { self.state.withLock { $0.now } }, sleep: { try await self.sleep(until: $0) })
    }

    /// A session with this clock, and otherwise the default configuration.
    func session(_ transport: some Transport) -> Session {
        var configuration = Session.Configuration()
        configuration.clock = self.clock
        return Session(configuration: configuration, transport: transport)
    }

    /// Moves the time, and wakes everyone whose time has come.
    func advance(by duration: Duration) {
        let due = self.state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    /// The number of those who sleep now.
    var sleeperCount: Int { self.state.withLock { $0.sleepers.count } }

    /// Waits until a number of sleeps have begun since the clock was made.
    func waitForSleeps(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = self.state.withLock { state in
                if state.sleepCount < count { state.waiters.append((count, continuation)) }
                return state.sleepCount >= count
            }
            if isThere { continuation.resume() }
        }
    }

    private func sleep(until deadline: SessionClock.Instant) async throws {
        let id = self.state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (outcome, ready) = self.state.withLock {
                    state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
                    state.sleepCount += 1
                    let ready = state.waiters.filter { $0.count <= state.sleepCount }.map(\.continuation)
                    state.waiters.removeAll { $0.count <= state.sleepCount }
                    if Task.isCancelled { return (.failure(CancellationError()), ready) }
                    if deadline <= state.now { return (.success(()), ready) }
                    state.sleepers[id] = (deadline, continuation)
                    return (nil, ready)
                }
                if let outcome { continuation.resume(with: outcome) }
                for waiter in ready { waiter.resume() }
            }
        } onCancel: {
            self.state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(
                throwing: CancellationError()
            )
        }
    }
}
