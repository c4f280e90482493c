// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A moment in the life of an exchange.
///
/// They are nested, and each group that begins also ends, unless what it is a part of fails or is cancelled inside it:
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
/// A peer may respond before it has the whole request: the two groups then overlap. An exchange that waits for a connection gets the first
/// that is free, which need not be the one that was made for it; what happens to that one after the exchange has got another is not told.
///
/// New cases may come with any version: a `switch` needs a `default`.
public enum TransportEvent: Sendable {
    /// The transport was asked for the exchange.
    case started(method: HTTPRequest.Method, origin: Origin)
    /// The exchange goes through a proxy.
    case proxySelected(Proxy)
    /// A connection is being made.
    case connectStarted(Origin)
    /// A name is being looked up.
    case resolveStarted(host: String)
    /// The addresses were found, in the resolver's order, without ports.
    case resolveEnded(addresses: [String])
    /// A socket is being connected to an address, for example `127.0.0.1:8080` or the path of a Unix socket.
    case attemptStarted(address: String)
    /// The socket is connected.
    case attemptEnded(address: String)
    /// The socket could not be connected, took too long, or another one was faster.
    case attemptFailed(address: String, TransportError)
    /// A proxy is asked to open a tunnel to the origin.
    case tunnelStarted(Proxy)
    /// The proxy wants credentials for the tunnel, or others than it got; with which scheme it is answered, nil if it is not.
    case tunnelChallenged(Proxy, answeredWith: AuthenticationScheme?)
    /// The proxy has opened the tunnel.
    case tunnelEnded
    /// A TLS handshake begins, with the origin or with a proxy; whose certificate is expected.
    case tlsHandshakeStarted(host: String)
    /// The TLS handshake is done; the protocol that both sides chose (ALPN), if the peer chose one.
    case tlsHandshakeEnded(applicationProtocol: String?)
    /// The connection is there.
    case connectEnded(remoteAddress: String?)
    /// The connection could not be made.
    case connectFailed(TransportError)
    /// A connection was lent to the exchange.
    case connectionAcquired(id: UInt64, isReused: Bool)
    /// The head of the request is being written.
    case requestHeadStarted
    /// The head of the request was handed to the connection, in this form.
    case requestHeadEnded(SentRequestHead)
    /// The body of the request begins to be sent.
    case requestBodyStarted
    /// The body of the request was handed over.
    case requestBodyEnded(byteCount: Int64)
    /// The first byte of a response came.
    case responseHeadStarted
    /// An informational response (1xx) came.
    case informational(HTTPResponse.Status)
    /// The head of the final response is complete.
    case responseHeadEnded(HTTPResponse.Status)
    /// The response has a body.
    case responseBodyStarted
    /// The body of the response is complete; its bytes without framing, before decoding.
    case responseBodyEnded(byteCount: Int64)
    /// The connection was given back, or given up.
    case connectionReleased(id: UInt64)
    /// The exchange is tried once more, because its connection turned out to be dead or its peer does not want it there.
    case retried(after: TransportError)
    /// The exchange was cancelled, or its streamed response dropped.
    case cancelled
    /// The exchange failed.
    case failed(TransportError)
    /// The response is complete.
    case ended
}
