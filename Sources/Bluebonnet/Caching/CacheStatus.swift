// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What a cache did with a request (RFC 9211).
public struct CacheStatus: Sendable, Hashable, CustomStringConvertible {
    /// Why a request was forwarded to the server.
    public enum Forward: String, Sendable, Hashable {
        /// The cache does not handle such requests, or was told not to.
        case bypass
        /// The method cannot be answered from a cache.
        case method
        /// Nothing was stored for the URL.
        case uriMiss = "uri-miss"
        /// The stored responses for the URL were for other fields, or for other credentials.
        case varyMiss = "vary-miss"
        /// Only the beginning of the response was stored.
        case partial
        /// No stored response could be reused, for another reason.
        case miss
        /// A stored response was fresh, but the request did not allow its use.
        case request
        /// The stored response was stale.
        case stale
    }

    /// Why the request was forwarded to the server; nil if it was not.
    public var forward: Forward?

    /// The status of the server's response, if the request was forwarded.
    public var forwardStatus: Int?

    /// The remaining freshness lifetime, negative if the response is stale; nil if it was not stored.
    public var timeToLive: Duration?

    /// Whether the response of the server is to be stored, once its body has been read to the end.
    ///
    /// The status is made with the head of the response: a store that fails later, for example on a full disk, keeps
    /// nothing.
    public var isStored = false

    /// Additional information, for people.
    public var detail: String?

    /// Whether the cache has made the response itself: 504, where a request with `only-if-cached` finds nothing.
    private(set) var isOwn = false

    /// Whether a stored response was the answer, without asking the server.
    public var isHit: Bool { self.isOfCache && !self.isOwn }

    /// Whether the answer came from the cache alone, without asking the server.
    var isOfCache: Bool { self.forward == nil }

    /// What is said of a response that the cache has made itself: neither `hit` nor `fwd` (RFC 9211 section 2).
    static func own(detail: String) -> CacheStatus {
        var status = CacheStatus(detail: detail)
        status.isOwn = true
        return status
    }

    init(forward: Forward? = nil, forwardStatus: Int? = nil, timeToLive: Int64? = nil, detail: String? = nil) {
        self.forward = forward
        self.forwardStatus = forwardStatus
        self.timeToLive = timeToLive.map { .seconds($0) }
        self.detail = detail
    }

    /// The member of a Cache-Status field, for example `Bluebonnet; hit; ttl=30`.
    public var description: String {
        var parts = ["Bluebonnet"]
        if self.isHit { parts.append("hit") }
        if let forward { parts.append("fwd=\(forward.rawValue)") }
        if let forwardStatus { parts.append("fwd-status=\(forwardStatus)") }
        if let timeToLive { parts.append("ttl=\(timeToLive.components.seconds)") }
        if self.isStored { parts.append("stored") }
        if let detail { parts.append("detail=\(detail)") }
        return parts.joined(separator: "; ")
    }
}
