// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// Answers requests from stored responses where RFC 9111 allows it, and stores new responses.
///
/// It runs below the headers stage, because a response may depend on any field that is sent, and above the network
/// interceptors, which are not called for a stored response.
final class CacheStage: IdleStage {
    let cache: ResponseCache
    let refreshes: CacheRefreshes
    private let routes: CacheRoutes
    private let storeOnly: StoreOnlyRule

    init(_ cache: ResponseCache, _ configuration: Session.Configuration) {
        self.cache = cache
        self.refreshes = CacheRefreshes(largestCount: configuration.limits.cacheRefreshCount)
        self.routes = CacheRoutes(configuration)
        self.storeOnly = StoreOnlyRule(configuration)
    }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        guard self.cache.mayWait, next.call.deadline != nil else {
            return next.call.tellAnswer(try await self.answer(request, next))
        }
        // The store learns from the call how long it may wait.
        let response = try await Call.$current.withValue(next.call) { try await self.answer(request, next) }
        return next.call.tellAnswer(response)
    }

    private func answer(_ request: Request, _ next: Chain) async throws -> StreamedResponse {
        let target = try next.target(of: request)
        let (mark, isHandled) = self.look(at: request, target, next.call)
        guard isHandled else {
            if request.options.cachePolicy == .returnCacheDataDontLoad { throw Self.notCached(request) }
            if StoreOnlyRule.mayNotBeSent(request) { return Self.unavailable(request) }
            return try await self.pass(request, target, mark, next)
        }
        let asked = CacheableRequest(
            request,
            CacheKey(target, mark: mark),
            decodesContent: next.call.handling.decodesContent(of: request)
        )
        let exchange = CacheExchange(cache: self.cache, asked: asked, next: next)
        guard !request.isForOrigin || asked.policy == .returnCacheDataDontLoad else {
            if StoreOnlyRule.mayNotBeSent(request) { return Self.unavailable(request) }
            return try await exchange.forward(.bypass, replacing: nil)
        }
        // Checked before the lookup: a change that ends in between has emptied the store.
        let isChanging = self.cache.changes.isUnderWay(for: asked.key)
        let found = await self.lookUp(asked)
        let decision = self.decision(exchange, found, isChanging: isChanging)
        // A request that is sent unchanged does not keep the values that stored responses need.
        if case .forward(let reason) = decision, found.isNothing {
            return try await exchange.forward(reason, replacing: nil)
        }
        return try await self.carryOut(decision, exchange, found)
    }

    /// The route of a request, and whether a stored response may answer it.
    @inline(never)
    private func look(
        at request: Request,
        _ target: RequestTarget,
        _ call: Call
    ) -> (mark: String, isHandled: Bool) {
        let own = request.context.isEmpty ? nil : request.context[TransportOptions.self]
        let isHandled = request.method.isSafe && self.handles(request, own)
        return (self.routes.mark(of: request, own, target.origin, home: call.environment.home), isHandled)
    }

    /// GET and HEAD without a body, without a change of protocol, and without a proxy or a trust of their own, which may let another server
    /// answer.
    private func handles(_ request: Request, _ own: TransportOptions?) -> Bool {
        guard Self.mayBeAnswered(request.method), case .none = request.body else { return false }
        guard let own else { return true }
        return own.allowsUpgrade != true && own.proxy == nil && own.trust == nil && own.securityPolicy == nil
            && own.pins == nil
    }

    private static func mayBeAnswered(_ method: HTTPRequest.Method) -> Bool { method == .get || method == .head }

    // MARK: Requests that are not for caches

    /// Whether a request neither is answered by stored responses nor removes some (OPTIONS and TRACE).
    func isIdle(for request: Request, of call: Call) -> Bool {
        // The session's fields are not in the request yet.
        request.method.isSafe && !Self.mayBeAnswered(request.method) && !self.storeOnly.applies(to: request)
    }

    func concerns(_ response: borrowing StreamedResponse, to request: Request) -> Bool { true }

    func act(
        on response: consuming StreamedResponse,
        to request: Request,
        next: Chain
    ) async throws -> StreamedResponse {
        response.noting(CacheStatus(forward: .method))
    }

    /// Sends a request that the cache does not handle; if it changes something, the stored responses are removed.
    private func pass(
        _ request: Request,
        _ target: RequestTarget,
        _ mark: String,
        _ next: Chain
    ) async throws -> StreamedResponse {
        guard !request.method.isSafe else {
            return try await next(request).noting(CacheStatus(forward: .bypass))
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
            // The server may have processed the request.
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

    // MARK: Requests that are for caches

    /// The stored responses for a request.
    ///
    /// It holds positions in a list, not the responses themselves: they are large, and kept during the request.
    private struct Found {
        var responses: [StoredResponse] = []
        /// The position of the response that the request selects: the most recent, if there are several.
        var wholePlace: Int?
        /// The position of a stored part; nil if there is a whole response.
        var partPlace: Int?
        /// Why there is no whole response.
        var miss = CacheStatus.Forward.miss

        var whole: StoredResponse? { self.wholePlace.map { self.responses[$0] } }
        var part: StoredResponse? { self.partPlace.map { self.responses[$0] } }
        var isNothing: Bool { self.wholePlace == nil && self.partPlace == nil }
    }

    private func lookUp(_ asked: CacheableRequest) async -> Found {
        guard let all = try? await self.cache.store.responses(for: asked.key), !all.isEmpty else {
            return Found(miss: .uriMiss)
        }
        return Self.select(all, asked)
    }

    @inline(never)
    private static func select(_ all: [StoredResponse], _ asked: CacheableRequest) -> Found {
        let selected = all.indices.filter { asked.selects(all[$0]) }
        let whole = selected.filter { !all[$0].isPart }.max { all[$1].isMoreRecent(than: all[$0]) }
        guard whole == nil else { return Found(responses: all, wholePlace: whole) }
        let part = selected.max { all[$1].isMoreRecent(than: all[$0]) }
        return Found(responses: all, partPlace: part, miss: part == nil ? .varyMiss : .partial)
    }

    @inline(never)
    private func decision(_ exchange: CacheExchange, _ found: Found, isChanging: Bool) -> ReuseDecision {
        ReuseDecision(
            exchange.asked,
            found.whole,
            miss: found.miss,
            isChanging: isChanging,
            now: self.cache.wallClock.now,
            rules: self.cache.rules
        )
    }

    @inline(never)
    private func carryOut(
        _ decision: ReuseDecision,
        _ exchange: CacheExchange,
        _ found: Found
    ) async throws -> StreamedResponse {
        let stored = found.whole
        switch decision {
        case .reuse(let ttl, let refreshes):
            guard let stored else { return try await exchange.forward(.miss, replacing: nil) }
            if refreshes, self.refreshes.isRefused(stored) {
                let response = try await exchange.validate(stored, .stale)
                self.refreshes.note(response, to: stored)
                return response
            }
            if let response = await exchange.reader.answer(from: stored, CacheStatus(timeToLive: ttl)) {
                if refreshes { self.refreshes.start(exchange, stored) }
                return response
            }
            // The body, or the requested range of it, is not available.
            let nothing = Found()
            return try await self.carryOut(self.decision(exchange, nothing, isChanging: false), exchange, nothing)
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
            return Self.unavailable(exchange.asked.request)
        case .refuse:
            throw Self.notCached(exchange.asked.request)
        }
    }

    private static func unavailable(_ request: Request) -> StreamedResponse {
        StreamedResponse(to: request, status: .gatewayTimeout).noting(.own(detail: "only-if-cached"))
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
    /// The response with the cache status.
    consuming func noting(_ status: CacheStatus) -> StreamedResponse {
        var response = self
        var status = status
        if status.forward != nil, status.forwardStatus == nil { status.forwardStatus = response.status.code }
        response.cacheStatus = status
        return response
    }
}

extension Call {
    /// Tells of a response that is not the one of an exchange.
    ///
    /// - Parameter response: What the cache delivers.
    /// - Returns: The same.
    fileprivate func tellAnswer(_ response: consuming StreamedResponse) -> StreamedResponse {
        guard self.isObserved, let status = response.cacheStatus, status.forwardStatus != response.status.code
        else { return response }
        self.tell(.cacheAnswered(response.status, status))
        return response
    }
}
