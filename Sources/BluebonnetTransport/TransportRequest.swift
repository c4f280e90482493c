// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import NIOCore

/// One request as the transport sees it: everything decided, nothing left to interpret.
public struct TransportRequest: Sendable {
    /// How the response's body is wanted.
    public enum ResponseMode: Sendable, Hashable {
        /// Whole, with the head, in one piece; a body of more bytes fails with ``TransportError/Code/responseTooLarge``, and one of 4 GiB
        /// always.
        ///
        /// The fastest for small responses. See ``TransportRequest/heldByteCount`` for responses that are looked at before they are read.
        case collected(upTo: Int)
        /// As it arrives, with back-pressure: the server is read only as fast as the consumer takes the bytes.
        case streamed
    }

    /// The method.
    ///
    /// CR, LF, NUL, spaces and other bytes outside the token set are refused when it is sent.
    public var method: HTTPRequest.Method

    /// Where the request goes.
    public var origin: Origin

    /// The request target in origin form (`/path?query`), already percent-encoded.
    public var target: String

    /// The header fields.
    ///
    /// HTTP/2 carries values that are UTF-8 and refuses others. Host, Content-Length and Transfer-Encoding are the transport's: Host may be overridden here, the other two are computed from the body and dropped if present.
    /// So are the fields between a client and its proxy, Proxy-Authorization above all: a ``Proxy`` says what is sent there.
    public var headers: HTTPFields

    /// The body.
    public var body: TransportBody

    /// How the response is wanted.
    public var responseMode: ResponseMode

    /// How many bytes of a response are collected if its status is one that a caller may act on before it reads the body; nil, the
    /// default, makes no difference between statuses.
    ///
    /// Holds for the mode ``ResponseMode/collected(upTo:)`` and the statuses 3xx, 401, 407, 408, 425, 429 and 5xx. Such a response is
    /// collected as long as its body has no more bytes than this, and no more than the mode allows. A larger one is answered as a stream,
    /// with the bytes that have arrived at its front: as soon as its Content-Length says that it is larger, or more bytes have come. It never
    /// fails for its size. Nor does a redirect with a Location field, which is answered as a stream whatever its size, unless all of it has come with
    /// its head: it can be followed whatever becomes of its body.
    ///
    /// The caller of such a request looks at the status first. Then it reads the body with ``ResponseBody/collect(upTo:)``, or gives it up
    /// with ``ResponseBody/discard(upTo:)``. Decoded bytes count where ``decodesContent`` is set.
    public var heldByteCount: Int?

    /// How long each phase may take.
    public var timeouts: Timeouts

    /// How much the peer may make the transport hold for this exchange; nil, the default, for the transport's own limits.
    public var limits: Limits?

    /// Whether a body that comes with one of ``decodableCodings``, or a few of them, is decoded; false unless changed.
    ///
    /// Content-Encoding and Content-Length are then taken out of the response's fields. What is asked for is the caller's business: nothing is
    /// added to Accept-Encoding. A part of a body (206) is never decoded.
    public var decodesContent = false

    /// How long to wait for `100 Continue` before a body is sent anyway; nil, the default, asks for nothing.
    ///
    /// Adds `Expect: 100-continue` where there is a body (RFC 9110 section 10.1.1). A final response that comes first is taken as the
    /// verdict: the body is not sent, and the connection is closed.
    public var expectsContinue: Duration?

    /// Judges whether the server is trusted, instead of ``TLSOptions/trust``; nil, the default, for that one.
    ///
    /// Requests under trusts of different ``TrustEvaluator/identity`` never share a connection. Without meaning on plain HTTP.
    public var trust: (any TrustEvaluator)?

    /// The certificate shown to a server that asks for one, instead of ``TLSOptions/clientIdentity``; nil, the default, for that one.
    ///
    /// Requests with different identities never share a connection. Each one costs a TLS context of its own, which holds the roots again: some
    /// megabytes and tens of milliseconds, once. Without meaning on plain HTTP.
    public var clientIdentity: ClientIdentity?

