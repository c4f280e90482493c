// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import HTTPTypes

/// Answers requests from stored responses where RFC 9111 allows it, and stores what may be stored.
///
/// ```swift
/// configuration.cache = .memory(maximumByteCount: 32 << 20)
/// ```
///
/// Stored are responses to GET: those with a lifetime of their own, and those whose status may be stored without one. They answer GET and HEAD,
/// conditional requests (304) and requests for one range of bytes (206). Partial responses (206), and those of which Vary says `*`, are never
/// stored. Of a streamed body that was cut short or given up by its reader the beginning is kept, if its response has a strong entity tag and a
/// Content-Length; it answers nobody, until a request for the rest has completed it. Set-Cookie is not stored: a cookie is set when it
/// arrives, not again.
///
/// Copies of a cache know of each other's requests: while one that changes something is under way, what is stored for its URL is validated
/// before it is reused, and what was asked for before its end is not stored. Caches that were made apart, on one store, do not.
///
/// Unless ``isShared`` is set, a response belongs to the `Authorization` field that it was asked for with: requests with other credentials,
/// or with none, do not get it. Cookies do not separate users; a server that tells users apart by them says `Vary: Cookie` or `no-store`.
/// Shared or not, a response that came over a Unix socket, or to a client certificate, answers only requests with the same ones.
///
/// A request's `RequestOptions.cachePolicy` can prefer, demand, avoid or confirm what is stored. What happened to a request is in
/// `Response.cacheStatus`.
///
/// - SeeAlso: RFC 9111; RFC 5861 for `stale-while-revalidate` and `stale-if-error`; RFC 8246 for `immutable`.
public struct ResponseCache: Sendable {
    /// Where responses are kept.
    ///
    /// Several sessions may share one store.
    public var store: any CacheStore

    /// Whether the cache serves several users, as a proxy's does: false unless changed.
    ///
    /// `private`, `proxy-revalidate` and `s-maxage` count only where it does, and responses to requests with credentials are then stored only
    /// as RFC 9111 section 3.5 allows.
    public var isShared = false

    /// The share of the time since its last modification for which a response without a stated lifetime is fresh, in percent.
    ///
    /// 10 unless changed; values outside 0 to 100 count as the nearest of them.
    public var heuristicPercentage = 10

    /// The longest lifetime that is estimated: one day unless changed.
    public var largestHeuristicLifetime: Duration = .seconds(86_400)

    /// The largest body that is stored, in bytes: an eighth of the store unless changed.
    public var largestBodyByteCount: Int

    /// Is asked about each response before it is stored; nil, the default, stores what may be stored.
    ///
    /// Called from the task of the call when the head of the response has arrived. Its answer is stored: nil stores nothing. Changed
    /// fields, a longer `Cache-Control` for example, are those of the stored response alone.
    public var willCache: (@Sendable (CacheProposal) async -> CacheProposal?)?

    /// What is changing at the moment.
    let changes = CacheChanges()

    /// The time of day.
    package var wallClock = WallClock.system

    /// Creates a cache.
    ///
    /// - Parameter store: Where responses are kept.
    public init(store: any CacheStore) {
        self.store = store
        self.largestBodyByteCount = store.maximumByteCount / 8
    }

    /// A cache in memory.
    ///
    /// - Parameter maximumByteCount: The number of bytes that it holds at most, heads and bodies: 64 MiB unless given.
    /// - Returns: The cache, empty.
    public static func memory(maximumByteCount: Int = 64 * 1024 * 1024) -> ResponseCache {
        ResponseCache(store: MemoryCacheStore(maximumByteCount: maximumByteCount))
    }

    var rules: Freshness.Rules {
        Freshness.Rules(
            isShared: self.isShared,
            heuristicPercentage: Int64(self.heuristicPercentage),
            largestHeuristicLifetime: max(self.largestHeuristicLifetime.components.seconds, 0)
        )
    }
}

/// A response that is about to be stored, for ``ResponseCache/willCache``.
public struct CacheProposal: Sendable {
    /// The request, as it was sent.
    public let request: Request

    /// The status of the response.
    public let status: HTTPResponse.Status

    /// The fields to store.
    public var headers: HTTPFields
}
