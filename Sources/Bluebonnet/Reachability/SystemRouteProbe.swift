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
    /// Opened with the first run, so that it belongs to the network namespace of the code that starts the monitor.
    private let socket = Mutex<NetlinkSocket?>(nil)

    init(_ target: ReachabilityMonitor.Target, _ resolver: any NameResolver) {
        self.target = target
        self.resolver = resolver
    }

    func changes() -> AsyncStream<Void> {
        let opened = NetlinkSocket()
        self.socket.withLock { $0 = opened }
        // A buffer of one is enough: the status that is read afterwards is the newest.
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watcher = NetlinkWatcher { continuation.yield() }
        // Without a watcher the first status is the last one.
        continuation.onTermination = { _ in watcher?.stop() }
        continuation.yield()
        return changes
    }

    func status() async -> ReachabilityStatus {
        let addresses = await self.addresses()
        return self.socket.withLock { socket in
            guard let socket else { return .unknown }
            var best = ReachabilityStatus.notReachable
            for address in addresses {
                switch socket.status(of: address) {
                case .reachableViaWiFi: return .reachableViaWiFi
                case .unknown: return .unknown
                case .reachableViaWWAN: best = .reachableViaWWAN
                case .notReachable: break
                }
            }
            return best
        }
    }

    /// The addresses of the target; none if its name cannot be resolved, as without a network.
    private func addresses() async -> [[UInt8]] {
        switch self.target {
        case .network: return Self.publicAddresses
        case .host(let host):
            if let address = HostPattern.host(host)?.address { return [address] }
            // A resolver may know a name that no certificate can be for.
            guard let name = InternationalHost.ascii(HostPattern.withoutDots(host)), !name.isEmpty else { return [] }
            let found = (try? await self.resolver.addresses(of: name, port: 443)) ?? []
            return found.prefix(64).compactMap { $0.ipAddress.flatMap(HostPattern.host)?.address }
        }
    }
}

extension NetlinkSocket {
    /// The status of an address according to the kernel.
    fileprivate func status(of address: [UInt8]) -> ReachabilityStatus {
        guard let request = NetworkRoute.request(address) else { return .notReachable }
        guard let answer = self.ask(request) else { return .unknown }
        guard let route = NetworkRoute(answer), route.hasSource else { return .notReachable }
        guard let described = self.ask(NetworkLink.request(index: route.link)) else { return .unknown }
        guard let link = NetworkLink(described), link.isRunning else { return .notReachable }
        return link.kind(LinkTraits.init(ofInterface:)) == .mobile ? .reachableViaWWAN : .reachableViaWiFi
    }
}
#endif