    /// Makes the trailer fields, when the last byte of the body has been read (RFC 9110 section 6.5); nil, the default, for none.
    ///
    /// On HTTP/1.1 the body is then sent in chunks, whatever its length. Fields that frame the message or route it are refused.
    /// Called on an event loop: it must be fast and must not block.
    public var trailers: (@Sendable () -> HTTPFields)?

    /// Whether the request may be sent on an HTTP/1.1 connection before the responses to others have come; false unless changed.
    ///
    /// It is, if its method is GET, HEAD, OPTIONS or TRACE, it has neither a body nor trailers, Connection, Upgrade or Expect, and no proxy
    /// forwards it; otherwise, and on HTTP/2, this changes nothing. A free connection goes first. Where there is none, the request is sent
    /// behind others of its kind, on a connection whose last response was one of HTTP/1.1 that lets it go on, up to
    /// ``NIOTransport/PoolOptions/maximumPipelineDepth`` of them, and only then on a new connection. Nobody in the pool's queue is overtaken.
    ///
    /// Responses come in the order of the requests, so a slow one holds up those behind it, and so does a consumer that does not read the
    /// body of its ``ResponseMode/streamed`` response: do not wait for one response with the body of another in your hands. The limits of
    /// ``Timeouts`` count from the moment a request is first in line; until then it may take as long as ``Timeouts/queue``.
    ///
    /// What is in line when the connection ends, because the peer says so, because it breaks, or because the first in line fails
    /// or is cancelled, is sent once more, alone, on another connection. The response to a request that is cancelled in the middle of
    /// the line is read and dropped; one of more than 64 KiB ends the connection. Ask for it only where the server is known to count
    /// right: one that answers a request twice gives the second answer to whoever is next in line.
    ///
    /// - SeeAlso: RFC 9112 section 9.3.2.
    public var usesPipelining = false

    /// Whether the connection may become one of another protocol, if the peer agrees with `101 Switching Protocols`; false unless changed.
    ///
    /// The fields that ask for it (`Connection: upgrade` and `Upgrade`, RFC 9110 section 7.8) are the caller's to set. The connection is
    /// then the caller's: ``TransportResponse/upgradedChannel``. Only HTTP/1.1 has it, so such a request goes over
    /// HTTP/1.1, whatever the configuration says of versions.
    public var allowsUpgrade = false

    /// Called for each informational response (1xx) before the final one, on an event loop: it must be fast and must not block.
    public var onInformational: (@Sendable (HTTPResponse.Status, HTTPFields) -> Void)?

    /// Which proxy this request goes through; nil, the default, for the transport's choice, including its Unix socket.
    public var proxy: ProxyConfiguration?

    /// The answer to the proxy that has refused this request with 407 (Proxy Authentication Required), from
    /// ``TransportResponse/proxyAnswer``; nil, the default, for what the transport knows to send there.
    ///
    /// Sent to that proxy and to nobody else.
    public var proxyAnswer: ProxyAnswer?

    /// The path of the Unix socket that this request goes to, past any proxy; nil, the default, for the transport's choice.
    ///
    /// Host and certificate are the origin's all the same. An empty path, one with a NUL, and one that is longer than the system takes (107
    /// bytes on Linux) fail with ``TransportError/Code/invalidRequest``.
    public var unixSocketPath: String?

    /// The address of this machine that the connection is made from, instead of ``SocketOptions/localAddress``; nil, the default, for that
    /// one.
    ///
    /// Requests with different addresses never share a connection. The rules of ``SocketOptions/localAddress`` hold here too.
    public var localAddress: String?

    /// Keeps connections apart: requests of different groups never share one; nil, the default, for a group of its own.
    ///
    /// HTTP/2 carries the requests to an origin over one connection. Where a server or a route limits the rate of each connection, groups get a
    /// connection each. The limits of ``NIOTransport/PoolOptions`` on the connections to one origin count within a group.
    public var connectionGroup: Int?

