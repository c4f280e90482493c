// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// How long each phase of an exchange may take; the properties are named as the cases of ``ExchangePhase``.
///
/// Every value may be below a second; nil means no limit. A negative limit becomes zero when it is set, and one of more than
/// 18 years becomes 18 years.
public struct Timeouts: Sendable, Hashable {
    /// Waiting for a connection while all are busy: 60 s unless changed.
    ///
    /// A pipelined request may wait in line behind others for as long again; the limits below begin to run when it is the first.
    public var queue: Duration? = .seconds(60) {
        didSet { self.queue = self.queue?.asLimit }
    }

    /// Looking up the addresses of a host: 10 s unless changed.
    public var resolve: Duration? = .seconds(10) {
        didSet { self.resolve = self.resolve?.asLimit }
    }

    /// TCP connect, to all addresses of the host together: 10 s unless changed.
    ///
    /// A proxy has as long again to open a tunnel.
    public var connect: Duration? = .seconds(10) {
        didSet { self.connect = self.connect?.asLimit }
    }

    /// The TLS handshake: 10 s unless changed.
    public var tlsHandshake: Duration? = .seconds(10) {
        didSet { self.tlsHandshake = self.tlsHandshake?.asLimit }
    }

    /// Silence while the request is sent: no byte taken by the server for this long; 60 s unless changed.
    ///
    /// It does not run while the source of the body is the slow side and the server has taken all that was read from it.
    public var requestBody: Duration? = .seconds(60) {
        didSet { self.requestBody = self.requestBody?.asLimit }
    }

    /// From the last byte of the request to the end of the response's head: 60 s unless changed.
    ///
    /// Each informational response restarts it; a head that arrives byte by byte does not.
    public var responseHead: Duration? = .seconds(60) {
        didSet { self.responseHead = self.responseHead?.asLimit }
    }

    /// Silence while the body of the response is received: no byte of it for this long; 60 s unless changed.
    ///
    /// It does not run while the consumer of a streamed response is the slow side.
    public var responseBody: Duration? = .seconds(60) {
        didSet { self.responseBody = self.responseBody?.asLimit }
    }

    /// The whole exchange, from the call to the last byte of the response's body: no limit unless changed.
    public var total: Duration? {
        didSet { self.total = self.total?.asLimit }
    }

    /// The limit on any silence, connecting included.
    ///
    /// Setting it sets ``resolve``, ``connect``, ``tlsHandshake``, ``requestBody``, ``responseHead`` and ``responseBody`` to the same
    /// value; its own value is that of ``responseBody``. The wait for a free connection is no silence of the server: ``queue`` stays as
    /// it is.
    public var idle: Duration? {
        get { self.responseBody }
        set {
            (self.resolve, self.connect, self.tlsHandshake) = (newValue, newValue, newValue)
            (self.requestBody, self.responseHead, self.responseBody) = (newValue, newValue, newValue)
        }
    }

    /// Creates the default limits.
    public init() {}

    /// The limit on a phase.
    ///
    /// - Parameter phase: The phase.
    public subscript(phase: ExchangePhase) -> Duration? {
        get { self[keyPath: Self.property(of: phase)] }
        set { self[keyPath: Self.property(of: phase)] = newValue }
    }

    /// Whether a phase may take longer than other limits let it.
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

    /// How long it may take to make a connection, with all phases that can belong to it; nil if one of them has no limit.
    func establishing(over route: Route) -> TimeAmount? {
        guard let resolve, let connect, let tlsHandshake else { return nil }
        let once = TimeAmount(resolve) + TimeAmount(connect) + TimeAmount(tlsHandshake)
        return switch route {
        case .direct, .unixSocket, .forwarder: once
        // A proxy has a name of its own, is connected to, may speak TLS, and then opens the tunnel.
        case .tunnel: once * 2
        }
    }
}
