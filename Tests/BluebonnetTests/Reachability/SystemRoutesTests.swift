// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import BluebonnetTransport
import FoundationEssentials
import NIOCore
import TestSupport
import Testing

@testable import Bluebonnet

/// The system's own interfaces and routes, in a network that the test has made.
@Suite(
    .timeLimit(.minutes(1)),
    .enabled(if: NetworkNamespace.obstacle == nil, Comment(rawValue: NetworkNamespace.obstacle ?? "it can be made"))
) struct SystemRoutesTests {
    /// Finds a host where there is a route, as a resolver does that asks the network.
    private struct FixedResolver: NameResolver {
        var addresses: [String]

        func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
            try self.addresses.map { try SocketAddress(ipAddress: $0, port: port) }
        }
    }

    /// A namespace with one interface, which is down, and the far end of it, which is up.
    private static func network(_ name: String = "v0") throws -> NetworkNamespace {
        let namespace = try NetworkNamespace()
        try namespace.ip("link", "add", name, "type", "veth", "peer", "name", "far")
        try namespace.ip("link", "set", "far", "up")
        return namespace
    }

    @Test func `1.6 without an interface nothing is reachable but this machine`() async throws {
        let namespace = try NetworkNamespace()
        let (network, host) = (ReachabilityMonitor(), ReachabilityMonitor(.host("127.0.0.1")))
        try await namespace.run {
            network.start()
            host.start()
        }
        var statuses = network.statuses.makeAsyncIterator()
        var local = host.statuses.makeAsyncIterator()
        #expect(await statuses.next() == .notReachable)
        #expect(await local.next() == .notReachable)
        try namespace.ip("link", "set", "lo", "up")
        #expect(await local.next() == .reachableViaWiFi)
        #expect(network.status == .notReachable)
    }

    @Test(arguments: [
        ("v0", "192.0.2.2/24", "192.0.2.1", ReachabilityStatus.reachableViaWiFi),
        ("wwan0", "192.0.2.2/24", "192.0.2.1", .reachableViaWWAN),
        ("v0", "2001:db8::2/64", "2001:db8::1", .reachableViaWiFi),
        ("ppp0", "2001:db8::2/64", "2001:db8::1", .reachableViaWWAN),
    ])
    func `1.6 a default route makes the network reachable, the loss of carrier, route or interface ends it`(
        _ name: String,
        _ address: String,
        _ gateway: String,
        _ status: ReachabilityStatus
    ) async throws {
        let namespace = try Self.network(name)
        let monitor = ReachabilityMonitor()
        try await namespace.run { monitor.start() }
        var statuses = monitor.statuses.makeAsyncIterator()
        #expect(await statuses.next() == .notReachable)
        let family = address.utf8.contains(UInt8(ascii: ":")) ? "-6" : "-4"
        if family == "-6" {
            try namespace.ip(family, "addr", "add", address, "dev", name, "nodad")
        } else {
            try namespace.ip(family, "addr", "add", address, "dev", name)
        }
        try namespace.ip("link", "set", name, "up")
        try namespace.ip(family, "route", "add", "default", "via", gateway, "dev", name)
        #expect(await statuses.next() == status)
        // The far end goes down, and with it the carrier of this one; then it comes back.
        try namespace.ip("link", "set", "far", "down")
        #expect(await statuses.next() == .notReachable)
        try namespace.ip("link", "set", "far", "up")
        #expect(await statuses.next() == status)
        try namespace.ip(family, "route", "del", "default")
        #expect(await statuses.next() == .notReachable)
        try namespace.ip(family, "route", "add", "default", "via", gateway, "dev", name)
        #expect(await statuses.next() == status)
        try namespace.ip("link", "del", name)
        #expect(await statuses.next() == .notReachable)
        monitor.stop()
        #expect(await statuses.next() == nil)
    }

    @Test func `1.6 a host is reachable by a route to one of its addresses, whatever the default route`() async throws {
        let namespace = try Self.network()
        let resolver = FixedResolver(addresses: ["2001:db8:1::7", "198.51.100.7"])
        let host = ReachabilityMonitor(.host("a.test"), resolver: resolver)
        let other = ReachabilityMonitor(.host("203.0.113.1"))
        let nowhere = ReachabilityMonitor(.host("b.test"), resolver: FixedResolver(addresses: []))
        let network = ReachabilityMonitor()
        try await namespace.run {
            for monitor in [host, other, nowhere, network] { monitor.start() }
        }
        var statuses = host.statuses.makeAsyncIterator()
        #expect(await statuses.next() == .notReachable)
        try namespace.ip("addr", "add", "192.0.2.2/24", "dev", "v0")
        try namespace.ip("link", "set", "v0", "up")
        try namespace.ip("route", "add", "198.51.100.0/24", "via", "192.0.2.1")
        #expect(await statuses.next() == .reachableViaWiFi)
        #expect(other.status == .notReachable)
        #expect(nowhere.status == .notReachable)
        #expect(network.status == .notReachable)
        try namespace.ip("route", "replace", "unreachable", "198.51.100.0/24")
        #expect(await statuses.next() == .notReachable)
    }

    @Test func `1.6 stopping ends the thread and closes its sockets`() async throws {
        let before = try Self.openDescriptors()
        for _ in 0..<50 {
            let monitor = ReachabilityMonitor()
            monitor.start()
            var statuses = monitor.statuses.makeAsyncIterator()
            _ = await statuses.next()
            monitor.stop()
        }
        // The thread ends by itself, soon; the other tests open and close descriptors meanwhile.
        while try Self.openDescriptors() > before + 40 { await Task.yield() }
    }

    private static func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
#endif
