// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Checks for a route; it is used by one task at a time.
protocol RouteProbe: Sendable {
    /// Begins watching.
    ///
    /// - Returns: A sequence with an element for each change that may affect ``status()``, the first at once.
    func changes() -> AsyncStream<Void>

    /// The current status according to the system.
    func status() async -> ReachabilityStatus
}

/// The state of a ``ReachabilityMonitor``, which its copies share.
final class ReachabilityCore: Sendable {
    private struct State {
        var status = ReachabilityStatus.unknown
        /// Whether ``status`` belongs to the current run.
        var isCurrent = false
        /// Whether the program has started the monitor.
        var isStarted = false
        /// The number of callers that wait for a route, for which it runs as well.
        var waiterCount = 0
        /// The task that watches; nil while the monitor is stopped.
        var run: (id: Int, task: Task<Void, Never>)?
        var lastID = 0
        var readers: [Int: Reader] = [:]
    }

    private struct Reader {
        let continuation: AsyncStream<ReachabilityStatus>.Continuation
        /// The status it got last, perhaps in a run before the current one.
        var last: ReachabilityStatus?
    }

    private let state = Mutex(State())
    /// Held while readers get a status, so that each gets them in the same order.
    ///
    /// The end of a reader does not take it: a reader is woken up with a lock of its task held, and the end of its
    /// sequence comes with that lock held, too.
    private let delivery = Mutex(())
    private let probe: any RouteProbe

    init(probe: any RouteProbe) {
        self.probe = probe
    }

    deinit { self.state.withLock { $0.run?.task }?.cancel() }

    var status: ReachabilityStatus { self.state.withLock { $0.status } }

    func start() {
        self.state.withLock { state in
            state.isStarted = true
            self.run(&state)
        }
    }

    /// Ends the run and all sequences.
    func stop() {
        let (task, readers) = self.state.withLock { state -> (Task<Void, Never>?, [Reader]) in
            state.isStarted = false
            let readers = Array(state.readers.values)
            state.readers = [:]
            return (Self.endRun(&state), readers)
        }
        task?.cancel()
        for reader in readers { reader.continuation.finish() }
    }

    /// Runs for somebody who waits, until ``endWaiting()``.
    ///
    /// - Returns: The statuses as of ``makeStream()``: a stop from now on ends them.
    func beginWaiting() -> AsyncStream<ReachabilityStatus> {
        self.makeStream { state in
            state.waiterCount += 1
            self.run(&state)
        }
    }

    /// Ends the run with the last waiter, unless the program has started the monitor; other readers stay.
    func endWaiting() {
        let task = self.state.withLock { state -> Task<Void, Never>? in
            state.waiterCount -= 1
            return state.waiterCount == 0 && !state.isStarted ? Self.endRun(&state) : nil
        }
        task?.cancel()
    }

    /// Begins watching, unless it is running already.
    private func run(_ state: inout State) {
        guard state.run == nil else { return }
        state.lastID += 1
        state.isCurrent = false
        let id = state.lastID
        // Watching begins before the task is scheduled, and under the lock, so that there is one watcher and it misses
        // no later change.
        let changes = self.probe.changes()
        // Owned by this object, which cancels it in stop() or endWaiting(), and at its own end.
        let task = Task { [weak self, probe] in
            for await _ in changes {
                let status = await probe.status()
                guard !Task.isCancelled, let self else { return }
                self.publish(status, run: id)
            }
        }
        state.run = (id, task)
    }

    /// Ends the run.
    ///
    /// - Returns: Its task, to be cancelled without the lock.
    private static func endRun(_ state: inout State) -> Task<Void, Never>? {
        let task = state.run?.task
        state.run = nil
        state.isCurrent = false
        return task
    }

    func makeStream() -> AsyncStream<ReachabilityStatus> { self.makeStream { _ in } }

    /// Makes a stream, with a change of the state under the same lock.
    private func makeStream(_ change: (inout State) -> Void) -> AsyncStream<ReachabilityStatus> {
        let (stream, reader) = AsyncStream.makeStream(
            of: ReachabilityStatus.self,
            bufferingPolicy: .bufferingNewest(64)
        )
        let id = self.delivery.withLock { _ in
            let (id, current) = self.state.withLock { state in
                change(&state)
                state.lastID += 1
                let current = state.isCurrent ? state.status : nil
                state.readers[state.lastID] = Reader(continuation: reader, last: current)
                return (state.lastID, current)
            }
            // Locked: nobody reads yet.
            if let current { reader.yield(current) }
            return id
        }
        // Keeps the monitor alive while the stream is read.
        reader.onTermination = { _ in self.state.withLock { _ = $0.readers.removeValue(forKey: id) } }
        return stream
    }

    private func publish(_ status: ReachabilityStatus, run id: Int) {
        self.delivery.withLock { _ in
            let readers = self.state.withLock { state -> [AsyncStream<ReachabilityStatus>.Continuation] in
                guard state.run?.id == id, !state.isCurrent || state.status != status else { return [] }
                state.status = status
                state.isCurrent = true
                let behind = state.readers.filter { $0.value.last != status }
                for key in behind.keys { state.readers[key]?.last = status }
                return behind.values.map(\.continuation)
            }
            // Locked: nothing that ends a reader takes this lock.
            for reader in readers { reader.yield(status) }
        }
    }
}
