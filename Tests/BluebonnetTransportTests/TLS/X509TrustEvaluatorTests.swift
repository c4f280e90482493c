// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(1))) struct X509TrustEvaluatorTests {
    private static func evaluator(
        _ anchors: [UInt8]...,
        now: (@Sendable () -> Date)? = nil
    ) throws -> X509TrustEvaluator {
        try X509TrustEvaluator(anchors: anchors.map { .pem($0) }, now: now)
    }

    /// The certificates of an identity in DER, as a server would send them.
    private static func sent(_ identity: CertificateIdentity) throws -> [[UInt8]] {
        String(decoding: identity.certificatePEM, as: UTF8.self)
            .components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst()
            .compactMap { part in
                let text = part.prefix { $0 != "-" }.filter { !$0.isWhitespace }
                return Data(base64Encoded: String(text)).map { [UInt8]($0) }
            }
    }

    private static func judge(
        _ identity: CertificateIdentity,
        host: String = "localhost",
        by evaluator: X509TrustEvaluator
    ) async throws {
        try await evaluator.evaluate(
            ServerTrust(host: host, certificates: try Self.sent(identity), isVerified: false)
        )
    }

    @Test func `serves the engine without any of the roots being added`() async throws {
        for kind in [CertificateKind.valid, .intermediate, .metPolicy] {
            try await TestServer.withServer(tls: .init(certificate: kind)) { server in
                var configuration = NIOTransport.Configuration()
                configuration.tls.trust = try Self.evaluator(server.certificateAuthority.pem)
                let transport = NIOTransport(configuration: configuration)
                for host in ["localhost", "127.0.0.1"] {
                    let origin = Origin(scheme: .https, host: host, port: server.port)
                    let response = try await transport.exchange(TransportRequest(origin: origin, target: "/"))
                    #expect(response.status == .ok)
                }
                await transport.shutdown()
            }
        }
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var kind: CertificateKind
        var fault: CertificateFault
        var reason: String

        var testDescription: String { self.kind.rawValue }

        static let all: [Refusal] = [
            .init(kind: .expired, fault: .expired, reason: "has expired"),
            .init(kind: .notYetValid, fault: .notYetValid, reason: "not valid yet"),
            .init(kind: .wrongHost, fault: .wrongHost, reason: "not for localhost"),
            .init(kind: .commonNameOnly, fault: .wrongHost, reason: "names no host"),
            .init(kind: .selfSigned, fault: .selfSigned, reason: "no path"),
            .init(kind: .unknownRoot, fault: .unknownAuthority, reason: "no path"),
            .init(kind: .missingIntermediate, fault: .unknownAuthority, reason: "no path"),
            .init(kind: .forbiddenName, fault: .brokenRule, reason: "breaks a rule"),
            .init(kind: .wrongPurpose, fault: .brokenRule, reason: "may not be used by servers"),
            .init(kind: .unmetPolicy, fault: .brokenRule, reason: "constraints on policies"),
            .init(kind: .weakKey, fault: .weakKey, reason: "RSA key of 1024 bits"),
            .init(kind: .weakSignature, fault: .weakSignature, reason: "signed with MD5 or SHA-1"),
        ]
    }

    @Test(arguments: Refusal.all) func `refuses what the engine refuses`(_ refusal: Refusal) async throws {
        let authority = try CertificateAuthority()
        let evaluator = try Self.evaluator(authority.pem)
        let identity = try authority.makeIdentity(refusal.kind)
        let error = await #expect(throws: TrustRefusal.self) { try await Self.judge(identity, by: evaluator) }
        #expect(error?.fault == refusal.fault)
        #expect(error?.reason.contains(refusal.reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `every kind of certificate is judged here`() {
        let kinds = Set(Refusal.all.map(\.kind)).union([.valid, .intermediate, .metPolicy])
        #expect(kinds == Set(CertificateKind.allCases))
    }

    struct Name: Sendable, CustomTestStringConvertible {
        var host: String
        var certificate: [String]
        var fits: Bool

        var testDescription: String { "\(self.host) and \(self.certificate): \(self.fits)" }

        static let all: [Name] = [
            .init(host: "a.test", certificate: ["a.test"], fits: true),
            .init(host: "A.TEST", certificate: ["a.test"], fits: true),
            .init(host: "a.test", certificate: ["A.Test"], fits: true),
            .init(host: "a.test.", certificate: ["a.test"], fits: true),
            .init(host: "b.test", certificate: ["a.test"], fits: false),
            .init(host: "b.test", certificate: ["a.test", "b.test"], fits: true),
            .init(host: "a.b.test", certificate: ["*.b.test"], fits: true),
            .init(host: "b.test", certificate: ["*.b.test"], fits: false),
            .init(host: "a.a.b.test", certificate: ["*.b.test"], fits: false),
            .init(host: "a.b.test", certificate: ["a.*.test"], fits: false),
            .init(host: "a.b.test", certificate: ["*"], fits: false),
            .init(host: "xn--bcher-kva.test", certificate: ["xn--bcher-kva.test"], fits: true),
            .init(host: "xn--bcher-kva.test", certificate: ["*.test"], fits: true),
            .init(host: "192.0.2.1", certificate: ["192.0.2.1"], fits: true),
            .init(host: "192.0.2.2", certificate: ["192.0.2.1"], fits: false),
            .init(host: "2001:db8::1", certificate: ["2001:db8:0:0::1"], fits: true),
            .init(host: "fe80::1%eth0", certificate: ["fe80::1"], fits: true),
            .init(host: "2001:db8::2", certificate: ["2001:db8::1"], fits: false),
        ]
    }

    @Test(arguments: Name.all) func `looks for the host among the names`(_ name: Name) async throws {
        let authority = try CertificateAuthority.shared()
        let identity = try authority.makeIdentity(hosts: name.certificate)
        let evaluator = try Self.evaluator(authority.pem)
        if name.fits {
            try await Self.judge(identity, host: name.host, by: evaluator)
        } else {
            let error = await #expect(throws: TrustRefusal.self) {
                try await Self.judge(identity, host: name.host, by: evaluator)
            }
            #expect(error?.reason.contains("host") == true || error?.reason.contains(name.host) == true)
        }
    }

    @Test func `knows what time it is from the clock it is given`() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.makeIdentity()
        for (years, fits) in [(-2, false), (0, true), (2, false)] {
            let evaluator = try Self.evaluator(authority.pem) {
                Date(timeIntervalSinceNow: Double(years) * 365 * 86_400)
            }
            if fits {
                try await Self.judge(identity, by: evaluator)
            } else {
                await #expect(throws: TrustRefusal.self) { try await Self.judge(identity, by: evaluator) }
            }
        }
    }

    @Test func `takes the server's own certificate for an anchor`() async throws {
        let authority = try CertificateAuthority()
        for kind in [CertificateKind.valid, .selfSigned] {
            let identity = try authority.makeIdentity(kind)
            try await Self.judge(identity, by: try Self.evaluator(identity.certificatePEM))
            let other = try authority.makeIdentity(kind)
            await #expect(throws: TrustRefusal.self) {
                try await Self.judge(other, by: try Self.evaluator(identity.certificatePEM))
            }
        }
    }

    @Test func `does not look at chains without end`() async throws {
        let authority = try CertificateAuthority.shared()
        let certificates = try Self.sent(try authority.makeIdentity())
        let evaluator = try Self.evaluator(authority.pem)
        for (count, fits) in [(X509TrustEvaluator.chainLimit, true), (X509TrustEvaluator.chainLimit + 1, false)] {
            let server = ServerTrust(
                host: "localhost",
                certificates: Array(repeating: certificates[0], count: count),
                isVerified: false
            )
            if fits {
                try await evaluator.evaluate(server)
            } else {
                await #expect(throws: TrustRefusal.self) { try await evaluator.evaluate(server) }
            }
        }
        for bytes in [[], [[]], [[0x30, 0x00]], [Array("certificate".utf8)]] as [[[UInt8]]] {
            await #expect(throws: TrustRefusal.self) {
                try await evaluator.evaluate(ServerTrust(host: "localhost", certificates: bytes, isVerified: false))
            }
        }
    }

    @Test func `shows the path it has verified`() async throws {
        let authority = try CertificateAuthority()
        let sent = try Self.sent(try authority.makeIdentity(.intermediate))
        let path = try await Self.evaluator(authority.pem)
            .verifiedPath(of: ServerTrust(host: "localhost", certificates: sent, isVerified: false))
        #expect(path.count == 3)
        #expect(Array(path.prefix(2)) == sent)
    }

    @Test func `has the identity of its anchors`() throws {
        let (one, two) = (try CertificateAuthority().pem, try CertificateAuthority().pem)
        #expect(try Self.evaluator(one).identity == Self.evaluator(one).identity)
        #expect(try Self.evaluator(one).identity != Self.evaluator(two).identity)
        #expect(try Self.evaluator(one, now: { Date.now }).identity != Self.evaluator(one).identity)
    }

    @Test(.bug(id: "F196")) func `a path with a NUL is not cut there`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString).pem")
        try Data(try CertificateAuthority.shared().pem).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try X509TrustEvaluator(anchors: [.pemFile(file.path())])
        let error = #expect(throws: TransportError.self) {
            try X509TrustEvaluator(anchors: [.pemFile(file.path() + "\u{0}.txt")])
        }
        #expect(error?.code == .tlsFailed)
    }

    @Test(arguments: [[], [.pem([])], [.pemFile("/nonexistent")]] as [[TLSOptions.Certificate]])
    func `needs anchors`(_ anchors: [TLSOptions.Certificate]) {
        let error = #expect(throws: TransportError.self) { try X509TrustEvaluator(anchors: anchors) }
        #expect(error?.code == .tlsFailed)
    }
}
