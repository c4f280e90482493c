// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
public import HTTPTypes

/// What the transport is asked for beyond the request itself: trust, identity, limits, proxies, and features of HTTP that few requests use.
///
/// One value for the session, ``Session/Configuration/transportOptions``, and one for each request, `request.transport`. Every property is
/// optional; nil means "as the session says", and in the session's value "as the transport does".
///
/// ```swift
/// request.transport.clientIdentity = identity
/// request.transport.expectsContinue = .seconds(1)
/// ```
public struct TransportOptions: Sendable {
    /// The limits of the phases of an exchange, instead of ``Session/Configuration/timeouts``.
    ///
    /// `Timeouts.total` counts for the whole call; one that is nil leaves the session's. `RequestOptions.timeoutInterval` and
    /// `RequestOptions.totalTimeout` are applied on top.
    public var timeouts: Timeouts?

    /// How much the server may make the transport hold.
    public var limits: Limits?

    /// Decides whether the server is trusted; see `TransportRequest.trust`.
    public var trust: (any TrustEvaluator)?

    /// The policy that decides whether the server is trusted, instead of ``trust``: see ``SecurityPolicy``.
    public var securityPolicy: SecurityPolicy?

    /// The keys that servers have to have as well; a request's come on top of the session's.
    ///
    /// See ``PublicKeyPins``.
    public var pins: PublicKeyPins?

    /// The certificate shown to a server that asks for one.
    ///
    /// After a redirect to another origin it is not shown, be it the request's or the session's. ``HTTPSession`` keeps the session's on the
    /// origin of its base URL.
    public var clientIdentity: ClientIdentity?

    /// The proxy.
    public var proxy: ProxyConfiguration?

    /// The path of a Unix socket to connect to, instead of the URL's host.
    public var unixSocketPath: String?

    /// The address of this machine that connections are made from.
    public var localAddress: String?

    /// How long to wait for `100 Continue` before a body is sent anyway (RFC 9110 section 10.1.1).
    public var expectsContinue: Duration?

    /// Called for each informational response (1xx), on an event loop: it must be fast and must not block.
    public var onInformational: (@Sendable (HTTPResponse.Status, HTTPFields) -> Void)?

    /// Makes the trailer fields when the last byte of the body has been read (RFC 9110 section 6.5).
    ///
    /// They stay on their origin as ``clientIdentity`` does. Those of a request are not sent after a redirect that drops the body; those of a session
    /// go with each of its requests.
    public var trailers: (@Sendable () -> HTTPFields)?

    /// Whether the connection may be upgraded, if the server agrees with 101 Switching Protocols (RFC 9110 section 7.8).
    ///
    /// The request has to carry the fields that ask for it. The connection is then in ``StreamedResponse/upgradedChannel``.
    public var allowsUpgrade: Bool?

    /// What answers the proxy's challenge to the request.
    var proxyAnswer: ProxyAnswer?

    /// Keeps connections apart: requests of different groups never share one, also on HTTP/2; see `TransportRequest.connectionGroup`.
    public var connectionGroup: Int?

    /// The connection on whose event loop a new one is made; see `TransportRequest.loopOfConnection`.
    var loopOfConnection: UInt64?

    /// Creates options that change nothing.
    public init() {}
}

extension Request {
    /// What this request asks of the transport differently from its session.
    public var transport: TransportOptions {
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
        if let expectsContinue = options.expectsContinue { self.expectsContinue = expectsContinue }
        if let onInformational = options.onInformational { self.onInformational = onInformational }
        if let trailers = options.trailers { self.trailers = trailers }
        if let proxyAnswer = options.proxyAnswer { self.proxyAnswer = proxyAnswer }
        if let allowsUpgrade = options.allowsUpgrade { self.allowsUpgrade = allowsUpgrade }
        if let connectionGroup = options.connectionGroup { self.connectionGroup = connectionGroup }
        if let connection = options.loopOfConnection { self.loopOfConnection = connection }
    }
}
