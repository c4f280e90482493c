// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The interfaces through which packets leave this machine.
package struct RouteTable: Sendable {
    /// The answer of a table for a destination.
    package enum Answer: Sendable, Equatable {
        /// Packets leave through an interface of this kind.
        case interface(NetworkLink.Kind)
        /// There is no route.
        case none
        /// The system does not report it.
        case unknown
    }

    /// The destination and source of packets.
    package struct Query: Sendable, Hashable {
        /// The remote address, of 4 or 16 bytes.
        package var address: [UInt8]
        /// The interface index in the scope of the address (RFC 4007 section 6); 0 for none.
        package var scope: Int32 = 0
        /// The local address; nil for the system's choice.
        package var source: [UInt8]?

        /// Creates a query for an address; nil if it is not an IP address.
        init?(_ address: SocketAddress, from source: String?) {
            guard let bytes = address.ipAddress.flatMap({ IPAddress($0) })?.bytes else { return nil }
            self.address = bytes
            if address.protocol == .inet6 {
                // `sin6_scope_id` follows the family, the port, the flow label and the address (ipv6(7)).
                address.withSockAddr { start, size in
                    let bytes = UnsafeRawBufferPointer(start: start, count: size)
                    if size >= 28 { self.scope = bytes.loadUnaligned(fromByteOffset: 24, as: Int32.self) }
                }
            }
            self.source = source.flatMap { IPAddress($0) }?.bytes
        }
    }

    /// Answers queries; may be called on any thread, and may block briefly.
    package typealias Lookup = @Sendable (Query) -> Answer

    /// Opens the table of the calling thread's network namespace; returns nil if the system provides none.
    package var open: @Sendable () throws -> Lookup?

    /// - Parameter open: Opens the table.
    package init(open: @escaping @Sendable () throws -> Lookup?) {
        self.open = open
    }

    /// The system's table.
    package static let system = RouteTable { try Self.openSystem() }

    private static func openSystem() throws -> Lookup? {
        #if os(Linux)
        let socket = try NetlinkSocket()
        return { query in socket.answer(to: query) }
        #else
        return nil
        #endif
    }
}

#if os(Linux)
extension NetlinkSocket {
    /// Returns the kind of the outgoing interface.
    fileprivate func answer(to query: RouteTable.Query) -> RouteTable.Answer {
        let request = NetworkRoute.request(query.address, from: query.source, scope: query.scope)
        guard let request, let answer = self.ask(request) else { return .unknown }
        guard let route = NetworkRoute(answer) else { return NetworkRoute.isDenied(by: answer) ? .none : .unknown }
        guard let answer = self.ask(NetworkLink.request(index: route.link)), let link = NetworkLink(answer) else {
            return .unknown
        }
        return .interface(link.kind(LinkTraits.init(ofInterface:)))
    }
}
#endif
