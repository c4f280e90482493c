// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Looks for a route; asked by one task at a time.
protocol RouteProbe: Sendable {
    /// Begins to watch.
    ///
    /// - Returns: A sequence with an element for each change of what ``status()`` depends on, the first at once.
    func changes() -> AsyncStream<Void>

    /// What the system says now.
    func status() async -> ReachabilityStatus
}

/// The state of a ``ReachabilityMonitor``, which its copies share.
final class ReachabilityCore: Sendable {
    private struct State {
        var status = ReachabilityStatus.unknown
        /// Whether ``status`` is of the run under way.
        var isCurrent = false
        /// Watches and asks; nil while the monitor is stopped.
        var run: (id: Int, task: Task<Void, Never>)?
        var lastID = 0
        var readers: [Int: AsyncStream<ReachabilityStatus>.Continuation] = [:]
    }

    private let state = Mutex(State())
    private let probe: any RouteProbe

    init(probe: any RouteProbe) {
        self.probe = probe
    }

    deinit { self.state.withLock { $0.run?.task.cancel() } }

    var status: ReachabilityStatus { self.state.withLock { $0.status } }

    /// Starts to watch.
    ///
    /// - Returns: Whether it was stopped before.
    @discardableResult
    func start() -> Bool {
        self.state.withLock { state in
            guard state.run == nil else { return false }
            state.lastID += 1
            state.isCurrent = false
            let id = state.lastID
            // Watching begins before the task is scheduled, so that no change from now on is missed.
            let changes = self.probe.changes()
            // Owned by this object, which cancels it in stop() and at its end.
            let task = Task { [weak self, probe] in
                for await _ in changes {
                    let status = await probe.status()
                    guard !Task.isCancelled, let self else { return }
                    self.publish(status, run: id)
                }
            }
            state.run = (id, task)
            return true
        }
    }

    func stop() {
        let (task, readers) = self.state.withLock { state in
            let ended = (state.run?.task, Array(state.readers.values))
            state.run = nil
            state.isCurrent = false
            state.readers = [:]
            return ended
        }
        task?.cancel()
        for reader in readers { reader.finish() }
    }

    func makeStream() -> AsyncStream<ReachabilityStatus> {
        let (stream, reader) = AsyncStream.makeStream(
            of: ReachabilityStatus.self,
            bufferingPolicy: .bufferingNewest(64)
        )
        let id = self.state.withLock { state in
            state.lastID += 1
            state.readers[state.lastID] = reader
            // Under the lock, so that no newer status comes before it; a stream calls nobody back for it.
            if state.isCurrent { reader.yield(state.status) }
            return state.lastID
        }
        // Keeps the monitor alive as long as somebody reads.
        reader.onTermination = { _ in self.state.withLock { _ = $0.readers.removeValue(forKey: id) } }
        return stream
    }

    private func publish(_ status: ReachabilityStatus, run id: Int) {
        self.state.withLock { state in
            guard state.run?.id == id, !state.isCurrent || state.status != status else { return }
            state.status = status
            state.isCurrent = true
            // Under the lock, so that every reader sees the order in which they were published.
            for reader in state.readers.values { reader.yield(status) }
        }
    }
}
