// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Metrics

extension NIOTransport {
    /// How an engine connects and what it allows.
    public struct Configuration: Sendable {
        /// Server trust and client identity.
        public var tls = TLSOptions()

        /// Which versions of HTTP it speaks.
        public var httpVersions = HTTPVersions.negotiated

        /// How it speaks HTTP/2.
        public var http2 = HTTP2Options()

        /// Which proxy requests go through: what the environment says, unless changed; see ``ProxyConfiguration/environment``.
        ///
        /// A request may have its own, see ``TransportRequest/proxy``.
        public var proxy = ProxyConfiguration.environment

        /// Server trust and client identity for an `https` proxy: the system's roots unless changed.
        ///
        /// ``tls`` is for the origins only.
        public var proxyTLS = TLSOptions()

        /// The path of a Unix socket that every request goes to, whatever its origin's host and port are, and past any proxy; nil, the
        /// default, for none.
        ///
        /// The Host field and the certificate that is expected stay the origin's. A request may have its own, see
        /// ``TransportRequest/unixSocketPath``.
        public var unixSocketPath: String?

        /// Who looks up the addresses of hosts: the system, unless changed.
        public var resolver: any NameResolver = .system

        /// How sockets are opened.
        public var socket = SocketOptions()

        /// How many connections are kept, and for how long.
        public var pool = PoolOptions()

        /// How much a peer may make the engine hold.
        public var limits = Limits()

        /// Is told what happens to every exchange; nobody unless given, which costs nothing.
        public var observer: (any TransportObserver)?

        /// Where the pool's measurements go; nowhere unless given.
        ///
        /// The backend of the process is `MetricsSystem.factory`.
        ///
        /// Counters: `bluebonnet_pool_connections_opened`, `…_closed` and `…_failed`, `bluebonnet_pool_exchanges_started` and `…_reused` (those
        /// of them that found a connection which had served before), `bluebonnet_pool_waits_timed_out`. Meters, which go up and down:
        /// `bluebonnet_pool_exchanges_in_flight` and `…_waiting`. Timer: `bluebonnet_pool_wait`, from asking for a connection to getting one.
        /// None has dimensions.
        public var metricsFactory: (any MetricsFactory)?

        /// Where the time comes from.
        package var clock = EngineClock.system

        /// Where the interface of a route is looked up, for requests that do not allow every one.
        package var routes = RouteTable.system

        /// What tells of changes of the network, which end the back-off after failed attempts to connect.
        package var networkChanges = NetworkChanges.system

        /// Creates the default configuration.
        public init() {}
    }

    /// How many connections an engine keeps, and for how long.
    public struct PoolOptions: Sendable, Hashable {
        /// The connections to one origin, in use and idle: 16 unless changed, at least 1.
        ///
        /// Requests beyond wait in a fair queue.
        public var maximumConnectionsPerOrigin = 16

        /// The connections to all origins together, in use, idle and being made: 1,024 unless changed, at least 1.
        ///
        /// A request that needs one more closes the connection that has been idle for longest, or waits until one closes.
        public var maximumConnections = 1024

        /// How long a connection may stay idle before it is closed: 60 s unless changed.
        public var idleTimeout: Duration = .seconds(60)

        /// How old a connection may become before it takes no more exchanges; nil, the default, for any age.
        ///
        /// Useful where a load balancer or a change of addresses has to be noticed. An exchange under way is never cut short.
        public var maximumAge: Duration?

        /// How many exchanges a connection may carry in its life; nil, the default, for any number.
        public var maximumUses: Int?

        /// How many pipelined requests a connection of HTTP/1.1 may carry at a time, the one whose response comes first included: 4 unless
        /// changed; with 1 nothing is pipelined.
        ///
        /// See ``TransportRequest/usesPipelining``.
        public var maximumPipelineDepth = 4

        /// How long to wait after a failed attempt to connect before another one to the same origin; nil to try again at once.
        public var connectBackoff: ConnectBackoff? = ConnectBackoff()

        /// Creates the default options.
        public init() {}
    }
}
