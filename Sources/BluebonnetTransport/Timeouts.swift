// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How long each phase of an exchange may take.
///
/// Every value may be below a second; nil means no limit.
public struct Timeouts: Sendable, Hashable {
    /// Waiting for a connection when all are busy: 60 s unless changed.
    ///
    /// A pipelined request may be in line behind others for as long again; the limits below begin to run when it is the first.
    public var queue: Duration? = .seconds(60)

    /// Looking up the addresses of a host: 10 s unless changed.
    public var resolve: Duration? = .seconds(10)

    /// TCP connect, to all addresses of the host together: 10 s unless changed.
    ///
    /// A proxy has as long again to open the way.
    public var connect: Duration? = .seconds(10)

    /// The TLS handshake: 10 s unless changed.
    public var tlsHandshake: Duration? = .seconds(10)

    /// Silence while the request is sent: no byte taken by the peer for this long; 60 s unless changed.
    ///
    /// It does not run while the source of the body is the slow side.
    public var requestBody: Duration? = .seconds(60)

    /// From the last byte of the request to the end of the response's head: 60 s unless changed.
    ///
    /// Each informational response starts it anew; a head that comes in drips does not.
    public var responseHead: Duration? = .seconds(60)

    /// Silence while the response's body comes: no byte received for this long; 60 s unless changed.
    ///
    /// It does not run while the consumer of a streamed response is the slow side.
    public var responseBody: Duration? = .seconds(60)

    /// The whole exchange, from the call to the last byte of the response's body: no limit unless changed.
    public var total: Duration?

    /// The limits on an idle peer together: setting it sets ``requestBody``, ``responseHead`` and ``responseBody``; its value is that of ``responseBody``.
    public var idle: Duration? {
        get { self.responseBody }
        set { (self.requestBody, self.responseHead, self.responseBody) = (newValue, newValue, newValue) }
    }

    /// Creates the default limits.
    public init() {}

    /// How long it may take to make a connection, with all that can belong to it; nil if a part of it has no limit.
    func establishing(over route: Route) -> Duration? {
        guard let resolve, let connect, let tlsHandshake else { return nil }
        return switch route {
        case .direct, .unixSocket, .forwarder: resolve + connect + tlsHandshake
        // A proxy has a name of its own, is connected to, may speak TLS, and then opens the way.
        case .tunnel: resolve * 2 + connect * 2 + tlsHandshake * 2
        }
    }
}
