// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct TLSTests {
    @Test(arguments: ["localhost", "127.0.0.1", "LOCALHOST"], [CertificateKind.valid, .intermediate, .metPolicy])
    func `trusts a root that was added`(_ host: String, _ kind: CertificateKind) async throws {
        try await Engine.run(tls: .init(certificate: kind)) { engine async throws in
            var request = engine.request(.get, "/bytes/300000")
            request.origin.host = host
            let answer = try await engine.send(request)
            #expect(answer.status == 200)
            #expect(answer.bytes.readableBytes == 300_000)
            #expect(engine.server.handshakes == 1)
        }
    }

    @Test func `trusts a certificate that names an IPv6 address`() async throws {
        var configuration = TestServer.Configuration()
        configuration.address = .ipv6
        try await Engine.run(tls: .init(), server: configuration) { engine async throws in
            var request = engine.request(.get, "/status/200")
            request.origin.host = "::1"
            #expect(try await engine.send(request).status == 200)
        }
    }

    /// A certificate, what is said of it to programs, and a piece of the reason that a person reads.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var kind: CertificateKind
        var host = "localhost"
        var fault: CertificateFault
        var reason: String

        var testDescription: String { "\(self.kind) at \(self.host)" }

        static let all: [Refusal] = [
            .init(kind: .expired, fault: .expired, reason: "expired on 20"),
            .init(kind: .notYetValid, fault: .notYetValid, reason: "not valid before 20"),
            .init(kind: .wrongHost, fault: .wrongHost, reason: ", not for localhost"),
            .init(kind: .wrongHost, host: "127.0.0.1", fault: .wrongHost, reason: ", not for 127.0.0.1"),
            .init(kind: .commonNameOnly, fault: .wrongHost, reason: "names no host"),
            .init(kind: .commonNameOnly, host: "127.0.0.1", fault: .wrongHost, reason: "names no host"),
            .init(kind: .selfSigned, fault: .selfSigned, reason: "self-signed"),
            .init(kind: .unknownRoot, fault: .unknownAuthority, reason: "unknown authority"),
            .init(kind: .missingIntermediate, fault: .unknownAuthority, reason: "does not send the whole chain"),
            .init(kind: .forbiddenName, fault: .unknownAuthority, reason: "breaks its own rules"),
            .init(kind: .wrongPurpose, fault: .unknownAuthority, reason: "breaks its own rules"),
            .init(kind: .unmetPolicy, fault: .brokenRule, reason: "constraints on policies"),
            .init(kind: .weakKey, fault: .weakKey, reason: "RSA key of 1024 bits"),
            .init(kind: .weakSignature, fault: .weakSignature, reason: "signed with MD5 or SHA-1"),
        ]
    }

    @Test(arguments: Refusal.all)
    func `refuses a certificate that is not right, before a byte of the request is sent`(
        _ refusal: Refusal
    ) async throws {
        try await Engine.run(tls: .init(certificate: refusal.kind)) { engine async throws in
            let started = ContinuousClock.now
            var request = engine.request(.post, "/", body: .bytes(ByteBuffer(string: "secret")))
            request.origin.host = refusal.host
            let error = await #expect(throws: TransportError.self) { try await engine.send(request) }
            #expect(error?.code == .untrustedCertificate)
            #expect(error?.phase == .tlsHandshake)
            #expect(error?.isRequestSent == false)
            #expect(error?.certificateFault == refusal.fault)
            #expect(error?.reason.contains(refusal.reason) == true, "\(error?.reason ?? "")")
            #expect(ContinuousClock.now - started < .seconds(5), "a refusal does not wait for the connect timeout")
            // The connection is gone on the server's side, so nothing can come any more.
            let counts = try await engine.server.waitForConnections { $0.total == 1 && $0.open == 0 }
            #expect(counts.requests == 0)
            _ = engine.server.takeFailures()
        }
    }

    @Test func `every kind of certificate is in one of the tables`() {
        let kinds = Set(Refusal.all.map(\.kind)).union([.valid, .intermediate, .metPolicy])
        #expect(kinds == Set(CertificateKind.allCases))
    }

    @Test func `refuses a good certificate whose root nobody added`() async throws {
        try await TestServer.withServer(tls: .init()) { server in
            let transport = NIOTransport()
            let origin = Origin(scheme: .https, host: "localhost", port: server.port)
            let error = await #expect(throws: TransportError.self) {
                try await transport.exchange(TransportRequest(origin: origin, target: "/"))
            }
            #expect(error?.code == .untrustedCertificate)
            await transport.shutdown()
            _ = server.takeFailures()
        }
    }

    @Test func `says so when the peer does not speak TLS`() async throws {
        try await Engine.run { engine async throws in
            engine.server.enqueue(.raw("HTTP/1.1 400 Bad Request\r\n\r\n"))
            var request = engine.request(.get, "/")
            request.origin = Origin(scheme: .https, host: "127.0.0.1", port: engine.server.port)
            let error = await #expect(throws: TransportError.self) { try await engine.send(request) }
            #expect(error?.code == .tlsFailed)
            #expect(error?.phase == .tlsHandshake)
            #expect(error?.isRequestSent == false)
            _ = engine.server.takeFailures()
        }
    }

    @Test(arguments: [TestServer.ConnectionEffect.close, .reset, .stall])
    func `a handshake that is cut or gets no answer fails in time`(_ effect: TestServer.ConnectionEffect) async throws {
        var configuration = TestServer.Configuration()
        configuration.connectionEffect = effect
        try await Engine.run(tls: .init(), server: configuration) { engine async throws in
            var request = engine.request(.get, "/")
            request.timeouts.tlsHandshake = effect == .stall ? .milliseconds(200) : .seconds(30)
            let error = await #expect(throws: TransportError.self) { try await engine.send(request) }
            switch effect {
            case .stall: #expect(error?.code == .timedOut && error?.phase == .tlsHandshake)
            case .close: #expect(error?.code == .connectionClosed && error?.phase == .tlsHandshake)
            // It may come before the system has said that the connection is there.
            case .reset: #expect([.connectionClosed, .connectFailed].contains(error?.code))
            }
            #expect(error?.isRequestSent == false)
            try await engine.server.waitForConnections { $0.open == 0 }
        }
    }

    @Test(arguments: ["a~b.test", String(repeating: "a.", count: 130)])
    func `a host that no certificate can name is refused before anything is connected`(
        _ host: String
    ) async throws {
        try await Engine.run(tls: .init()) { engine async throws in
            var request = engine.request(.get, "/")
            request.origin.host = host
            let error = await #expect(throws: TransportError.self) { try await engine.send(request) }
            #expect(error?.code == .tlsFailed)
            #expect(engine.server.totalConnections == 0)
        }
    }

    @Test(arguments: [TLSOptions.Certificate.pemFile("/nonexistent/root.pem"), .pem([]), .pem(Array("not PEM".utf8))])
    func `a root that cannot be read is an error, not a surprise later`(_ root: TLSOptions.Certificate) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.tls.additionalRoots = [root]
        try await Engine.run(tls: .init(), engine: configuration) { engine async throws in
            let error = await #expect(throws: TransportError.self) { try await engine.send(engine.request(.get, "/")) }
            #expect(error?.code == .tlsFailed)
        }
    }
}
