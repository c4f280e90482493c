// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The lookups in progress: each ends once, with its result, when nobody waits for it any more, or with the engine.
///
/// A resolver need not react to its cancellation, and the system's cannot. Therefore a result that comes after the end
/// is dropped here, and does not reach an event loop that may be gone by then.
final class PendingLookups: Sendable {
    /// What is looked up.
    struct Target: Hashable {
        let host: String
        let port: Int
    }

    /// One connection that waits for a lookup.
    struct Waiter {
        fileprivate let id: Int
        fileprivate let lookup: Int
    }

    private struct Lookup {
        let target: Target
        var waiters: [Int: EventLoopPromise<[SocketAddress]>]
        var task: Task<Void, Never>?
        /// Looks for addresses beside it, because it takes long.
        var assistant: Task<Void, Never>?

        func cancel() {
            self.task?.cancel()
            self.assistant?.cancel()
        }
    }

    private struct State {
        var lookups: [Int: Lookup] = [:]
        /// The lookups that other connections may wait for, too.
        var shared: [Target: Int] = [:]
        var lastID = 0
        var isClosed = false

        mutating func makeID() -> Int {
            self.lastID += 1
            return self.lastID
        }

        /// Lets no other connection wait for a lookup.
        mutating func unshare(_ id: Int) {
            guard let target = self.lookups[id]?.target, self.shared[target] == id else { return }
            self.shared[target] = nil
        }

        mutating func remove(_ id: Int) -> Lookup? {
            self.unshare(id)
            return self.lookups.removeValue(forKey: id)
        }
    }

    private let state = Mutex(State())

    /// Waits for a lookup in progress, or starts one.
    ///
    /// - Parameters:
    ///   - target: What is looked up.
    ///   - found: The promise to complete; it fails at once after the end of the engine.
    ///   - lookUp: Asks the resolver, in a task of its own.
    /// - Returns: The waiter.
    func join(
        _ target: Target,
        _ found: EventLoopPromise<[SocketAddress]>,
        _ lookUp: @escaping @Sendable () async throws -> [SocketAddress]
    ) -> Waiter {
        let (waiter, isNew, isClosed) = self.state.withLock { state -> (Waiter, Bool, Bool) in
            let id = state.makeID()
            if let lookup = state.shared[target] {
                state.lookups[lookup]?.waiters[id] = found
                return (Waiter(id: id, lookup: lookup), false, false)
            }
            let waiter = Waiter(id: id, lookup: state.makeID())
            if state.isClosed { return (waiter, false, true) }
            state.lookups[waiter.lookup] = Lookup(target: target, waiters: [id: found])
            state.shared[target] = waiter.lookup
            return (waiter, true, false)
        }
        if isClosed { found.fail(TransportError.shutDown(in: .resolve)) }
        if isNew { self.start(waiter.lookup, lookUp) }
        return waiter
    }

    private func start(_ id: Int, _ lookUp: @escaping @Sendable () async throws -> [SocketAddress]) {
        // Cancelled by `end` and `leave`, to one of which every lookup comes.
        let task = Task {
            do {
                self.end(id, with: .success(try await lookUp()))
            } catch {
                self.end(id, with: .failure(error))
            }
        }
        let isOver = self.state.withLock { state in
            state.lookups[id]?.task = task
            return state.lookups[id] == nil
        }
        if isOver { task.cancel() }
    }

    /// Looks up addresses beside a lookup that takes long, unless that is done already; the first addresses are its result.
    ///
    /// - Parameters:
    ///   - waiter: A connection that waits for the lookup.
    ///   - lookUp: Asks the resolver; no addresses and errors are ignored.
    func assist(_ waiter: Waiter, _ lookUp: @escaping @Sendable () async throws -> [SocketAddress]) {
        self.state.withLock { state in
            guard let lookup = state.lookups[waiter.lookup], lookup.assistant == nil else { return }
            // Cancelled with the lookup.
            state.lookups[waiter.lookup]?.assistant = Task {
                guard let found = try? await lookUp(), !found.isEmpty else { return }
                self.end(waiter.lookup, with: .success(found))
            }
        }
    }

    /// Ends the wait of one connection, unless it has ended; the lookup ends with the last one.
    ///
    /// Later connections start a new lookup: this one may hang.
    func leave(_ waiter: Waiter, with error: TransportError) {
        let (found, ended) = self.state.withLock { state -> (EventLoopPromise<[SocketAddress]>?, Lookup?) in
            state.unshare(waiter.lookup)
            let found = state.lookups[waiter.lookup]?.waiters.removeValue(forKey: waiter.id)
            guard state.lookups[waiter.lookup]?.waiters.isEmpty ?? false else { return (found, nil) }
            return (found, state.remove(waiter.lookup))
        }
        found?.fail(error)
        ended?.cancel()
    }

    /// Ends a lookup, unless it has ended.
    private func end(_ id: Int, with result: Result<[SocketAddress], any Error>) {
        guard let lookup = self.state.withLock({ $0.remove(id) }) else { return }
        for found in lookup.waiters.values { found.completeWith(result) }
        lookup.cancel()
    }

    /// Ends every lookup, and admits no other.
    ///
    /// - Returns: The lookups that are being ended.
    func close() -> [EventLoopFuture<Void>] {
        let lookups = self.state.withLock { state in
            state.isClosed = true
            return state.lookups
        }
        for id in lookups.keys { self.end(id, with: .failure(TransportError.shutDown(in: .resolve))) }
        return lookups.values.flatMap { $0.waiters.values.map { $0.futureResult.map { _ in } } }
    }
}
