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
        /// The stored responses whose requests the server has refused with 401.
        var refused: Set<StoredResponse.ID> = []
        var isClosed = false
    }

    private let state = Mutex(State())

    init(largestCount: Int) {
        self.largestCount = largestCount
    }

    /// The number of requests under way.
    var count: Int { self.state.withLock { $0.tasks.count } }

    /// Whether the server has refused the last request for a stored response.
    ///
    /// Only a call can answer the challenge, or deliver the refusal: it has to wait for the server.
    func isRefused(_ stored: StoredResponse) -> Bool { self.state.withLock { $0.refused.contains(stored.id) } }

    /// Records whether the server has refused a request for a stored response.
    func note(_ response: StreamedResponse, to stored: StoredResponse) {
        self.note(stored.id, isRefused: response.status == .unauthorized)
    }

    private func note(_ id: StoredResponse.ID, isRefused: Bool) {
        self.state.withLock { state in
            guard isRefused else {
                state.refused.remove(id)
                return
            }
            // Of those that are not asked for any more nobody tells.
            if state.refused.count >= self.largestCount { state.refused.removeAll() }
            state.refused.insert(id)
        }
    }

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
            let isRefused = try? await refresh.next.call.bounded { await refresh.run(stored) }
            self.note(stored.id, isRefused: isRefused ?? false)
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
        if request.method != .get {
            request.method = .get
            // The digest covers the method.
            request = request.withNextDigest()
        }
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
    ///
    /// - Returns: Whether the server has refused the request with 401.
    fileprivate func run(_ stored: StoredResponse) async -> Bool {
        do {
            let response = try await self.validate(stored, .stale)
            // Nobody reads the body: if it is not stored, or too large for it, it need not be received.
            guard response.cacheStatus?.isStored == true else {
                response.body.abandon()
                return response.status == .unauthorized
            }
            var left = self.cache.maximumBodyByteCount
            var iterator = response.body.makeAsyncIterator()
            while left >= 0, let bytes = try await iterator.next() { left -= bytes.readableBytes }
            if left < 0 { response.body.abandon() }
        } catch {
            // The stored response stays as it is; the next request that finds it stale tries again.
        }
        return false
    }
}
