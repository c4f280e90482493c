// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How long each phase of an exchange may take.
///
/// Every value may be below a second; nil means no limit.
public struct Timeouts: Sendable, Hashable {
    /// Waiting for a connection when all are busy: 60 s unless changed.
    public var pool: Duration? = .seconds(60)

    /// Name lookup and TCP connect together: 10 s unless changed.
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
}
