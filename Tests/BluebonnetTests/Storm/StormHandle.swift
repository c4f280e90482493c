// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// An operation under way, which anything may cancel at any moment, on any thread and any number of times.
final class StormHandle: Sendable {
    private struct State {
        var cancellations: [@Sendable () -> Void] = []
        var isCancelled = false
        /// The events of the operation so far, and after how many of them it is cancelled by who reports them.
        var eventCount = 0
        var lastEvent: Int?
        var step = "begins"
    }

    let number: Int
    let operation: StormOperation
    private let state = Mutex(State())

    init(_ number: Int, _ operation: StormOperation, cancelledAfterEvent lastEvent: Int?) {
        self.number = number
        self.operation = operation
        self.state.withLock { $0.lastEvent = lastEvent }
    }

    /// Whether somebody has cancelled it.
    var isCancelled: Bool { self.state.withLock { $0.isCancelled } }

    /// What it did last, for the report of a storm that does not end.
    var step: String {
        get {
            self.state.withLock { state in
                "\(state.step), after \(state.eventCount) events\(state.isCancelled ? ", cancelled" : "")"
            }
        }
        set { self.state.withLock { $0.step = newValue } }
    }

    /// Adds what cancelling it does; done at once if it is cancelled.
    func onCancel(_ cancellation: @escaping @Sendable () -> Void) {
        let isCancelled = self.state.withLock { state in
            state.cancellations.append(cancellation)
            return state.isCancelled
        }
        if isCancelled { cancellation() }
    }

    func cancel() {
        let cancellations = self.state.withLock { state in
            state.isCancelled = true
            return state.cancellations
        }
        for cancellation in cancellations { cancellation() }
    }

    /// Reports an event, which may cancel the operation then and there.
    func noteEvent() {
        let isLast = self.state.withLock { state in
            state.eventCount += 1
            return state.eventCount == state.lastEvent
        }
        if isLast { self.cancel() }
    }
}

/// Who cancels an operation, and when.
struct StormCancellers {
    /// The events after which an observer cancels it; nil for none.
    var event: Int?
    /// After how many steps of a task; each is a task of its own.
    var tasks: [Int] = []
    /// After how many turns of a loop; each is a thread of its own.
    var threads: [Int] = []
    /// Whether it is cancelled before it begins.
    var isFirst = false

    /// Whether it is cancelled for sure, whether or not it has events.
    var isCertain: Bool { self.isFirst || !self.tasks.isEmpty || !self.threads.isEmpty }

    init(_ random: inout SeededGenerator) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: break
        case 3: self.isFirst = true
        case 4, 5: self.event = Int.random(in: 1..<25, using: &random)
        case 6:
            // Several at once, of both kinds.
            self.event = Int.random(in: 1..<15, using: &random)
            let count = Int.random(in: 0..<300, using: &random)
            self.tasks = [count, count]
            self.threads = [count * 100, count * 100]
        case 7: self.threads = [Int.random(in: 0..<200_000, using: &random)]
        default:
            let most = [5, 50, 500, 3000].randomElement(using: &random) ?? 5
            self.tasks = [Int.random(in: 0..<most, using: &random)]
        }
    }

    func start(on handle: StormHandle) {
        if self.isFirst { handle.cancel() }
        for count in self.tasks {
            Task {
                for _ in 0..<count { await Task.yield() }
                handle.cancel()
            }
        }
        for count in self.threads {
            Thread.detachNewThread {
                let turns = Atomic(0)
                while turns.add(1, ordering: .relaxed).newValue < count {}
                handle.cancel()
            }
        }
    }
}
