// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Pins over real sockets; what a refused server is not to see is looked for on its side.
@Suite(.timeLimit(.minutes(1))) struct PinningTests {
    /// A server with a path of three certificates, and the pins of their keys.
    private struct Chain {
        let tls: TestServer.TLS
        let pins: [PublicKeyPin]

        init() throws {
            let authority = try CertificateAuthority()
            let identity = try authority.makeIdentity(.intermediate)
            var tls = TestServer.TLS(authority: authority)
            tls.identity = identity
            self.tls = tls
            self.pins = [try identity.pin(0), try identity.pin(1), try authority.pin]
        }
    }

    @Test(arguments: [0, 1, 2], ["localhost", "**.localhost", "LOCALHOST."])
    func `a pinned key anywhere in the verified path is enough`(_ index: Int, _ pattern: String) async throws {
        let chain = try Chain()
        try await TrustClient.run(tls: chain.tls) { configuration, _ in
            configuration.pins = PublicKeyPins([PinSet(pattern, [chain.pins[index], .nobody()])])
        } _: { client async throws in
            #expect(try await client.session.response(for: client.request()).status == .ok)
        }
    }

    @Test(arguments: ["localhost", "localhost.", "LOCALHOST", "127.0.0.1"])
    func `foreign pins refuse the server before a byte is sent, whatever the spelling of the host`(
        _ host: String
    ) async throws {
        let chain = try Chain()
        let reports = Recorder<PinReport>()
        try await TrustClient.run(tls: chain.tls) { configuration, _ in
            configuration.pins = [
                "localhost": [.nobody(), .nobody(1)], "127.0.0.1": [.nobody(), .nobody(1)],
            ]
            configuration.pins?.onReport = { reports.record($0) }
        } _: { client async throws in
            let error = try await client.expectRefusal(client.request(host: host))
            #expect(error?.code == .untrustedCertificate)
            #expect(error?.certificateFault == .pinMismatch)
            #expect(error?.phase == .tlsHandshake)
            #expect(error?.pinReport?.seen == chain.pins)
            #expect(error?.pinReport?.expected == [.nobody(), .nobody(1)])
            #expect(error?.pinReport?.isEnforced == true)
            for pin in chain.pins { #expect(error?.reason.contains(pin.description) == true) }
            #expect(reports.elements == [try #require(error?.pinReport)])
            #expect(client.server.takeFailures().isEmpty, "no byte that is not a request either")
        }
    }

    @Test func `a pinned certificate that is merely sent along counts for nothing`() async throws {
        let chain = try Chain()
        let pinned = try CertificateAuthority()
        var tls = chain.tls
        tls.identity?.certificatePEM += pinned.pem
        try await TrustClient.run(tls: tls) { configuration, _ in
            configuration.pins = ["localhost": [try pinned.pin, .nobody()]]
        } _: { client async throws in
            let error = try await client.expectRefusal()
            #expect(error?.certificateFault == .pinMismatch)
            #expect(error?.pinReport?.seen == chain.pins)
        }
    }

    @Test(arguments: [CertificateKind.expired, .wrongHost, .selfSigned, .unknownRoot])
    func `the right pin does not stand in for the verification`(_ kind: CertificateKind) async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.makeIdentity(kind)
        var tls = TestServer.TLS(authority: authority)
        tls.identity = identity
        try await TrustClient.run(tls: tls) { configuration, _ in
            configuration.pins = ["localhost": [try identity.pin(), try authority.pin]]
        } _: { client async throws in
            let error = try await client.expectRefusal()
            #expect(error?.code == .untrustedCertificate)
            #expect(error?.certificateFault != .pinMismatch)
            _ = client.server.takeFailures()
        }
    }

    @Test func `a set that only reports refuses nobody, and one that has expired neither`() async throws {
        let chain = try Chain()
        let reports = Recorder<PinReport>()
        try await TrustClient.run(tls: chain.tls) { configuration, _ in
            configuration.pins = PublicKeyPins([
                PinSet("localhost", [.nobody(), .nobody(1)], isReportOnly: true),
                PinSet("**.localhost", [.nobody(2), .nobody(3)], expires: Date(timeIntervalSinceNow: -60)),
                PinSet("localhost", [chain.pins[0], .nobody(4)], expires: Date(timeIntervalSinceNow: 3600)),
                PinSet("elsewhere.test", [.nobody(5), .nobody(6)]),
            ]) { reports.record($0) }
        } _: { client async throws in
            for _ in 0..<2 { _ = try await client.session.response(for: client.request()) }
            #expect(client.server.totalConnections == 1)
            #expect(reports.elements.map(\.pattern) == ["localhost", "**.localhost"])
            #expect(reports.elements.allSatisfy { !$0.isEnforced && $0.seen == chain.pins })
        }
    }

    @Test func `every enforced set has to be satisfied`() async throws {
        let chain = try Chain()
        try await TrustClient.run(tls: chain.tls) { configuration, _ in
            configuration.pins = PublicKeyPins([
                PinSet("localhost", [chain.pins[0], .nobody()]),
                PinSet("**.localhost", [.nobody(1), .nobody(2)], expires: Date(timeIntervalSinceNow: 3600)),
            ])
        } _: { client async throws in
            #expect(try await client.expectRefusal()?.pinReport?.pattern == "**.localhost")
        }
    }

    @Test func `a request's pins come on top of the session's, and share no connection with others`() async throws {
        let chain = try Chain()
        try await TrustClient.run(tls: chain.tls) { client async throws in
            var used = [Int]()
            for pins in [nil, chain.pins[0], chain.pins[1], chain.pins[0], nil] as [PublicKeyPin?] {
                var request = try client.request()
                request.transportOptions.pins = pins.map { PublicKeyPins([PinSet("localhost", [$0, .nobody()])]) }
                _ = try await client.session.response(for: request)
                used.append(try await client.server.takeRequest().connectionID)
            }
            #expect(used == [1, 2, 3, 2, 1])
            var request = try client.request()
            request.transportOptions.pins = ["localhost": [.nobody(), .nobody(1)]]
            let error = await #expect(throws: SessionError.self) { try await client.session.response(for: request) }
            #expect(error?.certificateFault == .pinMismatch, "a connection that was made without pins is not used")
        }
        try await TrustClient.run(tls: chain.tls) { configuration, _ in
            configuration.pins = ["localhost": [.nobody(), .nobody(1)]]
        } _: { client async throws in
            var request = try client.request()
            request.transportOptions.pins = ["localhost": [chain.pins[0], .nobody()]]
            #expect(try await client.expectRefusal(request)?.certificateFault == .pinMismatch)
        }
    }

    @Test func `after a redirect the pins of the new host count`() async throws {
        let chain = try Chain()
        try await TrustClient.run(tls: chain.tls) { configuration, server in
            configuration.pins = ["localhost": [chain.pins[0], .nobody()], "127.0.0.1": [.nobody(), .nobody(1)]]
            for (path, target) in [
                ("/pinned", "https://127.0.0.1:\(server.port)/bytes/1"), ("/plain", "http://127.0.0.1:\(server.port)/"),
            ] {
                server.respond(to: path) { _ in ScriptedResponse(status: .found, headers: [.location: target]) }
            }
            configuration.redirects.allowsDowngrade = true
        } _: { client async throws in
            let error = await #expect(throws: SessionError.self) {
                try await client.session.response(for: client.request(path: "/pinned"))
            }
            #expect(error?.certificateFault == .pinMismatch)
            #expect(error?.pinReport?.host == "127.0.0.1")
            let plain = await #expect(throws: SessionError.self) {
                try await client.session.response(for: client.request(path: "/plain"))
            }
            #expect(plain?.code == .invalidConfiguration)
            #expect(try await client.server.takeRequest().target == "/pinned")
            #expect(try await client.server.takeRequest().target == "/plain")
            #expect(client.server.untakenRequestCount == 0)
        }
    }

    @Test func `plain http to a pinned host is refused: in a base URL, and in each request`() async throws {
        var configuration = Session.Configuration()
        configuration.pins = ["*.a.test": [.nobody(), .nobody(1)]]
        for base in ["http://x.a.test/", "http://X.A.TEST.:8080/v1/", "http://a_b.a.test/", "http://~.A.test./"] {
            #expect(throws: SessionError(.invalidConfiguration, reason: "")) {
                try HTTPSession(base, configuration: configuration)
            }
            #expect(throws: SessionError(.invalidConfiguration, reason: "")) {
                try HTTPSession(base, session: Session(configuration: configuration))
            }
        }
        _ = try HTTPSession("https://x.a.test/", configuration: configuration)
        let stub = StubTransport { _ in .init(status: .ok) }
        let api = HTTPSession(
            baseURL: try Peer.url("http://x.a.test/"),
            configuration: configuration,
            transport: stub
        )
        let error = await #expect(throws: SessionError.self) { try await api.get("users", as: String.self) }
        #expect(error?.code == .invalidConfiguration)
        let session = Session(configuration: configuration, transport: stub)
        await #expect(throws: SessionError(.invalidConfiguration, reason: "")) {
            try await session.response(for: Request(url: try Peer.url("http://x.a.test./")))
        }
        #expect(stub.requests.isEmpty)
        // Nothing is pinned for this one, and nothing refused by sets that refuse nobody.
        for url in ["http://b.test/", "http://a_b.test/", "http://a_b.x.a.test/"] {
            _ = try await session.response(for: Request(url: try Peer.url(url)))
        }
        configuration.pins = PublicKeyPins([
            PinSet("a.test", [.nobody(), .nobody(1)], isReportOnly: true),
            PinSet("a.test", [.nobody(), .nobody(1)], expires: Date(timeIntervalSince1970: 0)),
        ])
        _ = try HTTPSession("http://a.test/", configuration: configuration)
    }

    /// A transport that knows nothing of trust.
    private struct Careless: Transport {
        func exchange(_ request: TransportRequest) async throws -> TransportResponse { TransportResponse(status: .ok) }
        func shutdown() async {}
    }

    @Test func `a transport that cannot pin is refused, for pinned hosts`() async throws {
        var configuration = Session.Configuration()
        configuration.pins = ["a.test": [.nobody(), .nobody(1)]]
        for (host, isRefused) in [("a.test", true), ("b.test", false)] {
            let session = Session(configuration: configuration, transport: Careless())
            let request = Request(url: try Peer.url("https://\(host)/"))
            let error = await Result.of { try await session.response(for: request) }.failure as? SessionError
            #expect((error?.code == .invalidConfiguration) == isRefused)
        }
        configuration.pins = nil
        configuration.securityPolicy = SecurityPolicy()
        await #expect(throws: SessionError(.invalidConfiguration, reason: "")) {
            try await Session(configuration: configuration, transport: Careless())
                .response(for: Request(url: try Peer.url("https://b.test/")))
        }
        #expect(
            { if case .unsupported = RecordingTransport(wrapping: Careless()).trustSupport { true } else { false } }()
        )
    }

    @Test func `an evaluator that decides alone keeps its say, and pins count on the path that it verified`()
        async throws
    {
        let chain = try Chain()
        let anchors = try #require(chain.tls.authority).pem
        let evaluator = try X509TrustEvaluator(anchors: [.pem(anchors)])
        for (pin, isAccepted) in [(chain.pins[0], true), (chain.pins[2], true), (.nobody(9), false)] {
            for standing in [false, true] {
                try await TrustClient.run(tls: chain.tls, roots: [CertificateAuthority().pem]) { configuration, _ in
                    if standing {
                        configuration.tls.trust = evaluator
                    } else {
                        configuration.transportOptions.trust = evaluator
                    }
                    configuration.pins = ["localhost": [pin, .nobody()]]
                } _: { client async throws in
                    if isAccepted {
                        #expect(try await client.session.response(for: client.request()).status == .ok)
                    } else {
                        #expect(try await client.expectRefusal()?.certificateFault == .pinMismatch)
                    }
                }
            }
        }
        let stranger = try X509TrustEvaluator(anchors: [.pem(CertificateAuthority().pem)])
        try await TrustClient.run(tls: chain.tls) { configuration, _ in
            configuration.tls.trust = stranger
            configuration.pins = ["localhost": [chain.pins[0], .nobody()]]
        } _: { client async throws in
            let error = try await client.expectRefusal()
            #expect(error?.code == .untrustedCertificate)
            #expect(error?.certificateFault == .unknownAuthority)
            _ = client.server.takeFailures()
        }
    }

    /// Accepts everybody.
    private struct Anybody: TrustEvaluator, Hashable {
        var mode: TrustMode { .replacing }
        func evaluate(_ server: ServerTrust) async throws {}
    }

    @Test func `where nothing is verified only the key of the server's own certificate can be pinned`() async throws {
        let chain = try Chain()
        for (index, isAccepted) in [(0, true), (1, false)] {
            try await TrustClient.run(tls: chain.tls, roots: [CertificateAuthority().pem]) { configuration, _ in
                configuration.transportOptions.trust = Anybody()
                configuration.pins = ["localhost": [chain.pins[index], .nobody()]]
            } _: { client async throws in
                if isAccepted {
                    #expect(try await client.session.response(for: client.request()).status == .ok)
                } else {
                    #expect(try await client.expectRefusal()?.pinReport?.seen == [chain.pins[0]])
                }
            }
        }
    }

    @Test func `pins and a policy both have to be satisfied`() async throws {
        let chain = try Chain()
        let root = try #require(chain.tls.authority).der
        for (pin, certificate, fault) in [
            (chain.pins[0], root, nil), (.nobody(9), root, .pinMismatch),
            (chain.pins[0], try CertificateAuthority().der, .pinMismatch),
        ] as [(PublicKeyPin, [UInt8], CertificateFault?)] {
            try await TrustClient.run(tls: chain.tls) { configuration, _ in
                configuration.securityPolicy = SecurityPolicy(.certificate, pinnedCertificates: [certificate])
                configuration.pins = ["localhost": [pin, .nobody()]]
            } _: { client async throws in
                if let fault {
                    #expect(try await client.expectRefusal()?.certificateFault == fault)
                } else {
                    #expect(try await client.session.response(for: client.request()).status == .ok)
                }
            }
        }
    }
}

extension Result where Failure == any Error {
    /// What a piece of code returns or throws.
    fileprivate static func of(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    fileprivate var failure: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}
