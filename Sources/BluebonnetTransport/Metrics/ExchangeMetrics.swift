// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// When each phase of an exchange happened, on a monotonic clock, and how many bytes went over the wire.
///
/// A phase that did not take place (a connect on a reused connection, a handshake on plain HTTP) is nil.
public struct ExchangeMetrics: Sendable {
    /// The clock of every stamp.
    public typealias Instant = ContinuousClock.Instant

    /// The exchange was asked for.
    public var started: Instant?
    /// The name lookup began.
    public var resolveStarted: Instant?
    /// The addresses were there.
    public var resolveEnded: Instant?
    /// The connect began.
    public var connectStarted: Instant?
    /// TCP was connected: to the origin, or to the proxy.
    public var connected: Instant?
    /// The proxy had opened the way to the origin, after its own TLS handshake if it has one.
    public var tunneled: Instant?
    /// The TLS handshake with the origin was done.
    public var secured: Instant?
    /// The first byte of the request was handed to the system.
    public var requestStarted: Instant?
    /// The last byte of the request was handed to the system.
    public var requestEnded: Instant?
    /// The head of the final reply was complete.
    public var replyStarted: Instant?
    /// The last byte of the reply had arrived; nil while a body is being streamed.
    public var replyEnded: Instant?
    /// The bytes of the request that were handed to the system: head, body and framing, before encryption.
    public var requestByteCount: Int64 = 0
    /// The bytes of the reply that have arrived: heads, body and framing, after decryption and before decoding.
    public var replyByteCount: Int64 = 0
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
}
