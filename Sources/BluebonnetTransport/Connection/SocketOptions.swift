// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How the sockets of an engine are opened.
public struct SocketOptions: Sendable, Hashable {
    /// The address of this machine to connect from, for example `192.0.2.7`; nil, the default, lets the system choose.
    ///
    /// Only addresses of the same family are then tried. What is not an address, or not one of this machine, fails each exchange with
    /// ``TransportError/Code/connectFailed``. Unix sockets take no notice of it.
    public var localAddress: String?

    /// Whether small writes go out at once (TCP_NODELAY); true unless changed.
    public var noDelay = true

    /// After how long without a byte the system asks a peer whether it is still there, and how often it asks again: nil, the default, for
    /// never.
    ///
    /// Whole seconds, at least 1. It finds a connection that was cut without a word, for example by a router that forgets.
    public var keepAlive: Duration?

    /// Creates the default options.
    public init() {}
}
