// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import NIOCore
import Testing

@testable import BluebonnetTransport

@Suite(.timeLimit(.minutes(1))) struct CertificateHostTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String?
        var address: [UInt8]?
        var hosts: [String]
        var others: [String]
        var testDescription: String { self.name ?? "\(self.address ?? [])" }
    }

    static let cases = [
        Case(
            name: "Example.com",
            hosts: ["example.com", "EXAMPLE.com", "example.com."],
            others: ["www.example.com", "xexample.com", "example.com.org", "com", ""]
        ),
        Case(
            name: "*.example.com",
            hosts: ["www.example.com", "x.example.com.", "a_b.example.com"],
            others: ["example.com", "a.b.example.com", ".example.com", "wwwexample.com", "*.com"]
        ),
        Case(name: "a_b.example", hosts: ["a_b.example", "A_B.example"], others: ["ab.example", "a-b.example"]),
        Case(name: "*", hosts: [], others: ["com", "localhost"]),
        Case(name: "w*.example.com", hosts: [], others: ["www.example.com"]),
        Case(name: "127.0.0.1", hosts: [], others: ["127.0.0.1"]),
        Case(name: "", hosts: [], others: ["", "."]),
        Case(
            address: [127, 0, 0, 1],
            hosts: ["127.0.0.1"],
            others: ["127.0.0.2", "localhost", "::1", "127.1"]
        ),
        Case(
            address: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            hosts: ["::1", "0:0:0:0:0:0:0:1"],
            others: ["::2", "127.0.0.1"]
        ),
    ]

    @Test(arguments: cases) func `tells whom a certificate is for`(_ one: Case) throws {
        var facts = CertificateFacts()
        facts.names = one.name.map { [$0.lowercased()] } ?? []
        facts.addresses = one.address.map { [$0] } ?? []
        for host in one.hosts { #expect(facts.includes(try TLSHost(host)), "\(host)") }
        for host in one.others {
            guard let host = try? TLSHost(host) else { continue }
            #expect(!facts.includes(host), "\(host)")
        }
    }

    @Test(
        .bug(id: "F650"),
        arguments: [
            (["shop.example"], [], "shop.example"),
            (["*.a.example", "a.example"], [[127, 0, 0, 1]], "*.a.example, a.example, 127.0.0.1"),
            (["a", "b", "c"], [[UInt8](repeating: 0, count: 16)], "a, b, c and 1 more"),
            (["a\u{1B}[31m", "line\nbreak", "b"], [], "b and 2 more"), (["a b"], [], "another host"),
            ([], [], "another host"),
        ] as [([String], [[UInt8]], String)]
    )
    func `an error names the hosts that a certificate is for`(
        _ names: [String],
        _ addresses: [[UInt8]],
        _ list: String
    ) {
        var facts = CertificateFacts()
        (facts.names, facts.addresses) = (names, addresses)
        #expect(facts.hostList == list)
    }

    /// Sends a request to a host that is not in the server's certificate, though the address of the socket is.
    static func failure(_ host: String, proxy: Proxy? = nil, to server: TestServer) async throws -> TransportError? {
        struct Liar: NameResolver {
            let port: Int
            func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
                [try SocketAddress(ipAddress: "127.0.0.1", port: self.port)]
            }
        }
        var configuration = NIOTransport.Configuration()
        configuration.tls.additionalRoots = [.pem(server.certificateAuthority.pem)]
        configuration.proxy = proxy.map { .fixed($0) } ?? .direct
        configuration.resolver = Liar(port: server.port)
        let transport = NIOTransport(configuration: configuration)
        let error = await #expect(throws: TransportError.self) {
            try await transport.exchange(TransportRequest(origin: Origin(scheme: .https, host: host), target: "/"))
        }
        await transport.shutdown()
        return error
    }

    @Test(.bug(id: "F508"), arguments: ["a_b.test", "*.test", "c_b.test"], [false, true])
    func `a name with an underscore needs a certificate for it`(_ certified: String, _ isEvaluated: Bool) async throws {
        let authority = try CertificateAuthority.shared()
        var tls = TestServer.TLS()
        tls.identity = try authority.makeIdentity(hosts: [certified])
        try await TestServer.withServer(tls: tls) { server async throws in
            var configuration = NIOTransport.Configuration()
            configuration.tls.additionalRoots = [.pem(authority.pem)]
            if isEvaluated { configuration.tls.trust = try X509TrustEvaluator(anchors: [.pem(authority.pem)]) }
            configuration.resolver = LoopbackResolver()
            try await NIOTransport.running(configuration) { transport async throws in
                let origin = Origin(scheme: .https, host: "a_b.test", port: server.port)
                let request = TransportRequest(origin: origin, target: "/status/200")
                if certified == "c_b.test" {
                    let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
                    #expect(error?.code == .untrustedCertificate && error?.certificateFault == .wrongHost)
                    await Self.expectNoRequest(server)
                } else {
                    #expect(try await transport.exchange(request).status == .ok)
                }
            }
        }
    }

    static func expectNoRequest(_ server: TestServer) async {
        await #expect(throws: TestServerError.self) { try await server.takeRequest(within: .milliseconds(1)) }
    }

    @Test func `a certificate for the address is not one for the name that was asked for`() async throws {
        // The certificate is for 127.0.0.1, too, and that is where a forged answer of a name server leads.
        try await TestServer.withServer(tls: .init()) { server async throws in
            let error = try await Self.failure("elsewhere.test", to: server)
            #expect(error?.code == .untrustedCertificate)
            #expect(error?.isRequestSent == false)
            await Self.expectNoRequest(server)
        }
    }

    @Test(arguments: ["elsewhere.test", "127.0.0.2"])
    func `a certificate for the proxy's address is none for an origin`(
        _ host: String
    ) async throws {
        try await TestServer.withServer(tls: .init()) { server async throws in
            let steps = ProxyRouteTests.steps(.http, password: false, relayTo: server.port)
            try await ScriptedPeer.run(steps) { peer in
                let proxy = Proxy(scheme: .http, host: "127.0.0.1", port: peer.port)
                let error = try await Self.failure(host, proxy: proxy, to: server)
                #expect(error?.code == .untrustedCertificate)
                #expect(error?.isRequestSent == false)
            }
            await Self.expectNoRequest(server)
        }
    }
}
