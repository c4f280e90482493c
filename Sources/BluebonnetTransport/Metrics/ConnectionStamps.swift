// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The timestamps of a connection's establishment; the first exchange on it reports them.
struct ConnectionStamps: Sendable {
    var tlsPreparationStarted: ExchangeMetrics.Instant?
    var tlsPreparationEnded: ExchangeMetrics.Instant?
    var resolveStarted: ExchangeMetrics.Instant?
    var resolveEnded: ExchangeMetrics.Instant?
    var connectStarted: ExchangeMetrics.Instant
    var connectEnded: ExchangeMetrics.Instant?
    /// When a proxy had opened the tunnel, or when TLS with a forwarding proxy was complete.
    var tunnelEnded: ExchangeMetrics.Instant?
    var tlsHandshakeEnded: ExchangeMetrics.Instant?
    var remoteAddress: String?
    var localAddress: String?
    var tls: TLSDetails?
    /// The identifier of the connection, unique in the process.
    var connectionID = ConnectionStamps.nextID()

    private static let lastID = Atomic<UInt64>(0)

    private static func nextID() -> UInt64 { Self.lastID.add(1, ordering: .relaxed).newValue }

    /// Returns the measurements of an exchange that starts on the connection now.
    func metrics(of exchange: Exchange, isReused: Bool) -> ExchangeMetrics {
        var metrics = ExchangeMetrics()
        metrics.started = exchange.started
        metrics.queueStarted = exchange.queueStarted
        let now = exchange.clock.instant()
        metrics.queueEnded = now
        metrics.requestHeadStarted = now
        metrics.isConnectionReused = isReused
        metrics.connectionID = self.connectionID
        metrics.remoteAddress = self.remoteAddress
        metrics.localAddress = self.localAddress
        metrics.tls = self.tls
        if !isReused {
            metrics.tlsPreparationStarted = self.tlsPreparationStarted
            metrics.tlsPreparationEnded = self.tlsPreparationEnded
            metrics.resolveStarted = self.resolveStarted
            metrics.resolveEnded = self.resolveEnded
            metrics.connectStarted = self.connectStarted
            metrics.connectEnded = self.connectEnded
            metrics.tunnelEnded = self.tunnelEnded
            metrics.tlsHandshakeEnded = self.tlsHandshakeEnded
        }
        return metrics
    }
}
