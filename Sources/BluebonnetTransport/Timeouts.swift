// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The time limits of the phases of an exchange; the properties are named like the cases of ``ExchangePhase``.
///
/// A value may be shorter than a second; nil means no limit. A negative limit becomes zero when it is set, and a limit
/// of more than 18 years becomes 18 years.
public struct Timeouts: Sendable, Hashable {
    /// The limit on waiting for a connection while all are busy: 60 s unless changed.
    ///
    /// A pipelined request may then wait in the pipeline for the same time; the limits below start when its response is
    /// next.
    public var queue: Duration? = .seconds(60) {
        didSet { self.queue = self.queue?.asLimit }
    }

    /// The limit on looking up the addresses of a host: 10 s unless changed.
    public var resolve: Duration? = .seconds(10) {
        didSet { self.resolve = self.resolve?.asLimit }
    }

    /// The limit on connecting (TCP), for all addresses of the host together: 10 s unless changed.
    ///
    /// A proxy then has the same time again to open a tunnel.
    public var connect: Duration? = .seconds(10) {
        didSet { self.connect = self.connect?.asLimit }
    }

    /// The limit on the TLS handshake: 10 s unless changed.
    public var tlsHandshake: Duration? = .seconds(10) {
        didSet { self.tlsHandshake = self.tlsHandshake?.asLimit }
    }

    /// The write timeout (no byte accepted by the server for this long): 60 s unless changed.
    ///
    /// It does not run while the source of the body is slow and the server has accepted everything that was read from
    /// it, nor while the body waits for 100 (Continue). A server that stops in the middle of a piece is noticed up to a
    /// quarter of the limit late. The system keeps up to 128 KiB that it cannot send yet: a server that takes less than
    /// half of that within the limit seems silent.
    public var requestBody: Duration? = .seconds(60) {
        didSet { self.requestBody = self.requestBody?.asLimit }
    }

    /// The limit on the time from the last byte of the request to the end of the response's head: 60 s unless changed.
    ///
    /// Each informational response restarts it; the bytes of an incomplete head do not.
    public var responseHead: Duration? = .seconds(60) {
        didSet { self.responseHead = self.responseHead?.asLimit }
    }

    /// The read timeout (no byte of the response's body received for this long): 60 s unless changed.
    ///
    /// It does not run while the consumer of a streamed response is slow.
    public var responseBody: Duration? = .seconds(60) {
        didSet { self.responseBody = self.responseBody?.asLimit }
    }

    /// The limit on the whole exchange, from the call to the last byte of the response's body: none unless changed.
    public var total: Duration? {
        didSet { self.total = self.total?.asLimit }
    }

    /// The limit on any period without progress, including connecting.
    ///
    /// Setting it sets ``resolve``, ``connect``, ``tlsHandshake``, ``requestBody``, ``responseHead`` and
    /// ``responseBody`` to the same value; its own value is that of ``responseBody``. ``queue`` is unaffected, because
    /// waiting for a free connection is not the server's delay.
    public var idle: Duration? {
        get { self.responseBody }
        set {
            (self.resolve, self.connect, self.tlsHandshake) = (newValue, newValue, newValue)
            (self.requestBody, self.responseHead, self.responseBody) = (newValue, newValue, newValue)
        }
    }

    /// Creates the default limits.
    public init() {}

    /// The limit of a phase.
    ///
    /// - Parameter phase: The phase.
    public subscript(phase: ExchangePhase) -> Duration? {
        get { self[keyPath: Self.property(of: phase)] }
        set { self[keyPath: Self.property(of: phase)] = newValue }
    }

    /// Whether the limit of a phase is longer than another.
    func isLonger(than other: Timeouts, in phase: ExchangePhase) -> Bool {
        guard let limit = other[phase] else { return false }
        return self[phase].map { $0 > limit } ?? true
    }

    private static func property(of phase: ExchangePhase) -> WritableKeyPath<Timeouts, Duration?> {
        switch phase {
        case .queue: \.queue
        case .resolve: \.resolve
        case .connect: \.connect
        case .tlsHandshake: \.tlsHandshake
        case .requestBody: \.requestBody
        case .responseHead: \.responseHead
        case .responseBody: \.responseBody
        case .total: \.total
        }
    }

    /// Returns the limit on making a connection, with all phases that it may involve; nil if one of them has no limit.
    func establishing(over route: Route) -> TimeAmount? {
        guard let resolve, let connect, let tlsHandshake else { return nil }
        let once = TimeAmount(resolve) + TimeAmount(connect) + TimeAmount(tlsHandshake)
        return switch route {
        case .direct, .unixSocket, .forwarder: once
        // The proxy's name is looked up, the proxy is connected to, may use TLS, and then opens the tunnel.
        case .tunnel: once * 2
        }
    }
}
