// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// What a cache does with a request (RFC 9111 section 4).
enum ReuseDecision: Equatable {
    /// The stored response answers the request.
    case reuse(ttl: Int64, refreshes: Bool)
    /// The stored response is validated with the server.
    case validate(CacheStatus.Forward)
    /// The request is forwarded to the server unchanged.
    case forward(CacheStatus.Forward)
    /// The server may not be contacted: 504 (RFC 9111 section 5.2.1.7).
    case unavailable
    /// The server may not be contacted: an error.
    case refuse

    /// Decides about a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - stored: The response that it selects; nil if there is none.
    ///   - miss: Why there is none.
    ///   - isChanging: Whether an unsafe request for the resource is under way, whose effect the response may lack.
    ///   - now: The time, in seconds since 1970.
    ///   - rules: How the cache calculates freshness.
    init(
        _ request: CacheableRequest,
        _ stored: StoredResponse?,
        miss: CacheStatus.Forward,
        isChanging: Bool = false,
        now: Int64,
        rules: Freshness.Rules
    ) {
        guard let stored else {
            self = Self.without(request, miss)
            return
        }
        let reuse = Reuse(request, stored, isChanging, now, rules)
        switch request.policy {
        case .returnCacheDataElseLoad, .returnCacheDataDontLoad:
            self = .reuse(ttl: reuse.timeToLive, refreshes: false)
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData:
            self = .forward(.bypass)
        case .reloadRevalidatingCacheData:
            // RFC 8246 section 2: a reload need not validate an immutable response while it is fresh.
            let isSettled = stored.directives.immutable && reuse.timeToLive > 0 && reuse.isAllowed
            self = isSettled ? .reuse(ttl: reuse.timeToLive, refreshes: false) : .validate(.request)
        case .useProtocolCachePolicy:
            self = reuse.decision
        }
    }

    private static func without(_ request: CacheableRequest, _ miss: CacheStatus.Forward) -> ReuseDecision {
        switch request.policy {
        case .returnCacheDataDontLoad: return .refuse
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: return .forward(.bypass)
        default: break
        }
        if request.policy == .useProtocolCachePolicy, request.directives.onlyIfCached { return .unavailable }
        return .forward(miss)
    }
}

/// Whether RFC 9111 lets a stored response answer a request now.
private struct Reuse {
    let request: CacheDirectives
    let response: CacheDirectives
    let age: Int64
    let timeToLive: Int64
    let isShared: Bool
    let isChanging: Bool
    /// Whether the request is sent again because of a response with the status of the stored one.
    let isBypassed: Bool

    init(
        _ request: CacheableRequest,
        _ stored: StoredResponse,
        _ isChanging: Bool,
        _ now: Int64,
        _ rules: Freshness.Rules
    ) {
        let freshness = stored.freshness(rules)
        self.request = request.directives
        self.response = stored.directives
        self.age = freshness.age(at: now)
        self.timeToLive = freshness.lifetime - self.age
        self.isShared = rules.isShared
        self.isChanging = isChanging
        self.isBypassed = request.request.bypassesStored(stored.status)
    }

    /// Whether neither side requires validation regardless of age, no change of the resource is under way, and the
    /// request is not repeated because of such a response.
    var isAllowed: Bool {
        self.request.noCache == .nothing && self.response.noCache != .everything && !self.isChanging
            && !self.isBypassed
    }

    var decision: ReuseDecision {
        if self.isAllowed, self.isYoungEnough, self.timeToLive > 0, self.timeToLive >= self.request.minFresh ?? 0 {
            return .reuse(ttl: self.timeToLive, refreshes: false)
        }
        if self.isAllowed, self.isYoungEnough, self.request.minFresh == nil, self.timeToLive <= 0, !self.forbidsStale {
            // RFC 9111 section 5.2.1.2, and RFC 5861 section 3.
            if let limit = self.request.maxStale, -self.timeToLive <= limit {
                return .reuse(ttl: self.timeToLive, refreshes: false)
            }
            if let limit = self.response.staleWhileRevalidate, -self.timeToLive < limit {
                return .reuse(ttl: self.timeToLive, refreshes: !self.request.onlyIfCached)
            }
        }
        if self.request.onlyIfCached { return .unavailable }
        return .validate(self.timeToLive > 0 ? .request : .stale)
    }

    /// No response is young enough for `max-age=0`: ages are rounded down, so an age of 0 may be nearly a second.
    private var isYoungEnough: Bool { self.request.maxAge.map { $0 > 0 && self.age <= $0 } ?? true }

    /// RFC 9111 section 4.2.4.
    var forbidsStale: Bool {
        self.response.mustRevalidate || self.response.noCache != .nothing
            || (self.isShared && (self.response.proxyRevalidate || self.response.sharedMaxAge != nil))
    }
}

extension ReuseDecision {
    /// Whether a stored response may be delivered where the server cannot answer (RFC 5861 section 4).
    static func survivesError(
        _ request: CacheableRequest,
        _ stored: StoredResponse,
        isChanging: Bool = false,
        now: Int64,
        rules: Freshness.Rules
    ) -> Int64? {
        let reuse = Reuse(request, stored, isChanging, now, rules)
        guard request.policy == .useProtocolCachePolicy, reuse.isAllowed, !reuse.forbidsStale else { return nil }
        let limits = [reuse.request.staleIfError, reuse.response.staleIfError].compactMap(\.self)
        guard let limit = limits.max(), -reuse.timeToLive < limit else { return nil }
        return reuse.timeToLive
    }
}
