// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension ClientBootstrap {
    /// Marks the packets of a socket, including those of its handshake.
    ///
    /// - Parameters:
    ///   - trafficClass: The class.
    ///   - address: The remote address of the socket.
    /// - Returns: The bootstrap; unchanged for ``TrafficClass/standard``.
    func marked(_ trafficClass: TrafficClass, to address: SocketAddress) -> ClientBootstrap {
        // A Unix socket has no packets.
        guard trafficClass != .standard, address.protocol != .unix else { return self }
        // The lower two bits belong to explicit congestion notification, which the system controls (RFC 3168 section
        // 5).
        let field = SocketOptionValue(trafficClass.codePoint) << 2
        var bootstrap = self
        if address.protocol == .inet6 {
            bootstrap = bootstrap.channelOption(
                ChannelOptions.Types.SocketOption(level: .ipv6, name: .trafficClass),
                value: field
            )
        }
        #if os(Linux)
        // An IPv6 socket may carry IPv4 (RFC 4038 section 4.2). The priority is set last: setting the field changes it.
        return bootstrap.channelOption(.ipOption(.typeOfService), value: field)
            .channelOption(.socketOption(.priority), value: SocketOptionValue(trafficClass.priority))
        #else
        guard address.protocol == .inet else { return bootstrap }
        return bootstrap.channelOption(.ipOption(.typeOfService), value: field)
        #endif
    }
}

extension NIOBSDSocket.Option {
    /// The DS field of IPv4 (ip(7), `IP_TOS`).
    static let typeOfService = NIOBSDSocket.Option(rawValue: IP_TOS)

    /// The DS field of IPv6 (ipv6(7), `IPV6_TCLASS`).
    static let trafficClass = NIOBSDSocket.Option(rawValue: IPV6_TCLASS)

    #if os(Linux)
    /// The priority for the queues of this machine (socket(7)).
    static let priority = NIOBSDSocket.Option(rawValue: SO_PRIORITY)
    #endif
}
