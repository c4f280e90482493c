// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The interfaces by which packets leave this machine.
package struct RouteTable: Sendable {
    /// What a table says of a destination.
    package enum Answer: Sendable, Equatable {
        /// Packets leave by an interface of this kind.
        case interface(NetworkLink.Kind)
        /// There is no route.
        case none
        /// The system does not say.
        case unknown
    }

    /// Where packets go, and where they come from.
    package struct Query: Sendable, Hashable {
        /// The address, of 4 or 16 bytes.
        package var address: [UInt8]
        /// The interface that the address says itself (RFC 4007 section 6); 0 for none.
        package var scope: Int32 = 0
        /// The address of this machine that they come from; nil for the system's choice.
        package var source: [UInt8]?

        /// A query for an address; nil if it is none of IP.
        init?(_ address: SocketAddress, from source: String?) {
            guard let bytes = address.ipAddress.flatMap({ IPAddress($0) })?.bytes else { return nil }
            self.address = bytes
            if address.protocol == .inet6 {
                // `sin6_scope_id` is behind the family, the port, the flow and the address (ipv6(7)).
                address.withSockAddr { start, size in
                    let bytes = UnsafeRawBufferPointer(start: start, count: size)
                    if size >= 28 { self.scope = bytes.loadUnaligned(fromByteOffset: 24, as: Int32.self) }
                }
            }
            self.source = source.flatMap { IPAddress($0) }?.bytes
        }
    }

    /// Answers queries; from any thread, but it may block for a moment.
    package typealias Lookup = @Sendable (Query) -> Answer

    /// Opens the table of the network that the calling thread is in; nil where the system has none to show.
    package var open: @Sendable () -> Lookup?

    /// - Parameter open: Opens the table.
    package init(open: @escaping @Sendable () -> Lookup?) {
        self.open = open
    }

    /// The table of the system.
    package static let system = RouteTable { Self.openSystem() }

    private static func openSystem() -> Lookup? {
        #if os(Linux)
        guard let socket = NetlinkSocket() else { return nil }
        return { query in socket.answer(to: query) }
        #else
        return nil
        #endif
    }
}

#if os(Linux)
extension NetlinkSocket {
    /// The kind of the interface by which packets leave.
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
