// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// When each phase of an exchange happened, on a monotonic clock, and how many bytes went over the wire.
///
/// The duration of a phase is ``duration(of:)``; the phases are the same as in ``Timeouts`` and ``TransportError/phase``.
///
/// A phase that did not take place (a connect on a reused connection, a handshake on plain HTTP) is nil.
public struct ExchangeMetrics: Sendable {
    /// The exchange was asked for.
    public var started: Instant?
    /// The exchange began to wait for a connection; for the last one, where it was tried more than once.
    public var queueStarted: Instant?
    /// A connection was lent to the exchange; where one had to be made for it, the phases from lookup to handshake lie in between.
    public var queueEnded: Instant?
    /// The roots and the client certificate began to be read, once for each configuration of TLS; nil where that had been done before.
    public var tlsPreparationStarted: Instant?
    /// The roots and the client certificate had been read.
    public var tlsPreparationEnded: Instant?
    /// The name lookup began.
    public var resolveStarted: Instant?
    /// The addresses were there.
    public var resolveEnded: Instant?
    /// The connect began.
    public var connectStarted: Instant?
    /// TCP was connected: to the origin, or to the proxy.
    public var connectEnded: Instant?
    /// The proxy had opened the tunnel to the origin, after its own TLS handshake if it has one.
    public var tunnelEnded: Instant?
    /// The TLS handshake with the origin was done.
    public var tlsHandshakeEnded: Instant?
    /// The first byte of the request was handed to the system.
    public var requestHeadStarted: Instant?
    /// The last byte of the request was handed to the system.
    public var requestBodyEnded: Instant?
    /// The head of the final response was complete.
    public var responseHeadEnded: Instant?
    /// The last byte of the response had arrived; nil while a body is being streamed.
    public var responseBodyEnded: Instant?
    /// The bytes of the request that were handed to the system: head, body and framing, before encryption.
    public var requestByteCount: Int64 = 0
    /// The bytes of the response that have arrived: heads, body and framing, after decryption and before decoding.
    public var responseByteCount: Int64 = 0
    /// The bytes of the request's head: on HTTP/2 after compression.
    public var requestHeadByteCount: Int64 = 0
    /// The bytes of the request's body that were handed to the system, without framing.
    public var requestBodyByteCount: Int64 = 0
    /// The bytes of the response's head, informational responses included: on HTTP/2 before it was expanded.
    public var responseHeadByteCount: Int64 = 0
    /// The bytes of the response's body that have arrived, without framing and before it is decoded.
    public var responseBodyByteCount: Int64 = 0
    /// The bytes of the response's body as it is handed out, so far; the same as ``responseBodyByteCount`` where nothing is decoded.
    public var decodedBodyByteCount: Int64 = 0
    /// The version of HTTP that the peer responded with; nil before its head came.
    public var httpVersion: HTTPVersion?
    /// The header fields as they were received; nil where the response has the same.
    ///
    /// A response whose body is handed out decoded lacks Content-Encoding and Content-Length, which describe the body as it was sent
    /// (RFC 9110 section 8.4).
    public var receivedHeaders: HTTPFields?
    /// Which connection carried the exchange: a number that no other connection of the process has.
    public var connectionID: UInt64?
    /// Whether the connection had served an exchange before.
    public var isConnectionReused = false
    /// The peer's address as text, for example `127.0.0.1:8080`: the proxy's, if there is one; the path of a Unix socket.
    public var remoteAddress: String?
    /// Our own address as text, for example `127.0.0.1:49152`.
    public var localAddress: String?
    /// What was agreed on in the TLS handshake: version, cipher suite, protocol, the server's certificates; nil on plain HTTP.
    public var tls: TLSDetails?

    /// Creates empty measurements.
    public init() {}

    /// Counts the head of a request.
    mutating func noteRequestHead(_ byteCount: Int) {
        self.requestHeadByteCount = Int64(byteCount)
        self.requestByteCount = Int64(byteCount)
    }

    /// A version of HTTP.
    public enum HTTPVersion: String, Sendable, Hashable {
        /// RFC 1945.
        case http10 = "HTTP/1.0"
        /// RFC 9112.
        case http11 = "HTTP/1.1"
        /// RFC 9113.
        case http2 = "HTTP/2"
    }
}
