// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The options of an engine's sockets.
public struct SocketOptions: Sendable, Hashable {
    /// The local address to connect from, for example `192.0.2.7`; nil, the default, lets the system choose.
    ///
    /// Only remote addresses of the same family are then tried. If the value is not an address, or not one of this
    /// machine, each exchange fails with ``TransportError/Code/connectFailed``. Unix sockets ignore it.
    public var localAddress: String?

    /// Whether small writes are sent at once (TCP_NODELAY); true unless changed.
    public var noDelay = true

    /// The TCP keep-alive: the idle time before the first probe, and the interval between probes; nil, the default,
    /// sends none.
    ///
    /// Whole seconds, at least 1. It detects a connection that was lost without a packet, for example by a router that
    /// dropped its state.
    public var keepAlive: Duration?

    /// Creates the default options.
    public init() {}
}
