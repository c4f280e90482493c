// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A request for a transport: complete, with nothing left to interpret.
public struct TransportRequest: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How the body of the response is delivered.
    public enum ResponseMode: Sendable, Hashable {
        /// Collected, and returned together with the head.
        ///
        /// A body of more bytes fails with ``TransportError/Code/responseTooLarge``, and so does any body of 4 GiB or
        /// more. It is the fastest mode for small responses. See ``TransportRequest/heldByteCount`` for responses whose
        /// status is checked before the body is read.
        case collected(upTo: Int)
        /// Streamed with back-pressure: bytes are read from the server only as fast as the consumer takes them.
        case streamed
    }

    /// The method.
    ///
    /// CR, LF, NUL, spaces and other bytes that are not token characters are refused when the request is sent.
    public var method: HTTPRequest.Method

    /// The origin.
    public var origin: Origin

    /// The request target in origin form (`/path?query`), already percent-encoded.
    public var target: String

    /// The header fields.
    ///
    /// Values are sent byte for byte and need not be UTF-8; one with CR, LF or NUL is refused. The transport controls
    /// Host, Content-Length and Transfer-Encoding: a Host here replaces its own; the other two are computed from the
    /// body and dropped if present. Fields for a proxy are dropped too, above all Proxy-Authorization: the ``Proxy``
    /// defines what is sent there.
    public var headers: HTTPFields

    /// The body.
    public var body: TransportBody

    /// How the response is delivered.
    public var responseMode: ResponseMode

    /// The maximum body size for which a response is collected, in bytes, if a caller may act on its status before it
    /// reads the body; nil, the default, treats all statuses alike.
    ///
    /// It applies to the mode ``ResponseMode/collected(upTo:)`` and the statuses 3xx, 401, 407, 408, 425, 429 and 5xx.
    /// Such a response is collected if its body has no more bytes than this, and no more than the mode allows. A larger
    /// one is returned as a stream, beginning with the bytes that have arrived, as soon as its Content-Length or the
    /// received bytes exceed the limit. It never fails because of its size. A redirect with a Location field never
    /// fails for its size either: it is returned as a stream whatever its size, unless all of it arrived together with
    /// its head, because it can be followed regardless of its body.
    ///
    /// The caller of such a request checks the status first. Then it reads the body with
    /// ``ResponseBody/collect(upTo:)``, or discards it with ``ResponseBody/discard(upTo:)``. Decoded bytes count if
    /// ``decodesContent`` is set.
    public var heldByteCount: Int?

    /// The time limits of the phases.
    public var timeouts: Timeouts

    /// The limits on what the peer may make the transport store for this exchange; nil, the default, for the
    /// transport's own.
    public var limits: TransportLimits? {
        get { self.rare.first?.limits }
        set { self.changeRare { $0.limits = newValue } }
    }

    /// Whether a body with one or a few of the ``decodableCodings`` is decoded; false unless changed.
    ///
    /// Content-Encoding and Content-Length are then removed from the response's fields. Nothing is added to
    /// Accept-Encoding; that is up to the caller. A part of a body (206) is never decoded.
    public var decodesContent = false

    /// How long to wait for `100 Continue` before the body is sent anyway; nil, the default, sends no expectation.
    ///
    /// Adds `Expect: 100-continue` if there is a body (RFC 9110 section 10.1.1). If a final response arrives first, the
    /// body is not sent, and the connection is closed; on HTTP/2, the stream is. If that response is 417 (Expectation
    /// Failed), the request is sent once more without the expectation.
    public var continueTimeout: Duration? {
        get { self.rare.first?.continueTimeout }
        set { self.changeRare { $0.continueTimeout = newValue } }
    }

    /// The evaluator of server trust, instead of ``TLSOptions/trust``; nil, the default, for that one.
    ///
    /// Requests whose evaluators have different ``TrustEvaluator/identity`` never share a connection. It has no effect
    /// on plain HTTP.
    public var trust: (any TrustEvaluator)? {
        get { self.rare.first?.trust }
        set { self.changeRare { $0.trust = newValue } }
    }

    /// The client identity for a server that requests a certificate, instead of ``TLSOptions/clientIdentity``; nil, the
    /// default, for that one.
    ///
    /// Requests with different identities never share a connection. Each identity needs its own TLS context, which
    /// contains the roots again: some megabytes and tens of milliseconds, once. It has no effect on plain HTTP.
    public var clientIdentity: ClientIdentity? {
        get { self.rare.first?.clientIdentity }
        set { self.changeRare { $0.clientIdentity = newValue } }
    }

    /// Returns the trailer fields, after the last byte of the body has been read (RFC 9110 section 6.5); nil, the
    /// default, for none.
    ///
    /// On HTTP/1.1 the body is then chunked, whatever its length. Fields for message framing or routing are refused. It
    /// is called on an event loop: it must be fast and must not block.
    public var trailers: (@Sendable () -> HTTPFields)? {
        get { self.rare.first?.trailers }
        set { self.changeRare { $0.trailers = newValue } }
    }

    /// Whether the request may be pipelined: sent on an HTTP/1.1 connection before the responses to earlier requests;
    /// false unless changed.
    ///
    /// It requires the method GET, HEAD, OPTIONS or TRACE, and a request without body, trailers, Connection, Upgrade
    /// and Expect that no proxy forwards; otherwise, and on HTTP/2, this has no effect. A free connection is preferred.
    /// If there is none, the request is sent behind others of this kind, at most
    /// ``NIOTransport/PoolOptions/maximumPipelineDepth`` in total, on a connection whose last response was HTTP/1.1 and
    /// keeps the connection open, and only then on a new connection. The pool's queue is never overtaken.
    ///
    /// Responses arrive in the order of the requests, so a slow one delays those behind it, and so does a consumer that
    /// does not read the body of its ``ResponseMode/streamed`` response: do not wait for one response while holding the
    /// unread body of another. The limits of ``Timeouts`` start when the response to a request is next; until then it
    /// may wait as long as ``Timeouts/queue``.
    ///
    /// When the connection ends, because the peer closes it, because it fails, or because the first request fails or is
    /// cancelled, the requests waiting in the pipeline are resent, unpipelined, on another connection. The response to
    /// a request that is cancelled behind others is read and discarded; one of more than 64 KiB closes the connection.
    /// Use pipelining only with a server known to implement it correctly: if a server responds twice to one request,
    /// the second response is delivered to the next request.
    ///
    /// - SeeAlso: RFC 9112 section 9.3.2.
    public var usesPipelining = false

    /// Whether the connection may be upgraded to another protocol, if the peer responds with `101 Switching Protocols`;
    /// false unless changed.
    ///
    /// The caller sets the fields that request it (`Connection: upgrade` and `Upgrade`, RFC 9110 section 7.8). After
    /// the upgrade the caller owns the connection: ``TransportResponse/upgradedChannel``. A peer that switches before it
    /// has the whole request fails the exchange with ``TransportError/Code/protocolViolation``. Only HTTP/1.1 supports
    /// upgrades, so such a request is sent over HTTP/1.1, whatever versions the configuration allows, and through a tunnel of a
    /// proxy: a proxy that forwards a request drops the fields (RFC 9110 section 7.6.1).
    public var allowsUpgrade = false

    /// Called for each informational response (1xx) before the final one, on an event loop: it must be fast and must not block.
    public var onInformational: (@Sendable (HTTPResponse.Status, HTTPFields) -> Void)? {
        get { self.rare.first?.onInformational }
        set { self.changeRare { $0.onInformational = newValue } }
    }

    /// The proxy for this request; nil, the default, for the transport's choice, including its Unix socket.
    public var proxy: ProxyConfiguration? {
        get { self.rare.first?.proxy }
        set { self.changeRare { $0.proxy = newValue } }
    }

    /// The answer to a proxy that refused this request with 407 (Proxy Authentication Required), from
    /// ``TransportResponse/proxyAnswer``; nil, the default, for the credentials that the transport chooses.
    ///
    /// It is sent to that proxy only.
    public var proxyAnswer: ProxyAnswer? {
        get { self.rare.first?.proxyAnswer }
        set { self.changeRare { $0.proxyAnswer = newValue } }
    }

    /// The path of the Unix socket for this request, which bypasses any proxy; nil, the default, for the transport's
    /// choice.
    ///
    /// Host and certificate remain the origin's. An empty path, one with a NUL, and one longer than the system allows
    /// (107 bytes on Linux) fail with ``TransportError/Code/invalidRequest``.
    public var unixSocketPath: String? {
        get { self.rare.first?.unixSocketPath }
        set { self.changeRare { $0.unixSocketPath = newValue } }
    }

    /// The local address of the connection, instead of ``SocketOptions/localAddress``; nil, the default, for that one.
    ///
    /// Requests with different addresses never share a connection. The rules of ``SocketOptions/localAddress`` apply
    /// here too.
    public var localAddress: String? {
        get { self.rare.first?.localAddress }
        set { self.changeRare { $0.localAddress = newValue } }
    }

    /// The connection group: requests of different groups never share a connection; nil, the default, is a group of its
    /// own.
    ///
    /// HTTP/2 carries all requests to an origin over one connection. If a server or a route limits the rate of each
    /// connection, each group gets its own. The limits of ``NIOTransport/PoolOptions`` on the connections to one origin
    /// apply within a group.
    public var connectionGroup: Int? {
        get { self.rare.first?.connectionGroup }
        set { self.changeRare { $0.connectionGroup = newValue } }
    }

    /// The ``ExchangeMetrics/connectionID`` of the connection on whose event loop a new one is made for this request;
    /// nil, the default, for the next loop in turn.
    package var loopOfConnection: UInt64? {
        get { self.rare.first?.loopOfConnection }
        set { self.changeRare { $0.loopOfConnection = newValue } }
    }

    /// The traffic class of the connection's packets; ``TrafficClass/standard``, which does not mark them, unless
    /// changed.
    ///
    /// Requests of different classes never share a connection. Through a proxy, the connection to the proxy is marked;
    /// for a Unix socket it has no effect.
    public var trafficClass = TrafficClass.standard

    /// Whether the connection may use a cellular interface; true unless changed.
    ///
    /// If false, the route to each address is looked up before connecting, and an address behind a modem (`wwan0`,
    /// `ppp0`) is skipped. If no other address is left, or the system does not report the route, the exchange fails
    /// with ``TransportError/Code/interfaceNotAllowed`` before a packet is sent there. Through a proxy, the route to
    /// the proxy counts. The path behind a VPN or another machine cannot be known, nor which interface the name lookup
    /// used. Such requests do not share connections with those that allow it.
    public var allowsCellularAccess = true

    /// Receives the events of this exchange, after the transport's own observer; nil by default.
    ///
    /// See ``TransportObserver`` for the rules, and ``TransportEvent`` for the order of the events. A request that is
    /// refused before it becomes an exchange (``TransportError/Code/invalidRequest``) has no events.
    public var observer: (any TransportObserver)?

    /// The options that few requests have; empty for none.
    ///
    /// An array of one element, because its storage is shared until it changes: a request is copied on its way, and
    /// with these options in it every copy would cost a dozen references and half a kilobyte.
    private var rare: [RareOptions] = []

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - origin: The origin.
    ///   - target: The request target in origin form.
    ///   - headers: The header fields.
    ///   - body: The body.
    ///   - responseMode: How the response is delivered; collected, up to 16 MiB, unless given.
    ///   - timeouts: The time limits of the phases.
    public init(
        method: HTTPRequest.Method = .get,
        origin: Origin,
        target: String,
        headers: HTTPFields = HTTPFields(),
        body: TransportBody = .none,
        responseMode: ResponseMode = .collected(upTo: 16 * 1024 * 1024),
        timeouts: Timeouts = Timeouts()
    ) {
        self.method = method
        self.origin = origin
        self.target = target
        self.headers = headers
        self.body = body
        self.responseMode = responseMode
        self.timeouts = timeouts
    }

    private mutating func changeRare(_ change: (inout RareOptions) -> Void) {
        if self.rare.isEmpty { self.rare.append(RareOptions()) }
        change(&self.rare[0])
    }
}

/// The options of a request that few requests have; each is documented where the request declares it.
private struct RareOptions: Sendable {
    var limits: TransportLimits?
    var continueTimeout: Duration?
    var trust: (any TrustEvaluator)?
    var clientIdentity: ClientIdentity?
    var trailers: (@Sendable () -> HTTPFields)?
    var onInformational: (@Sendable (HTTPResponse.Status, HTTPFields) -> Void)?
    var proxy: ProxyConfiguration?
    var proxyAnswer: ProxyAnswer?
    var unixSocketPath: String?
    var localAddress: String?
    var connectionGroup: Int?
    var loopOfConnection: UInt64?
}
