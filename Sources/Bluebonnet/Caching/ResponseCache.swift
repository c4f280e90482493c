// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import HTTPTypes

/// Answers requests from stored responses where RFC 9111 allows it, and stores responses.
///
/// ```swift
/// configuration.cache = .memory(maximumByteCount: 32 << 20)
/// ```
///
/// It stores responses to GET: those with an explicit lifetime, and those whose status allows storing without one. They
/// answer GET and HEAD, conditional requests (304) and requests for one range of bytes (206). Partial responses (206),
/// and those with `Vary: *`, are never stored. If a streamed body is cut short or abandoned by its reader, its
/// beginning is kept, provided that its response has a strong entity tag and a Content-Length. It answers no request
/// until a request for the rest has completed it. Set-Cookie is not stored: a cookie is set only when it arrives.
///
/// Copies of a cache share what they know about requests under way. While an unsafe request is under way, stored
/// responses for its URL are validated before they are reused, and responses requested before its end are not stored.
/// Caches that were created separately on one store do not share this.
///
/// Unless ``isShared`` is set, a response belongs to the `Authorization` field of its request, and to the fields of its
/// ``Authenticator``: requests with other credentials, or with none, do not get it. Cookies do not separate users; a
/// server that distinguishes users by cookies sends `Vary: Cookie` or `no-store`. Shared or not, a response that came
/// over a Unix socket, or to a client certificate, answers only requests with the same ones.
///
/// A request's `RequestOptions.cachePolicy` can prefer, require, avoid or validate stored responses.
/// `Response.cacheStatus` tells what the cache did with a request.
///
/// - SeeAlso: RFC 9111; RFC 5861 for `stale-while-revalidate` and `stale-if-error`; RFC 8246 for `immutable`.
public struct ResponseCache: Sendable {
    /// Where responses are kept.
    ///
    /// Several sessions may share one store.
    public var store: any CacheStore

    /// Whether the cache serves several users, as a proxy's does: false unless changed.
    ///
    /// `private`, `proxy-revalidate` and `s-maxage` apply only to a shared cache, which stores responses to requests
    /// with credentials only as RFC 9111 section 3.5 allows.
    public var isShared = false

    /// The heuristic lifetime of a response without its own, in percent of the time since its last modification.
    ///
    /// 10 unless changed; values outside 0 to 100 count as the nearest of them.
    public var heuristicPercentage = 10

    /// The longest heuristic lifetime: one day unless changed.
    public var maximumHeuristicLifetime: Duration = .seconds(86_400)

    /// The largest body that is stored, in bytes: an eighth of the store unless changed.
    public var maximumBodyByteCount: Int

    /// Decides about each response before it is stored; nil, the default, stores every storable response.
    ///
    /// It is called from the task of the call when the head of the response has arrived. The returned proposal is
    /// stored; nil stores nothing. Changed fields, such as a longer `Cache-Control`, apply only to the stored response.
    /// It is called again with the updated fields when a 304, or a response to HEAD, has confirmed a stored response;
    /// nil removes that.
    public var willCache: (@Sendable (CacheProposal) async -> CacheProposal?)?

    /// The requests under way that affect stored responses.
    let changes = CacheChanges()

    /// The time of day.
    package var wallClock = WallClock.system

    /// Creates a cache.
    ///
    /// - Parameter store: Where responses are kept.
    public init(store: any CacheStore) {
        self.store = store
        self.maximumBodyByteCount = store.maximumByteCount / 8
    }

    /// A cache in memory.
    ///
    /// - Parameter maximumByteCount: The number of bytes that it holds at most, heads and bodies: 64 MiB by default.
    /// - Returns: The cache, empty.
    public static func memory(maximumByteCount: Int = 64 * 1024 * 1024) -> ResponseCache {
        ResponseCache(store: MemoryCacheStore(maximumByteCount: maximumByteCount))
    }

    /// Whether the program's own code decides what is stored, or keeps it.
    var runsProgramCode: Bool { self.willCache != nil || !(self.store is any LibraryCacheStore) }

    /// Whether the store may wait, for example for another process.
    var mayWait: Bool { !(self.store is MemoryCacheStore) }

    var rules: Freshness.Rules {
        Freshness.Rules(
            isShared: self.isShared,
            heuristicPercentage: Int64(self.heuristicPercentage),
            maximumHeuristicLifetime: self.maximumHeuristicLifetime.wholeSeconds
        )
    }
}

/// A response that is about to be stored, for ``ResponseCache/willCache``.
public struct CacheProposal: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The request, as it was sent.
    public let request: Request

    /// The status of the response.
    public let status: HTTPResponse.Status

    /// The fields to store.
    public var headers: HTTPFields
}
