// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import NIOCore
import NIOPosix
import Synchronization

/// A clock that stands still until a test turns it; what falls due then happens on its event loop.
final class ManualClock: ManualTime {
    private struct Entry {
        let id: Int
        let deadline: NIODeadline
        let eventLoop: any EventLoop
        let action: @Sendable () -> Void
    }

    private struct State {
        var elapsed = TimeAmount.zero
        var entries = [Entry]()
        var lastID = 0
    }

    private let state = Mutex(State())
    private let start = NIODeadline.now()

    var now: NIODeadline { self.start + self.state.withLock { $0.elapsed } }

    /// How far it was turned.
    var elapsed: Duration { .nanoseconds(self.state.withLock { $0.elapsed.nanoseconds }) }

    /// The number of timers that are set.
    var timerCount: Int { self.state.withLock { $0.entries.count } }

    func schedule(
        at deadline: NIODeadline,
        on eventLoop: any EventLoop,
        _ action: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let id = self.state.withLock { state -> Int? in
            guard deadline > self.start + state.elapsed else { return nil }
            state.lastID += 1
            state.entries.append(Entry(id: state.lastID, deadline: deadline, eventLoop: eventLoop, action: action))
            return state.lastID
        }
        guard let id else {
            eventLoop.execute(action)
            return {}
        }
        return { [weak self] in self?.state.withLock { state in state.entries.removeAll { $0.id == id } } }
    }

    /// Turns the clock and waits until what fell due has happened.
    func advance(by duration: Duration) async {
        self.state.withLock { $0.elapsed = $0.elapsed + TimeAmount(duration) }
        while let entry = self.takeDue() { try? await entry.eventLoop.submit(entry.action).get() }
    }

    /// Turns the clock on, step by step, until a task has ended.
    ///
    /// Each event loop has its turn before each step, so that the clock does not run ahead of them on a busy machine.
    ///
    /// - Parameters:
    ///   - step: How far at a time.
    ///   - task: What is waited for.
    ///   - pause: What else happens before each step.
    /// - Returns: What came of the task.
    func advance<Value>(
        by step: Duration,
        until task: Task<Value, any Error>,
        _ pause: @escaping @Sendable () async -> Void = {}
    ) async -> Result<Value, any Error> {
        let isOver = Atomic(false)
        let ticking = Task {
            while !isOver.load(ordering: .relaxed) {
                await pause()
                for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try? await loop.submit {}.get() }
                await self.advance(by: step)
            }
        }
        let result = await task.result
        isOver.store(true, ordering: .relaxed)
        await ticking.value
        return result
    }

    private func takeDue() -> Entry? {
        self.state.withLock { state in
            let now = self.start + state.elapsed
            let due = state.entries.filter { $0.deadline <= now }.min { $0.deadline < $1.deadline }
            if let due { state.entries.removeAll { $0.id == due.id } }
            return due
        }
    }
}

extension TimeAmount {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
