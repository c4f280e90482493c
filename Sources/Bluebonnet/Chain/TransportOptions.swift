// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
public import HTTPTypes

/// The options of the transport besides the request itself: trust, identity, limits, proxies, and HTTP features that
/// few requests use.
///
/// There is one value for the session, ``Session/Configuration/transportOptions``, and one for each request,
/// `request.transportOptions`. Every property is optional; nil means the session's value, and in the session's options
/// the transport's.
///
/// ```swift
/// request.transportOptions.clientIdentity = identity
/// request.transportOptions.continueTimeout = .seconds(1)
/// ```
public struct TransportOptions: Sendable {
    /// The limits of the phases of an exchange, instead of ``Session/Configuration/timeouts``.
    ///
    /// `Timeouts.total` applies to the whole call; nil keeps the session's. `RequestOptions.timeoutInterval` and
    /// `RequestOptions.totalTimeout` are applied on top.
    public var timeouts: Timeouts?

    /// Limits on what a server may make the transport hold.
    public var limits: TransportLimits?

    /// Decides whether the server is trusted; see `TransportRequest.trust`.
    public var trust: (any TrustEvaluator)?

    /// The policy that decides whether the server is trusted, instead of ``trust``: see ``SecurityPolicy``.
    public var securityPolicy: SecurityPolicy?

    /// The keys that servers must have in addition; those of a request are added to the session's.
    ///
    /// See ``PublicKeyPins``.
    public var pins: PublicKeyPins?

    /// The client certificate, sent to a server that requests one.
    ///
    /// Neither the request's nor the session's is sent after a redirect to another origin. After one back, the session's is
    /// sent unless the request had its own. ``HTTPSession`` sends the session's only to the origin of its base URL.
    public var clientIdentity: ClientIdentity?

    /// The proxy.
    public var proxy: ProxyConfiguration?

    /// The path of a Unix socket to connect to, instead of the URL's host.
    public var unixSocketPath: String?

    /// The local address that connections are made from.
    public var localAddress: String?

    /// How long to wait for `100 Continue` before a body is sent anyway (RFC 9110 section 10.1.1); see
    /// `TransportRequest.continueTimeout`.
    ///
    /// A body that can be read only once is whole as long as it is held back: a request that is redirected, challenged
    /// or repeated meanwhile is sent with it.
    public var continueTimeout: Duration?

    /// Called for each informational response (1xx), on an event loop: it must be fast and must not block.
    public var onInformational: (@Sendable (HTTPResponse.Status, HTTPFields) -> Void)?

    /// Makes the trailer fields once the last byte of the body has been read (RFC 9110 section 6.5).
    ///
    /// They stay on their origin as ``clientIdentity`` does. A request's are not sent after a redirect that drops the
    /// body; a session's are sent with each of its requests.
    public var trailers: (@Sendable () -> HTTPFields)?

    /// Whether the connection may be upgraded, if the server agrees with 101 Switching Protocols (RFC 9110 section 7.8).
    ///
    /// The request must carry the fields that ask for the upgrade. The connection is then in
    /// ``StreamedResponse/upgradedChannel``; a collected response has none, so there the connection is closed.
    public var allowsUpgrade: Bool?

    /// Answers the proxy's challenge to the request.
    var proxyAnswer: ProxyAnswer?

    /// Keeps connections separate: requests of different groups never share one, even on HTTP/2; see
    /// `TransportRequest.connectionGroup`.
    public var connectionGroup: Int?

    /// The algorithm of the digest of the content that is sent in the trailers; nil for none.
    ///
    /// It is computed by each exchange for itself, and stays on its origin as ``trailers`` do.
    var contentDigestTrailer: ContentDigest.Algorithm?

    /// The connection on whose event loop a new one is made; see `TransportRequest.loopOfConnection`.
    var loopOfConnection: UInt64?

    /// Creates options that change nothing.
    public init() {}
}

extension Request {
    /// The transport options of this request, which override those of its session.
    public var transportOptions: TransportOptions {
        get { self.context[TransportOptions.self] ?? TransportOptions() }
        set { self.context[TransportOptions.self] = newValue }
    }
}

extension TransportRequest {
    /// Applies the options that are set.
    mutating func apply(_ options: TransportOptions) {
        if let limits = options.limits { self.limits = limits }
        if let trust = options.trust { self.trust = trust }
        if let clientIdentity = options.clientIdentity { self.clientIdentity = clientIdentity }
        if let proxy = options.proxy { self.proxy = proxy }
        if let unixSocketPath = options.unixSocketPath { self.unixSocketPath = unixSocketPath }
        if let localAddress = options.localAddress { self.localAddress = localAddress }
        if let continueTimeout = options.continueTimeout { self.continueTimeout = continueTimeout }
        if let onInformational = options.onInformational { self.onInformational = onInformational }
        if let trailers = options.trailers { self.trailers = trailers }
        if let proxyAnswer = options.proxyAnswer { self.proxyAnswer = proxyAnswer }
        if let allowsUpgrade = options.allowsUpgrade { self.allowsUpgrade = allowsUpgrade }
        if let connectionGroup = options.connectionGroup { self.connectionGroup = connectionGroup }
        if let connection = options.loopOfConnection { self.loopOfConnection = connection }
    }
}
