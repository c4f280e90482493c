// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Synchronization

/// Threads for lookups that block: made on demand up to a limit, and ended when several are idle.
///
/// A lookup that hangs holds its thread only, so that it does not delay the lookup of another name.
final class LookupThreads: Sendable {
    private struct Job {
        let id: Int
        let host: String
        let found: CheckedContinuation<[SocketAddress], any Error>
        let lookUp: @Sendable () throws -> [SocketAddress]
    }

    private struct State {
        var waiting = CircularBuffer<Job>()
        var idle = [NIOThreadPool]()
        var count = 0
    }

    /// The number of idle threads that are kept.
    private static let idleLimit = 8

    private let limit: Int
    private let state = Mutex(State())
    private let lastID = Atomic(0)

    /// - Parameter limit: The maximum number of threads.
    init(limit: Int) {
        self.limit = limit
    }

    deinit {
        for thread in self.state.withLock({ $0.idle }) { thread.shutdownGracefully { _ in } }
    }

    /// The number of threads.
    var count: Int { self.state.withLock { $0.count } }

    /// Whether a lookup of a host waits for a thread.
    func isQueued(_ host: String) -> Bool {
        self.state.withLock { $0.waiting.contains { $0.host == host } }
    }

    /// Runs a lookup on a thread, and waits for its end.
    ///
    /// - Throws: The error of the lookup; `CancellationError` if the task is cancelled before the lookup has a thread.
    func run(
        for host: String,
        _ lookUp: @escaping @Sendable () throws -> [SocketAddress]
    ) async throws -> [SocketAddress] {
        let id = self.lastID.add(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { found in
                self.submit(Job(id: id, host: host, found: found, lookUp: lookUp))
                // A cancellation that came before the job did has not found it.
                if Task.isCancelled { self.cancel(id) }
            }
        } onCancel: {
            self.cancel(id)
        }
    }

    private func submit(_ job: Job) {
        enum Action {
            case run(on: NIOThreadPool)
            case makeThread
            case wait
        }
        let action = self.state.withLock { state -> Action in
            if let thread = state.idle.popLast() { return .run(on: thread) }
            if state.count < self.limit {
                state.count += 1
                return .makeThread
            }
            state.waiting.append(job)
            return .wait
        }
        switch action {
        case .run(let thread): self.start(job, on: thread)
        case .makeThread:
            let thread = NIOThreadPool(numberOfThreads: 1)
            thread.start()
            self.start(job, on: thread)
        case .wait: break
        }
    }

    private func start(_ job: Job, on thread: NIOThreadPool) {
        thread.submit { _ in
            job.found.resume(with: Result { try job.lookUp() })
            while let next = self.next(on: thread) { next.found.resume(with: Result { try next.lookUp() }) }
        }
    }

    /// Returns the next job of a thread; without one, the thread becomes idle or ends.
    private func next(on thread: NIOThreadPool) -> Job? {
        let (job, ends) = self.state.withLock { state -> (Job?, Bool) in
            if let job = state.waiting.popFirst() { return (job, false) }
            guard state.idle.count >= Self.idleLimit else {
                state.idle.append(thread)
                return (nil, false)
            }
            state.count -= 1
            return (nil, true)
        }
        if ends { thread.shutdownGracefully { _ in } }
        return job
    }

    private func cancel(_ id: Int) {
        let job = self.state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
        }
        job?.found.resume(throwing: CancellationError())
    }
}
