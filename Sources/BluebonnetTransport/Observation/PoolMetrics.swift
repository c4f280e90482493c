// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Metrics

/// The metrics of a pool.
///
/// The labels are part of the public documentation, see ``NIOTransport/Configuration/metricsFactory``.
final class PoolMetrics: Sendable {
    let opened: Counter
    let closed: Counter
    let failed: Counter
    let waitedTooLong: Counter
    let started: Counter
    let reused: Counter
    let inFlight: Meter
    let waiting: Meter
    let wait: Timer

    init(factory: any MetricsFactory) {
        self.opened = Counter(label: "bluebonnet_pool_connections_opened", factory: factory)
        self.closed = Counter(label: "bluebonnet_pool_connections_closed", factory: factory)
        self.failed = Counter(label: "bluebonnet_pool_connections_failed", factory: factory)
        self.waitedTooLong = Counter(label: "bluebonnet_pool_waits_timed_out", factory: factory)
        self.started = Counter(label: "bluebonnet_pool_exchanges_started", factory: factory)
        self.reused = Counter(label: "bluebonnet_pool_exchanges_reused", factory: factory)
        self.inFlight = Meter(label: "bluebonnet_pool_exchanges_in_flight", factory: factory)
        self.waiting = Meter(label: "bluebonnet_pool_exchanges_waiting", factory: factory)
        self.wait = Timer(label: "bluebonnet_pool_wait", factory: factory)
    }
}
