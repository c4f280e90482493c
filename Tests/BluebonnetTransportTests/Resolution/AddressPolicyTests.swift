// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import Testing

/// Which addresses a policy allows, and that no other is connected to.
@Suite(.timeLimit(.minutes(1))) struct AddressPolicyTests {
    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700:4700::1111",
        "2001:200::1", "2001:db9::1", "2003::1", "3ffe::1", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1",
    ])
    func `allows public addresses`(_ address: String) {
        #expect(AddressPolicy.publicOnly.allows(address) == true)
    }

    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.0", "100.127.255.255", "127.0.0.1", "127.255.255.254",
        "169.254.169.254",
        "172.16.0.0", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.255.255", "198.18.0.0",
        "198.19.255.255", "198.51.100.9", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "100::1", "2001::1", "2001:1ff:ffff::", "2001:db8::1", "2002:7f00:1::1", "2002:101:101::1", "3fff::1",
        "5f00::1",
        "fc00::1", "fdff::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "4000::1",
    ])
    func `refuses every other address`(_ address: String) {
        #expect(AddressPolicy.publicOnly.allows(address) == false)
        #expect(AddressPolicy.unrestricted.allows(address) == true)
    }

    @Test func `the last rule that contains an address applies`() throws {
        let policy = try AddressPolicy.publicOnly.allowing("10.0.0.0/8", "fd00::/8").refusing("10.1.0.0/16", "1.1.1.1")
            .allowing("10.1.2.3", "::ffff:192.168.0.0/112")
        let expected = [
            ("10.9.9.9", true), ("fd12::1", true), ("10.1.9.9", false), ("10.1.2.3", true), ("64:ff9b::10.1.2.3", true),
            ("1.1.1.1", false), ("1.1.1.2", true), ("192.168.7.7", true), ("192.169.0.0", true), ("127.0.0.1", false),
        ]
        let translated = try AddressPolicy.publicOnly.refusing("64:ff9b::/96")
        #expect(translated.allows("64:ff9b::1.1.1.1") == false)
        #expect(translated.allows("1.1.1.1") == true)
        for (address, isAllowed) in expected { #expect(policy.allows(address) == isAllowed, "\(address)") }
        #expect(policy.allows("localhost") == nil)
        #expect(policy.allows("127.1") == nil)
    }

    @Test(arguments: [
        "", "localhost", "10.0.0.0/33", "10.0.0.0/", "10/8", "10.0.0.0/8/8", "fe80::/129", "10.0.0.0/-1", "*",
    ])
    func `what is not a network is an error`(_ text: String) {
        #expect(throws: TransportError(.invalidRequest, phase: .queue, reason: "")) {
            try AddressPolicy.publicOnly.allowing(text)
        }
    }

    // MARK: Connections

    /// A host, what it resolves to, and the addresses that are tried under a policy that allows 127.0.0.1 alone.
    static let hosts: [(host: String, found: [String], tried: [String])] = [
        ("a.test", ["127.0.0.2", "127.0.0.1", "10.0.0.1"], ["127.0.0.1"]), ("127.0.0.1", [], ["127.0.0.1"]),
        ("a.test", ["127.0.0.2", "::1"], []), ("127.0.0.2", [], []), ("::ffff:127.0.0.2", [], []), ("::1", [], []),
    ]

    @Test(arguments: Self.hosts)
    func `only addresses that are allowed are connected to`(
        _ host: String,
        _ found: [String],
        _ tried: [String]
    ) async throws {
        let observer = RecordingObserver()
        try await TestServer.withServer { server in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.addressPolicy = try .publicOnly.allowing("127.0.0.1")
            configuration.resolver = FixedResolver(addresses: found)
            configuration.observer = observer
            let origin = Origin(scheme: .http, host: host, port: server.port)
            try await NIOTransport.running(configuration) { transport in
                let request = TransportRequest(origin: origin, target: "/status/200")
                if tried.isEmpty {
                    try await Self.expectRefusal { _ = try await transport.exchange(request) }
                    try await Self.expectRefusal { try await transport.warmUp(origin) }
                } else {
                    #expect(try await transport.exchange(request).status == .ok)
                }
            }
            let attempts = observer.events.compactMap { event -> String? in
                if case .attemptStarted(let address) = event { address } else { nil }
            }
            #expect(attempts == tried.map { "\($0):\(server.port)" })
        }
    }

    @Test(arguments: ["127.0.0.2", "localhost", "a.localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1"])
    func `the system's names and numbers for loopback are refused`(_ host: String) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        configuration.addressPolicy = .publicOnly
        try await NIOTransport.running(configuration) { transport in
            let origin = Origin(scheme: .http, host: host, port: 9)
            try await Self.expectRefusal {
                _ = try await transport.exchange(TransportRequest(origin: origin, target: "/"))
            }
        }
    }

    private static func expectRefusal(_ body: () async throws -> Void) async throws {
        let error = await #expect(throws: TransportError.self) { try await body() }
        #expect(error?.code == .addressNotAllowed)
        #expect(error?.phase == .connect)
        #expect(error?.isRequestSent == false)
    }

    // MARK: Other routes

    static let proxied: [(scheme: Proxy.Scheme, host: String, isRefused: Bool)] = [
        (.http, "127.0.0.2", true), (.socks5, "127.0.0.2", true), (.socks5h, "127.0.0.2", true),
        // Resolved here, to an address that is refused; or by the proxy.
        (.socks5, "a.test", true), (.socks5h, "a.test", false), (.http, "a.test", false),
    ]

    @Test(arguments: Self.proxied)
    func `a proxy is not asked for an address that is refused`(
        _ scheme: Proxy.Scheme,
        _ host: String,
        _ isRefused: Bool
    ) async throws {
        try await ScriptedPeer.run([.read(3), .close]) { peer in
            var configuration = NIOTransport.Configuration()
            // The proxy itself may have any address.
            configuration.proxy = .fixed(Proxy(scheme: scheme, host: "127.0.0.1", port: peer.port))
            configuration.addressPolicy = .publicOnly
            configuration.resolver = FixedResolver(addresses: ["127.0.0.2"])
            try await NIOTransport.running(configuration) { transport in
                for scheme in [Origin.Scheme.https, .http] {
                    let request = TransportRequest(origin: Origin(scheme: scheme, host: host, port: 81), target: "/")
                    let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
                    #expect((error?.code == .addressNotAllowed) == isRefused)
                }
            }
            #expect(peer.received.isEmpty == isRefused)
        }
    }

    @Test func `a Unix socket has no address`() async throws {
        var configuration = NIOTransport.Configuration()
        configuration.addressPolicy = .publicOnly
        configuration.unixSocketPath = "/nonexistent/socket"
        try await NIOTransport.running(configuration) { transport in
            let request = TransportRequest(origin: Origin(scheme: .http, host: "127.0.0.1", port: 9), target: "/")
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
            #expect(error?.code == .connectFailed)
        }
    }
}
