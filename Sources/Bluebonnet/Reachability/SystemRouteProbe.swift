// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTransport
import NIOCore
import Synchronization

#if !os(Linux)
/// Always reports an unknown status, because there is no rtnetlink here.
struct SystemRouteProbe: RouteProbe {
    init(_ target: ReachabilityMonitor.Target, _ resolver: any NameResolver) {}

    func changes() -> AsyncStream<Void> {
        AsyncStream { continuation in
            continuation.yield()
        }
    }

    func status() async -> ReachabilityStatus { .unknown }
}
#else
/// Asks the kernel for the routes to a target (rtnetlink(7)).
final class SystemRouteProbe: RouteProbe {
    /// Addresses of `a.root-servers.net`, which are public and stable; nothing is sent to them.
    private static let publicAddresses: [[UInt8]] = [
        [198, 41, 0, 4], [0x20, 0x01, 0x05, 0x03, 0xBA, 0x3E, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0x30],
    ]

    private let target: ReachabilityMonitor.Target
    private let resolver: any NameResolver
    private let clock: SessionClock
    private let openSocket: RouteWatch.OpenSocket
    /// The current run, which begins with ``changes()``, so that its sockets belong to the network namespace of the
    /// code that starts the monitor.
    private let watch = Mutex<RouteWatch?>(nil)
    /// The addresses that the name was last found to have.
    private let lastAddresses = Mutex([[UInt8]]())

    init(
        _ target: ReachabilityMonitor.Target,
        _ resolver: any NameResolver,
        clock: SessionClock = .system,
        openSocket: @escaping RouteWatch.OpenSocket = { groups throws(SystemError) in
            try NetlinkSocket(groups: groups)
        }
    ) {
        self.target = target
        self.resolver = resolver
        self.clock = clock
        self.openSocket = openSocket
    }

    func changes() -> AsyncStream<Void> {
        // A buffer of one is enough: the status that is read afterwards is the newest.
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watch = RouteWatch(openSocket: self.openSocket, clock: self.clock) { continuation.yield() }
        self.watch.withLock { $0 = watch }
        continuation.onTermination = { _ in watch.stop() }
        continuation.yield()
        return changes
    }

    func status() async -> ReachabilityStatus {
        let found = await self.addresses()
        guard let watch = self.watch.withLock({ $0 }) else { return .unknown }
        if let found { return watch.status(isFinal: true) { $0.status(of: found) } }
        // The resolver may answer without any change in the kernel.
        let known = self.lastAddresses.withLock { $0 }
        return watch.status(isFinal: false) { socket in
            if !known.isEmpty { return socket.status(of: known) }
            // Without a network nothing is resolved. With one, nothing is known of the host.
            return socket.status(of: Self.publicAddresses) == .notReachable ? .notReachable : .unknown
        }
    }

    /// The addresses of the target; nil if the resolver fails.
    private func addresses() async -> [[UInt8]]? {
        switch self.target {
        case .network: return Self.publicAddresses
        case .host(let host):
            if let address = HostPattern.host(host)?.address { return [address] }
            // A resolver may know a name that no certificate can be for.
            guard let name = InternationalHost.ascii(HostPattern.withoutDots(host)), !name.isEmpty else { return [] }
            guard let found = try? await self.resolver.addresses(of: name, port: 443) else { return nil }
            let addresses = found.prefix(64).compactMap { $0.ipAddress.flatMap(HostPattern.host)?.address }
            self.lastAddresses.withLock { $0 = addresses }
            return addresses
        }
    }
}

extension NetlinkSocket {
    /// The best status of several addresses.
    fileprivate func status(of addresses: [[UInt8]]) -> ReachabilityStatus {
        var best = ReachabilityStatus.notReachable
        for address in addresses {
            switch self.status(of: address) {
            case .reachableViaWiFi: return .reachableViaWiFi
            case .unknown: return .unknown
            case .reachableViaWWAN: best = .reachableViaWWAN
            case .notReachable: break
            }
        }
        return best
    }

    /// The status of an address according to the kernel.
    private func status(of address: [UInt8]) -> ReachabilityStatus {
        guard let request = NetworkRoute.request(address) else { return .notReachable }
        guard let answer = self.ask(request) else { return .unknown }
        guard let route = NetworkRoute(answer), route.hasSource else { return .notReachable }
        guard let described = self.ask(NetworkLink.request(index: route.link)) else { return .unknown }
        guard let link = NetworkLink(described), link.isRunning else { return .notReachable }
        return link.kind(LinkTraits.init(ofInterface:)) == .mobile ? .reachableViaWWAN : .reachableViaWiFi
    }
}
#endif
