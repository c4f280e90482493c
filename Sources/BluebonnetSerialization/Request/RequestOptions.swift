// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The options in which a request differs from its session.
///
/// Every option is optional; nil means the session's value.
public struct RequestOptions: Sendable, Hashable, Codable {
    /// When a stored response may be used instead of the network.
    public enum CachePolicy: String, Sendable, Hashable, Codable, CaseIterable {
        /// As RFC 9111 specifies.
        case useProtocolCachePolicy
        /// Always from the network; the cache is not read.
        case reloadIgnoringLocalCacheData
        /// Always from the origin server: `Cache-Control: no-cache` also bypasses intermediate caches.
        case reloadIgnoringLocalAndRemoteCacheData
        /// A stored response regardless of its age, otherwise the network.
        case returnCacheDataElseLoad
        /// A stored response regardless of its age, otherwise an error.
        case returnCacheDataDontLoad
        /// A stored response only after revalidation by the origin server.
        case reloadRevalidatingCacheData

        /// Another name for ``reloadIgnoringLocalCacheData``.
        public static let reloadIgnoringCacheData = Self.reloadIgnoringLocalCacheData
    }

    /// The kind of traffic of the request: its packets are marked for the queues of this machine and of routers.
    ///
    /// | Type | Code point (RFC 4594, RFC 8622) | Priority |
    /// |---|---|---|
    /// | `default` | none | none |
    /// | `background` | LE, 1 | 1 |
    /// | `responsiveData` | AF21, 18 | 3 |
    /// | `avStreaming` | AF31, 26 | 4 |
    /// | `responsiveAV` | CS4, 32 | 4 |
    /// | `video` | AF41, 34 | 4 |
    /// | `callSignaling` | CS5, 40 | 5 |
    /// | `voice`, `voip` | EF, 46 | 6 |
    ///
    /// Requests of different code points never share a connection. A code point is a request only: many networks clear
    /// it.
    public enum NetworkServiceType: String, Sendable, Hashable, Codable, CaseIterable {
        case `default`, voip, video, background, voice, responsiveData, avStreaming, responsiveAV, callSignaling
    }

    /// The maximum time without a byte in either direction while the request is active, for each exchange of the call.
    ///
    /// It also limits name lookup, connecting and the TLS handshake, each: none takes longer than this, nor longer than
    /// the session allows.
    public var timeoutInterval: Duration?

    /// The time limit for the whole call, from its start to the last byte of the response's body.
    ///
    /// It includes the wait in the session's queue, and every redirect and retry with its delay. The argument
    /// `timeout:` of the methods of `HTTPSession` sets it. Nil is that of the session; zero and a negative time have
    /// passed before anything is sent.
    public var totalTimeout: Duration?

    /// When a stored response may be used.
    public var cachePolicy: CachePolicy?

    /// Whether the request may use a cellular interface; true if neither request nor session specifies it.
    ///
    /// If false, the interface is looked up before each connection is made. If only a cellular interface leads to the
    /// server, or the system does not report it, the request fails with the code `interfaceNotAllowed`. What lies below
    /// a VPN cannot be known.
    public var allowsCellularAccess: Bool?

    /// Whether cookies are sent and stored.
    public var handlesCookies: Bool?

    /// Whether the request may be pipelined: sent before the response to an earlier request on the same connection;
    /// false if neither request nor session specifies it.
    ///
    /// It applies only to safe requests without a body (GET, HEAD, OPTIONS, TRACE), only on HTTP/1.1, and only behind
    /// others that allow it too. It saves round trips if connections are few and slow. In return, a slow response
    /// delays those behind it, and so does a streamed one whose body is not read. A request that is lost behind another
    /// one is resent automatically.
    public var usesPipelining: Bool?

    /// Whether a compressed response is requested and decoded.
    ///
    /// Unless the request has a Range field, `Accept-Encoding` is added if it is missing. A response that is encoded
    /// without being requested is decoded too; a partial one (206) never is. A download always keeps the bytes as the
    /// server sends them.
    public var decodesContent: Bool?

    /// The kind of traffic of the request; `default`, which marks nothing, if neither request nor session specifies it.
    public var networkServiceType: NetworkServiceType?

    /// Creates options, which change nothing unless given.
    ///
    /// - Parameters:
    ///   - timeoutInterval: The maximum time without a byte in either direction.
    ///   - totalTimeout: The time limit for the whole call.
    ///   - cachePolicy: When a stored response may be used.
    ///   - allowsCellularAccess: Whether the request may use a cellular interface.
    ///   - handlesCookies: Whether cookies are sent and stored.
    ///   - usesPipelining: Whether the request may be pipelined.
    ///   - decodesContent: Whether a compressed response is requested and decoded.
    ///   - networkServiceType: The kind of traffic of the request.
    public init(
        timeoutInterval: Duration? = nil,
        totalTimeout: Duration? = nil,
        cachePolicy: CachePolicy? = nil,
        allowsCellularAccess: Bool? = nil,
        handlesCookies: Bool? = nil,
        usesPipelining: Bool? = nil,
        decodesContent: Bool? = nil,
        networkServiceType: NetworkServiceType? = nil
    ) {
        self.timeoutInterval = timeoutInterval
        self.totalTimeout = totalTimeout
        self.cachePolicy = cachePolicy
        self.allowsCellularAccess = allowsCellularAccess
        self.handlesCookies = handlesCookies
        self.usesPipelining = usesPipelining
        self.decodesContent = decodesContent
        self.networkServiceType = networkServiceType
    }
}
