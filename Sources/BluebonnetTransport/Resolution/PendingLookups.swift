// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The lookups in progress: each ends once, with its result, at its limit or with the engine.
///
/// A resolver need not react to its cancellation, and the system's cannot. Therefore a result that comes after the end
/// is dropped here, and does not reach an event loop that may be gone by then.
final class PendingLookups: Sendable {
    private struct Lookup {
        let found: EventLoopPromise<[SocketAddress]>
        var task: Task<Void, Never>?
    }

    private struct State {
        var lookups: [Int: Lookup] = [:]
        var lastID = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Starts a lookup.
    ///
    /// - Parameters:
    ///   - found: The promise to complete; it fails at once after the end of the engine.
    ///   - lookUp: Asks the resolver, in a task of its own.
    /// - Returns: The number of the lookup.
    func start(
        _ found: EventLoopPromise<[SocketAddress]>,
        _ lookUp: @escaping @Sendable () async throws -> [SocketAddress]
    ) -> Int {
        let (id, isAdmitted) = self.state.withLock { state in
            state.lastID += 1
            if !state.isClosed { state.lookups[state.lastID] = Lookup(found: found) }
            return (state.lastID, !state.isClosed)
        }
        guard isAdmitted else {
            found.fail(TransportError.shutDown(in: .resolve))
            return id
        }
        // Cancelled by `end`, which every lookup comes to.
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
        return id
    }

    /// Ends a lookup, unless it has ended.
    func end(_ id: Int, with result: Result<[SocketAddress], any Error>) {
        guard let lookup = self.state.withLock({ $0.lookups.removeValue(forKey: id) }) else { return }
        lookup.found.completeWith(result)
        lookup.task?.cancel()
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
        return lookups.values.map { $0.found.futureResult.map { _ in } }
    }
}
