// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import Metrics

extension NIOTransport {
    /// The configuration of an engine.
    public struct Configuration: Sendable {
        /// Server trust and client identity.
        public var tls = TLSOptions()

        /// The versions of HTTP that the engine uses.
        public var httpVersions = HTTPVersions.negotiated

        /// The HTTP/2 options.
        public var http2 = HTTP2Options()

        /// The proxy for requests: taken from the environment, unless changed; see ``ProxyConfiguration/environment``.
        ///
        /// A request may have its own, see ``TransportRequest/proxy``.
        public var proxy = ProxyConfiguration.environment

        /// Server trust and client identity for an `https` proxy: the system's roots unless changed.
        ///
        /// ``tls`` applies to origins only.
        public var proxyTLS = TLSOptions()

        /// The path of a Unix socket to which every request is sent, regardless of its origin's host and port and
        /// without a proxy; nil, the default, for none.
        ///
        /// The Host field and the expected certificate remain the origin's. A request may have its own, see
        /// ``TransportRequest/unixSocketPath``.
        public var unixSocketPath: String?

        /// The resolver for host names: the system's, unless changed.
        public var resolver: any NameResolver = .system

        /// The IP addresses that requests may be sent to: every one, unless changed.
        public var addressPolicy = AddressPolicy.unrestricted

        /// The socket options.
        public var socket = SocketOptions()

        /// The connection pool options.
        public var pool = PoolOptions()

        /// The limits on what a peer may make the engine store.
        public var limits = TransportLimits()

        /// Receives the events of every exchange; nil, the default, costs nothing.
        public var observer: (any TransportObserver)?

        /// The factory for the pool's metrics; nil, the default, for none.
        ///
        /// The process-wide backend is `MetricsSystem.factory`.
        ///
        /// Counters: `bluebonnet_pool_connections_opened`, `…_closed` and `…_failed`,
        /// `bluebonnet_pool_exchanges_started` and `…_reused` (those on a connection that had served before),
        /// `bluebonnet_pool_waits_timed_out`. Meters, which go up and down: `bluebonnet_pool_exchanges_in_flight` and
        /// `…_waiting`. Timer: `bluebonnet_pool_wait`, from requesting a connection to receiving one. None has
        /// dimensions.
        public var metricsFactory: (any MetricsFactory)?

        /// The source of time.
        package var clock = EngineClock.system

        /// The routing table, for requests that do not allow every interface.
        package var routes = RouteTable.system

        /// The source of network changes, which end the back-off after failed connection attempts.
        package var networkChanges = NetworkChanges.system

        /// The number of file descriptors that the process may open.
        package var descriptorLimit: @Sendable () -> Int = { DescriptorLimit.current }

        /// Creates the default configuration.
        public init() {}
    }

    /// The connection pool options of an engine.
    public struct PoolOptions: Sendable, Hashable {
        /// The maximum number of connections to one origin, in use and idle: 16 unless changed, at least 1.
        ///
        /// Further requests wait in a fair queue.
        public var maximumConnectionsPerOrigin = 16

        /// The maximum number of connections to all origins together, in use, idle and connecting: 1,024 unless
        /// changed, at least 1.
        ///
        /// A request that needs one more closes the connection that has been idle longest, or waits until one closes.
        ///
        /// At most half of the file descriptors that the process may open (`RLIMIT_NOFILE`, `ulimit -n`) are used:
        /// with the usual limit of 1,024 there are at most 512 connections. The limit is looked up when the engine is
        /// created. A program that needs more connections raises it before that.
        public var maximumConnections = 1024

        /// How long a connection may stay idle before it is closed: 60 s unless changed.
        ///
        /// A connection is closed earlier if its server announces a shorter time (`Keep-Alive: timeout=5`): one second
        /// before that, or after half of a time of less than two seconds.
        public var idleTimeout: Duration = .seconds(60)

        /// The age at which a connection accepts no more exchanges; nil, the default, for no limit.
        ///
        /// Set it to follow load balancing or address changes. An exchange in progress is never cut short.
        public var maximumAge: Duration?

        /// The maximum number of exchanges on one connection over its lifetime; nil, the default, for no limit.
        public var maximumUses: Int?

        /// The maximum number of requests in the pipeline of an HTTP/1.1 connection, including the one whose response
        /// is next: 4 unless changed; 1 disables pipelining.
        ///
        /// See ``TransportRequest/usesPipelining``.
        public var maximumPipelineDepth = 4

        /// The delay after a failed connection attempt before another one to the same origin; nil for no delay.
        public var connectBackoff: ConnectBackoff? = ConnectBackoff()

        /// Creates the default options.
        public init() {}
    }
}
