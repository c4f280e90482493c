// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// An event of an exchange.
///
/// Events are nested, and each group that begins also ends, unless the enclosing group fails or is cancelled:
///
/// ```text
/// started
///   proxySelected                            only where a proxy is used
///   connectStarted                           only where a connection is made for the exchange
///     resolveStarted … resolveEnded            for each name that is looked up: the origin's, the proxy's
///     attemptStarted … attemptEnded          for each address that is tried; these overlap where one is slow,
///                   or attemptFailed         and only one ends well
///     tlsHandshakeStarted … tlsHandshakeEnded      only where there is TLS with the proxy
///     tunnelStarted … tunnelEnded            only where a proxy opens a tunnel
///       tunnelChallenged                     for each 407; what makes another connection to the proxy may follow
///     tlsHandshakeStarted … tlsHandshakeEnded      only with TLS
///   connectEnded, or connectFailed
///   connectionAcquired
///     requestHeadStarted … requestHeadEnded
///     requestBodyStarted … requestBodyEnded  only where there is a body
///     responseHeadStarted
///       informational                        for each informational response
///     responseHeadEnded
///     responseBodyStarted … responseBodyEnded      only where there is a body
///   connectionReleased
///   retried                                  and everything after `proxySelected` once more
/// ended, failed or cancelled                 always, and the last
/// ```
///
/// A server may respond before it has received the whole request: the two groups then overlap. If the response is
/// complete first, no more of the request's body is sent, and its group ends at that moment. An exchange that waits
/// for a connection uses the first one that is free, which need not be the one that is made for it; further events of
/// that one are not reported then.
///
/// New cases may be added in any version: a `switch` needs a `default`.
public enum TransportEvent: Sendable {
    /// The transport received the request.
    case started(method: HTTPRequest.Method, origin: Origin)
    /// The exchange goes through a proxy.
    case proxySelected(Proxy)
    /// A connection is being made.
    case connectStarted(Origin)
    /// A name is being looked up.
    case resolveStarted(host: String)
    /// The name was resolved to these addresses, in the resolver's order, without ports.
    case resolveEnded(addresses: [String])
    /// A socket is connecting to an address, for example `127.0.0.1:8080` or the path of a Unix socket.
    case attemptStarted(address: String)
    /// The socket is connected.
    case attemptEnded(address: String)
    /// The socket could not connect, timed out, or another one connected first.
    case attemptFailed(address: String, TransportError)
    /// The tunnel to the origin is being requested from a proxy.
    case tunnelStarted(Proxy)
    /// The proxy requires credentials for the tunnel, or different ones; the scheme of the answer, nil if there is
    /// none.
    case tunnelChallenged(Proxy, answeredWith: AuthenticationScheme?)
    /// The proxy has opened the tunnel.
    case tunnelEnded
    /// A TLS handshake with the origin or a proxy begins; the host whose certificate is expected.
    case tlsHandshakeStarted(host: String)
    /// The TLS handshake is complete; the protocol selected with ALPN, if there is one.
    case tlsHandshakeEnded(applicationProtocol: String?)
    /// The connection is established.
    case connectEnded(remoteAddress: String?)
    /// The connection could not be established.
    case connectFailed(TransportError)
    /// A connection was leased to the exchange.
    case connectionAcquired(id: UInt64, isReused: Bool)
    /// The head of the request is being written.
    case requestHeadStarted
    /// The head of the request was written to the connection, in this form.
    case requestHeadEnded(SentRequestHead)
    /// Sending of the request body begins.
    case requestBodyStarted
    /// The request body was written to the connection, as far as the server wanted it; the number of bytes written.
    ///
    /// They are fewer than the body has if the response was complete before they were all sent.
    case requestBodyEnded(byteCount: Int64)
    /// The first byte of a response arrived.
    case responseHeadStarted
    /// An informational response (1xx) arrived.
    case informational(HTTPResponse.Status)
    /// The head of the final response is complete.
    case responseHeadEnded(HTTPResponse.Status)
    /// The response has a body.
    case responseBodyStarted
    /// The response body is complete; its size without framing, before decoding.
    case responseBodyEnded(byteCount: Int64)
    /// The connection was returned to the pool, or closed.
    case connectionReleased(id: UInt64)
    /// The exchange is retried, because its connection was dead, or the peer declined it there or refused its
    /// expectation.
    case retried(after: TransportError)
    /// The exchange was cancelled, or its streamed response was dropped.
    case cancelled
    /// The exchange failed.
    case failed(TransportError)
    /// The response is complete.
    case ended
}
