// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// Answers requests from what is stored, where RFC 9111 allows it, and stores what comes back.
///
/// It stands below the headers stage, because a response may depend on any field that is sent, and above the network interceptors, which
/// are not called for an answer from the store.
struct CacheStage: Interceptor {
    let cache: ResponseCache
    let refreshes: CacheRefreshes
    private let routes: CacheRoutes

    init(_ cache: ResponseCache, _ configuration: Session.Configuration) {
        self.cache = cache
        self.refreshes = CacheRefreshes(largestCount: configuration.limits.cacheRefreshCount)
        self.routes = CacheRoutes(configuration)
    }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        let target = try next.target(of: request)
        let own = request.context.isEmpty ? nil : request.context[TransportOptions.self]
        let mark = self.routes.mark(of: request, own, target.origin)
        guard Invalidation.isSafe(request.method), self.handles(request, own) else {
            if request.options.cachePolicy == .returnCacheDataDontLoad { throw Self.notCached(request) }
            return try await self.pass(request, target, mark, next)
        }
        let asked = CacheableRequest(
            request,
            CacheKey(target, mark: mark),
            decodesContent: next.call.handling.decodesContent ?? true
        )
        let exchange = CacheExchange(cache: self.cache, asked: asked, next: next)
        guard !asked.isForOrigin || asked.policy == .returnCacheDataDontLoad else {
            return try await exchange.forward(.bypass, replacing: nil)
        }
        // Asked before the store is: a change that ends in between has emptied it.
        let isChanging = self.cache.changes.isUnderWay(for: asked.key)
        let found = await self.lookUp(asked)
        return try await self.carryOut(exchange, found, isChanging: isChanging)
    }

    /// GET and HEAD without a body, without a change of protocol, and without a proxy of their own, which may lead to another server.
    private func handles(_ request: Request, _ own: TransportOptions?) -> Bool {
        guard Self.mayBeAnswered(request.method), case .none = request.body else { return false }
        return own?.allowsUpgrade != true && own?.proxy == nil
    }

    private static func mayBeAnswered(_ method: HTTPRequest.Method) -> Bool { method == .get || method == .head }

    // MARK: Requests that are not for caches

    /// Sends a request that is not for caches; if it changes something, what is stored about that is removed.
    private func pass(
        _ request: Request,
        _ target: RequestTarget,
        _ mark: String,
        _ next: Chain
    ) async throws -> StreamedResponse {
        guard !Invalidation.isSafe(request.method) else {
            let reason = Self.mayBeAnswered(request.method) ? CacheStatus.Forward.bypass : .method
            return try await next(request).noting(CacheStatus(forward: reason))
        }
        let key = CacheKey(target, mark: mark)
        self.cache.changes.begin(for: key)
        defer { self.cache.changes.end(for: key) }
        do {
            let response = try await next(request)
            await self.invalidate(
                Invalidation.keys(
                    after: request,
                    target,
                    status: response.status,
                    headers: response.headers,
                    mark: mark
                )
            )
            return response.noting(CacheStatus(forward: .method))
        } catch {
            // Whether the server has carried it out, nobody knows.
            if (error as? SessionError)?.isRequestSent ?? true { await self.invalidate([key]) }
            throw error
        }
    }

    private func invalidate(_ keys: [CacheKey]) async {
        for key in keys {
            self.cache.changes.invalidate(key)
            try? await self.cache.store.removeAll(for: key)
        }
    }

    // MARK: Requests that are

    /// What is stored for a request.
    private struct Found {
        /// The response that the request selects: the latest, where there are several.
        var whole: StoredResponse?
        /// The beginning of one; nil where there is a whole.
        var part: StoredResponse?
        /// Why there is no whole.
        var miss = CacheStatus.Forward.miss
    }

    private func lookUp(_ asked: CacheableRequest) async -> Found {
        guard let all = try? await self.cache.store.responses(for: asked.key), !all.isEmpty else {
            return Found(miss: .uriMiss)
        }
        let selected = all.filter(asked.selects)
        let whole = selected.filter { !$0.isPart }.max { $0.responseTime < $1.responseTime }
        guard whole == nil else { return Found(whole: whole) }
        let part = selected.max { $0.responseTime < $1.responseTime }
        return Found(part: part, miss: part == nil ? .varyMiss : .partial)
    }

    private func carryOut(
        _ exchange: CacheExchange,
        _ found: Found,
        isChanging: Bool
    ) async throws -> StreamedResponse {
        let stored = found.whole
        let decision = ReuseDecision(
            exchange.asked,
            stored,
            miss: found.miss,
            isChanging: isChanging,
            now: self.cache.wallClock.now,
            rules: self.cache.rules
        )
        switch decision {
        case .reuse(let ttl, let refreshes):
            guard let stored else { return try await exchange.forward(.miss, replacing: nil) }
            if let response = await exchange.reader.answer(from: stored, CacheStatus(timeToLive: ttl)) {
                if refreshes { self.refreshes.start(exchange, stored) }
                return response
            }
            // The body is gone, or a range is wanted that is not there.
            return try await self.carryOut(exchange, Found(), isChanging: isChanging)
        case .validate(let reason):
            guard let stored else { return try await exchange.forward(.miss, replacing: nil) }
            return try await exchange.validate(stored, reason)
        case .forward(.partial):
            guard let part = found.part, exchange.asked.wantsWhole else {
                return try await exchange.forward(.partial, replacing: nil)
            }
            return try await exchange.complete(part)
        case .forward(let reason):
            return try await exchange.forward(reason, replacing: stored)
        case .unavailable:
            let response = StreamedResponse(to: exchange.asked.request, status: .gatewayTimeout)
            return response.noting(CacheStatus(detail: "only-if-cached"))
        case .refuse:
            throw Self.notCached(exchange.asked.request)
        }
    }

    private static func notCached(_ request: Request) -> SessionError {
        SessionError(
            .notCached,
            reason: "the request's cachePolicy asks for a stored response, and there is none",
            request: request
        )
    }
}

extension StreamedResponse {
    /// The response with what the cache did.
    func noting(_ status: CacheStatus) -> StreamedResponse {
        var response = self
        var status = status
        if status.forward != nil, status.forwardStatus == nil { status.forwardStatus = response.status.code }
        response.cacheStatus = status
        return response
    }
}
