// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How long each phase of an exchange may take.
///
/// Every value may be below a second; nil means no limit.
public struct Timeouts: Sendable, Hashable {
    /// Waiting for a connection when all are busy: 60 s unless changed.
    public var pool: Duration? = .seconds(60)

    /// Looking up the addresses of a host: 10 s unless changed.
    public var resolve: Duration? = .seconds(10)

    /// TCP connect, to all addresses of the host together: 10 s unless changed.
    ///
    /// A proxy has as long again to open the way.
    public var connect: Duration? = .seconds(10)

    /// The TLS handshake: 10 s unless changed.
    public var handshake: Duration? = .seconds(10)

    /// The longest silence: no byte taken by the peer while sending, none received while waiting or reading.
    ///
    /// 60 s unless changed.
    /// It does not run while the consumer of a streamed reply is the slow side.
    public var idle: Duration? = .seconds(60)

    /// The whole exchange, from the call to the last byte of the reply's body: no limit unless changed.
    public var total: Duration?

    /// Creates the default limits.
    public init() {}

    /// How long it may take to make a connection, with all that can belong to it; nil if a part of it has no limit.
    func establishing(over route: Route) -> Duration? {
        guard let resolve, let connect, let handshake else { return nil }
        return switch route {
        case .direct, .unixSocket, .forwarder: resolve + connect + handshake
        // A proxy has a name of its own, is connected to, may speak TLS, and then opens the way.
        case .tunnel: resolve * 2 + connect * 2 + handshake * 2
        }
    }
}
