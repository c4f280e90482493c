// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Dispatch
import NIOCore
import Synchronization

/// Threads for lookups that block: made on demand up to a limit, and ended when several are idle.
///
/// A lookup that hangs holds its thread only, so that it does not delay the lookup of another name.
final class LookupThreads: Sendable {
    /// Starts a thread, unless the system starts no other one.
    typealias StartThread = @Sendable (_ work: @escaping @Sendable () -> Void) -> Bool

    private struct Job {
        let id: Int
        let host: String
        let found: CheckedContinuation<[SocketAddress], any Error>
        let lookUp: @Sendable () throws -> [SocketAddress]
    }

    /// The jobs, and the threads that take them; the threads keep it, and not the object that they belong to.
    private final class Queue: Sendable {
        private struct State {
            var waiting = CircularBuffer<Job>()
            var count = 0
            var idleCount = 0
            var isClosed = false
        }

        private enum Step {
            case run(Job)
            case wait
            case end
        }

        /// The number of idle threads that are kept.
        private static let idleLimit = 8

        private let limit: Int
        private let startThread: StartThread
        private let state = Mutex(State())
        /// Wakes idle threads.
        private let wakeups = DispatchSemaphore(value: 0)

        init(limit: Int, startThread: @escaping StartThread) {
            self.limit = limit
            self.startThread = startThread
        }

        var count: Int { self.state.withLock { $0.count } }

        func isQueued(_ host: String) -> Bool {
            self.state.withLock { $0.waiting.contains { $0.host == host } }
        }

        func submit(_ job: Job) {
            let needsThread = self.state.withLock { state -> Bool in
                state.waiting.append(job)
                if state.idleCount > 0 {
                    state.idleCount -= 1
                    self.wakeups.signal()
                    return false
                }
                guard state.count < self.limit else { return false }
                state.count += 1
                return true
            }
            guard needsThread, !self.startThread({ self.runThread() }) else { return }
            // The job waits for another thread, if there is one.
            let isAlone = self.state.withLock { state in
                state.count -= 1
                return state.count == 0
            }
            if isAlone { self.remove(job.id)?.found.resume(throwing: TransportError.noThread(for: job.host)) }
        }

        func remove(_ id: Int) -> Job? {
            self.state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
            }
        }

        /// Ends the idle threads, and the others when they become idle.
        func close() {
            self.state.withLock { state in
                state.isClosed = true
                for _ in 0..<state.idleCount { self.wakeups.signal() }
                state.idleCount = 0
            }
        }

        private func runThread() {
            while true {
                switch self.nextStep() {
                case .run(let job): job.found.resume(with: Result { try job.lookUp() })
                case .wait: self.wakeups.wait()
                case .end: return
                }
            }
        }

        private func nextStep() -> Step {
            self.state.withLock { state in
                if let job = state.waiting.popFirst() { return .run(job) }
                guard !state.isClosed, state.idleCount < Self.idleLimit else {
                    state.count -= 1
                    return .end
                }
                state.idleCount += 1
                return .wait
            }
        }
    }

    private let queue: Queue
    private let lastID = Atomic(0)

    /// - Parameters:
    ///   - limit: The maximum number of threads.
    ///   - startThread: Starts one.
    init(limit: Int, startThread: @escaping StartThread = { SystemThread.startDetached($0) }) {
        self.queue = Queue(limit: limit, startThread: startThread)
    }

    deinit { self.queue.close() }

    /// The number of threads.
    var count: Int { self.queue.count }

    /// Whether a lookup of a host waits for a thread.
    func isQueued(_ host: String) -> Bool { self.queue.isQueued(host) }

    /// Runs a lookup on a thread, and waits for its end.
    ///
    /// - Throws: The error of the lookup; ``TransportError/Code/nameResolutionFailed`` if the system starts no thread;
    ///   `CancellationError` if the task is cancelled before the lookup has a thread.
    func run(
        for host: String,
        _ lookUp: @escaping @Sendable () throws -> [SocketAddress]
    ) async throws -> [SocketAddress] {
        let id = self.lastID.add(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { found in
                self.queue.submit(Job(id: id, host: host, found: found, lookUp: lookUp))
                // A cancellation that came before the job did has not found it.
                if Task.isCancelled { self.cancel(id) }
            }
        } onCancel: {
            self.cancel(id)
        }
    }

    private func cancel(_ id: Int) {
        self.queue.remove(id)?.found.resume(throwing: CancellationError())
    }
}

extension TransportError {
    fileprivate static func noThread(for host: String) -> TransportError {
        TransportError(
            .nameResolutionFailed,
            phase: .resolve,
            reason: "the host \(host) could not be looked up: no thread can be started"
        )
    }
}
