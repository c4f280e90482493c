// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What a single request asks for differently from its session.
///
/// Every field is optional; nil means "as the session says".
public struct RequestOptions: Sendable, Hashable, Codable {
    /// When a stored response may be used instead of the network.
    public enum CachePolicy: String, Sendable, Hashable, Codable, CaseIterable {
        /// As RFC 9111 says.
        case useProtocolCachePolicy
        /// Always from the network; the store is not read.
        case reloadIgnoringLocalCacheData
        /// Always from the origin server: `Cache-Control: no-cache` asks the caches on the way to stay out of it, too.
        case reloadIgnoringLocalAndRemoteCacheData
        /// A stored response whatever its age, else the network.
        case returnCacheDataElseLoad
        /// A stored response whatever its age, else an error.
        case returnCacheDataDontLoad
        /// A stored response only after the origin confirmed it.
        case reloadRevalidatingCacheData

        /// Another name for ``reloadIgnoringLocalCacheData``.
        public static let reloadIgnoringCacheData = Self.reloadIgnoringLocalCacheData
    }

    /// What kind of traffic the request is: its packets are marked for the queues of this machine and of routers.
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
    /// Requests of different code points never share a connection. A mark is a wish: many networks clear it.
    public enum NetworkServiceType: String, Sendable, Hashable, Codable, CaseIterable {
        case `default`, voip, video, background, voice, responsiveData, avStreaming, responsiveAV, callSignaling
    }

    /// The longest silence of the server while the request is active: no byte in either direction.
    ///
    /// It limits connecting, too: the lookup of the name, the connect and the TLS handshake take no longer than this, each, and no longer than
    /// the session allows.
    public var timeoutInterval: Duration?

    /// The longest time for the whole exchange, from the start of the request to the last byte of the response's body.
    public var totalTimeout: Duration?

    /// When a stored response may be used.
    public var cachePolicy: CachePolicy?

    /// Whether the request may go over a cellular interface; true where nobody says anything.
    ///
    /// Otherwise the interface is looked up before each connection is made. Where no other than a cellular one leads to the server, or the system does
    /// not say, the request fails with the code `interfaceNotAllowed`. A VPN hides what lies below it.
    public var allowsCellularAccess: Bool?

    /// Whether cookies are sent and stored.
    public var handlesCookies: Bool?

    /// Whether the request may be sent before the response to an earlier one on the same connection has come; false where nobody says anything.
    ///
    /// Only safe requests without a body are (GET, HEAD, OPTIONS, TRACE), only on HTTP/1.1, and only behind others that ask for it too. It saves
    /// waiting where connections are few and far away. The price: a slow response holds up those behind it, and so does a
    /// streamed one whose body is not read. A request that is lost behind another one is sent once more by itself.
    public var usesPipelining: Bool?

    /// Whether the response is asked for compressed, and decoded.
    ///
    /// Without Range, `Accept-Encoding` is added where the request does not carry it. A response that comes encoded though nobody asked is
    /// decoded too; the part of a body (206) never is. A download keeps the bytes as the server has them, whatever is said here.
    public var decodesContent: Bool?

    /// What kind of traffic the request is; `default`, which marks nothing, where nobody says anything.
    public var networkServiceType: NetworkServiceType?

    /// Creates options that change nothing.
    public init() {}
}
