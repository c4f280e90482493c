// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The timestamps of an exchange's phases, on a monotonic clock, and the bytes transferred.
///
/// ``duration(of:)`` returns the duration of a phase; the phases are the same as in ``Timeouts`` and
/// ``TransportError/phase``.
///
/// The timestamps of a phase that did not take place are nil, for example of connecting on a reused connection, or of a
/// TLS handshake on plain HTTP.
public struct ExchangeMetrics: Sendable {
    /// When the exchange was requested.
    public var started: Instant?
    /// When the exchange began to wait for a connection; if it was tried more than once, for the last one.
    public var queueStarted: Instant?
    /// When a connection was leased to the exchange; if one had to be made for it, the phases from lookup to handshake
    /// lie before this.
    public var queueEnded: Instant?
    /// When reading of the roots and the client certificate began, for the origin or an https proxy, which happens once
    /// per TLS configuration; nil if they had been read before.
    public var tlsPreparationStarted: Instant?
    /// When the roots and the client certificate had been read.
    public var tlsPreparationEnded: Instant?
    /// When the name lookup began; with SOCKS5, that of the origin, which precedes the proxy's.
    public var resolveStarted: Instant?
    /// When the name lookup returned the addresses.
    public var resolveEnded: Instant?
    /// When connecting began.
    public var connectStarted: Instant?
    /// When the TCP connection to the origin or the proxy was established.
    public var connectEnded: Instant?
    /// When the proxy had opened the tunnel to the origin, after its own TLS handshake if it has one; with an https
    /// proxy that forwards requests, when that handshake was complete.
    public var tunnelEnded: Instant?
    /// When the TLS handshake with the origin was complete.
    public var tlsHandshakeEnded: Instant?
    /// When the first byte of the request was handed to the system.
    public var requestHeadStarted: Instant?
    /// When the last byte of the request was handed to the system; if the response was complete before that, when it
    /// was.
    public var requestBodyEnded: Instant?
    /// When the head of the final response was complete.
    public var responseHeadEnded: Instant?
    /// When the last byte of the response had arrived; nil while a body is being streamed.
    public var responseBodyEnded: Instant?
    /// The bytes of the request that were handed to the system: head, body and framing, before encryption.
    public var requestByteCount: Int64 = 0
    /// The bytes of the response that arrived: heads, body and framing, after decryption and before decoding.
    public var responseByteCount: Int64 = 0
    /// The bytes of the request's head; on HTTP/2, after compression.
    public var requestHeadByteCount: Int64 = 0
    /// The bytes of the request's body that were handed to the system, without framing.
    public var requestBodyByteCount: Int64 = 0
    /// The bytes of the response's head, including informational responses; on HTTP/2, before decompression.
    public var responseHeadByteCount: Int64 = 0
    /// The bytes of the response's body that arrived, without framing and before decoding.
    public var responseBodyByteCount: Int64 = 0
    /// The bytes of the response's body delivered so far, after decoding; equal to ``responseBodyByteCount`` if nothing
    /// is decoded.
    public var decodedBodyByteCount: Int64 = 0
    /// The version of HTTP of the response; nil before its head arrived.
    public var httpVersion: HTTPVersion?
    /// The header fields as received; nil if they are those of the response.
    ///
    /// A response whose body is decoded lacks Content-Encoding and Content-Length, which describe the encoded body (RFC
    /// 9110 section 8.4).
    public var receivedHeaders: HTTPFields? {
        get { self.unprintedHeaders?.fields }
        set { self.unprintedHeaders = newValue.map { UnprintedFields(fields: $0) } }
    }
    private var unprintedHeaders: UnprintedFields?
    /// The identifier of the exchange's connection, unique in the process.
    public var connectionID: UInt64?
    /// Whether the connection had served an exchange before.
    public var isConnectionReused = false
    /// The remote address as text, for example `127.0.0.1:8080`: the proxy's, if there is one; for a Unix socket, its
    /// path.
    public var remoteAddress: String?
    /// The local address as text, for example `127.0.0.1:49152`.
    public var localAddress: String?
    /// The result of the TLS handshake: version, cipher suite, protocol, the server's certificates; nil on plain HTTP.
    public var tls: TLSDetails?

    /// Creates empty measurements.
    public init() {}

    /// Subtracts bytes at the end of the request that were counted and are not sent.
    ///
    /// - Parameter byteCount: Their number, which may include framing and encryption.
    mutating func removeUnsent(_ byteCount: Int64) {
        self.requestBodyByteCount = Swift.max(self.requestBodyByteCount - byteCount, 0)
        self.requestByteCount = Swift.max(self.requestByteCount - byteCount, self.requestHeadByteCount)
    }

    /// Records the size of the request's head.
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