    /// The connection, by ``ExchangeMetrics/connectionID``, on whose event loop a new one is made for this request; nil, the default, for the
    /// next loop in turn.
    package var loopOfConnection: UInt64?

    /// What the packets of the connection are marked with; ``TrafficClass/standard``, which marks nothing, unless changed.
    ///
    /// Requests of different classes never share a connection. Through a proxy it is the connection to the proxy that is marked; a Unix socket
    /// has nothing to mark.
    public var trafficClass = TrafficClass.standard

    /// Whether the connection may leave this machine by a cellular interface; true unless changed.
    ///
    /// Otherwise the route to each address is looked up before it is connected to. An address behind a modem (`wwan0`, `ppp0`) is left out. Where
    /// no other is left, or the system does not say, the exchange fails with ``TransportError/Code/interfaceNotAllowed`` before a packet is sent
    /// there. Through a proxy the route to the proxy counts. What lies behind a VPN or another machine cannot be known, nor by which
    /// interface the name was looked up. Such requests do not share connections with those that allow it.
    public var allowsCellularAccess = true

    /// Is told what happens to this exchange, after the transport's own observer; nil, the default, for nobody.
    ///
    /// See ``TransportObserver`` for the rules, and ``TransportEvent`` for the order of the events. A request that is refused before it
    /// becomes an exchange (``TransportError/Code/invalidRequest``) has no events.
    public var observer: (any TransportObserver)?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - origin: Where it goes.
    ///   - target: The request target in origin form.
    ///   - headers: The header fields.
    ///   - body: The body.
    ///   - responseMode: How the response is wanted; whole, up to 16 MiB, unless given.
    ///   - timeouts: How long each phase may take.
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
}

/// The body of a ``TransportRequest``.
public enum TransportBody: Sendable {
    /// No body.
    case none

    /// Bytes in memory, sent with the head in one write.
    case bytes(ByteBuffer)

    /// Bytes pulled as the connection takes them.
    ///
    /// - Parameters:
    ///   - length: The exact number of bytes, or nil if it is not known (HTTP/1.1 then sends chunks). A reader that gives another number fails the exchange.
    ///   - isReplayable: Whether `makeReader` may be called again, on a stale connection for example.
    ///   - makeReader: Makes a reader at the first byte; called and read on a thread pool, so that it may block.
    case reader(length: Int64?, isReplayable: Bool, makeReader: @Sendable () throws -> any TransportBodyReader)

    /// A file or a part of one, which the system sends by itself where it can.
    case file(FileBody)

    /// Whether the body can be sent a second time.
    public var isReplayable: Bool {
        switch self {
        case .none, .bytes, .file: true
        case .reader(_, let isReplayable, _): isReplayable
        }
    }

    /// Makes a reader of a body that is not in memory, for transports of your own; nil for ``none`` and ``bytes(_:)``.
    ///
    /// - Throws: What opening the body's source throws.
    public func makeReader() throws -> (any TransportBodyReader)? {
        switch self {
        case .none, .bytes: nil
        case .reader(_, _, let makeReader): try makeReader()
        case .file(let file): try file.makeReader()
        }
    }
}

/// Reads a request body; see ``TransportBody/reader(length:isReplayable:makeReader:)``.
public protocol TransportBodyReader: Sendable {
    /// Fills the front of a buffer with the body's next bytes.
    ///
    /// - Parameter buffer: Where the bytes go; never empty.
    /// - Returns: How many bytes were written, or 0 at the end.
    /// - Throws: Whatever makes the body impossible to finish.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

    /// How long the next read has to wait; zero, the default, for not at all.
    ///
    /// Asked after each read that gave bytes. The delay is measured on the clock of the event loop, and no thread is blocked meanwhile:
    /// a reader that is slow on purpose says so here and does not sleep.
    var delayBeforeNextRead: Duration { get }
}

extension TransportBodyReader {
    /// Zero: the next read may follow at once.
    public var delayBeforeNextRead: Duration { .zero }
}
