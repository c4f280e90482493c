// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

/// The requests that revalidate stored responses while they are reused (`stale-while-revalidate`, RFC 5861 section 3).
///
/// There is at most one at a time for a stored response, and at most ``Session/Limits/cacheRefreshCount`` in all. They
/// end with their session.
final class CacheRefreshes: Sendable {
    private let largestCount: Int
    private struct State {
        var tasks: [StoredResponse.ID: Task<Void, Never>?] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    init(largestCount: Int) {
        self.largestCount = largestCount
    }

    /// The number of requests under way.
    var count: Int { self.state.withLock { $0.tasks.count } }

    /// Cancels the requests under way, and starts no more.
    func cancelAll() {
        let tasks = self.state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks { task?.cancel() }
    }

    /// Starts a request for a stored response, unless there is one under way.
    func start(_ exchange: CacheExchange, _ stored: StoredResponse) {
        let isFirst = self.state.withLock { state in
            guard !state.isClosed, state.tasks[stored.id] == nil, state.tasks.count < self.largestCount else {
                return false
            }
            state.tasks[stored.id] = .some(nil)
            return true
        }
        guard isFirst else { return }
        let refresh = exchange.refreshing()
        // The session cancels it, at the latest when the session is deallocated.
        let task = Task {
            // The transport looks at the limit only while it works: interceptors and stores of the program may wait
            // for anything.
            try? await refresh.next.call.bounded { await refresh.run(stored) }
            self.end(stored.id)
        }
        let isUnderWay = self.state.withLock { state in
            guard !state.isClosed, state.tasks[stored.id] != nil else { return false }
            state.tasks[stored.id] = .some(task)
            return true
        }
        // The request, or the session, has ended already.
        if !isUnderWay { task.cancel() }
    }

    private func end(_ id: StoredResponse.ID) {
        self.state.withLock { _ = $0.tasks.removeValue(forKey: id) }
    }
}

extension CacheExchange {
    /// The same request as a separate call, without the caller's deadline, progress and task.
    fileprivate func refreshing() -> CacheExchange {
        var request = self.asked.request
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .range, .ifRange] { request.headers[name] = nil }
        request.method = .get
        let decodes = self.next.call.handling.decodesContent(of: request)
        let handling = CallHandling(decodesContent: decodes)
        let environment = self.next.call.environment.withoutObservers()
        let call = Call(request, handling, environment, totalTimeout: Self.longestRefresh)
        let asked = CacheableRequest(request, self.asked.key, decodesContent: decodes)
        return CacheExchange(cache: self.cache, asked: asked, next: self.next.continuing(call))
    }

    /// A server that sends very slowly must not hold a place forever.
    private static let longestRefresh = Duration.seconds(300)

    /// Validates the stored response, and reads the new one to its end, so that it is stored.
    fileprivate func run(_ stored: StoredResponse) async {
        do {
            let response = try await self.validate(stored, .stale)
            // Nobody reads the body: if it is not stored, or too large for it, it need not be received.
            guard response.cacheStatus?.isStored == true else { return response.body.abandon() }
            var left = self.cache.maximumBodyByteCount
            var iterator = response.body.makeAsyncIterator()
            while left >= 0, let bytes = try await iterator.next() { left -= bytes.readableBytes }
            if left < 0 { response.body.abandon() }
        } catch {
            // The stored response stays as it is; the next request that finds it stale tries again.
        }
    }
}
