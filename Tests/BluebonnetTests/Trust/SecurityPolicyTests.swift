// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import Logging
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SecurityPolicyTests {
    /// A policy that accepts anything on some hosts.
    private static func careless(_ hosts: Set<String>) -> SecurityPolicy {
        var policy = SecurityPolicy()
        policy.allowsInvalidCertificates = true
        policy.validatesDomainName = false
        policy.insecureHosts = hosts
        policy.logger.logLevel = .critical
        return policy
    }

    @Test func `1.5 the default verifies chain and host, and pins nothing`() {
        let policy = SecurityPolicy()
        #expect(policy.pinningMode == .none)
        #expect(!policy.allowsInvalidCertificates)
        #expect(policy.validatesDomainName)
        #expect(policy.pinnedCertificates.isEmpty)
        #expect(policy.plan(for: "a.test") == .standard)
        #expect(policy.fault == nil)
    }

    struct Unusable: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var policy: SecurityPolicy

        init(_ testDescription: String, _ change: (inout SecurityPolicy) -> Void) {
            self.testDescription = testDescription
            self.policy = SecurityPolicy()
            change(&self.policy)
        }

        static let all = [
            Unusable("invalid certificates, and no host") { $0.allowsInvalidCertificates = true },
            Unusable("other names, and no host") { $0.validatesDomainName = false },
            Unusable("invalid certificates for a name, and no pins") {
                $0.allowsInvalidCertificates = true
                $0.insecureHosts = ["localhost"]
            },
            Unusable("a pattern for a host") {
                $0.validatesDomainName = false
                $0.insecureHosts = ["*.test"]
            },
            Unusable("an empty host") {
                $0.validatesDomainName = false
                $0.insecureHosts = ["."]
            },
            Unusable("keys, and none") { $0.pinningMode = .publicKey },
            Unusable("certificates, and none") { $0.pinningMode = .certificate },
            Unusable("a certificate that is none") {
                $0.pinningMode = .certificate
                $0.pinnedCertificates = [[1, 2, 3]]
            },
        ]
    }

    @Test(arguments: Unusable.all) func `that cannot be used fails every call, of a session and of a request`(
        _ unusable: Unusable
    ) async throws {
        let stub = StubTransport { _ in TransportResponse(status: .ok) }
        var configuration = Session.Configuration()
        configuration.securityPolicy = unusable.policy
        let session = Session(configuration: configuration, transport: stub)
        var request = Request(url: try Peer.url("https://a.test/"))
        await #expect(throws: SessionError(.invalidConfiguration, reason: "")) {
            try await session.response(for: request)
        }
        request.transportOptions.securityPolicy = unusable.policy
        await #expect(throws: SessionError(.invalidConfiguration, reason: "")) {
            try await Session(transport: stub).response(for: request)
        }
        #expect(stub.requests.isEmpty)
    }

    @Test func `1.5 invalid certificates are accepted for the host that is named, and for no other`() async throws {
        try await TrustClient.run(tls: .init(certificate: .selfSigned)) { configuration, _ in
            configuration.securityPolicy = Self.careless(["localhost"])
        } _: { client async throws in
            for host in ["localhost", "LOCALHOST", "localhost."] {
                #expect(try await client.session.response(for: client.request(host: host)).status == .ok)
            }
            for host in ["127.0.0.1", "a.localhost", "localhos", "elsewhere.test"] {
                let error = await #expect(throws: SessionError.self) {
                    try await client.session.response(for: client.request(host: host))
                }
                #expect(error?.code == .untrustedCertificate)
            }
            // One request that is careless makes no later one so.
            var request = try client.request()
            request.transportOptions.securityPolicy = SecurityPolicy()
            let error = await #expect(throws: SessionError.self) { try await client.session.response(for: request) }
            #expect(error?.certificateFault == .selfSigned)
            _ = client.server.takeFailures()
        }
    }

    @Test func `1.5 a redirect to another host leaves the exception behind`() async throws {
        try await TrustClient.run(tls: .init(certificate: .selfSigned)) { configuration, server in
            configuration.securityPolicy = Self.careless(["localhost"])
            server.respond(to: "/away") { _ in
                ScriptedResponse(status: .found, headers: [.location: "https://127.0.0.1:\(server.port)/bytes/1"])
            }
        } _: { client async throws in
            let error = await #expect(throws: SessionError.self) {
                try await client.session.response(for: client.request(path: "/away"))
            }
            #expect(error?.code == .untrustedCertificate)
            _ = client.server.takeFailures()
        }
    }

    @Test func `1.5 each request that is not fully verified is logged as a warning`() async throws {
        let records = Recorder<RecordingLogHandler.Record>()
        try await TrustClient.run(tls: .init(certificate: .selfSigned)) { configuration, _ in
            var policy = Self.careless(["localhost"])
            policy.logger = records.logger()
            configuration.securityPolicy = policy
        } _: { client async throws in
            for _ in 0..<3 { _ = try await client.session.response(for: client.request()) }
            #expect(client.server.totalConnections == 1)
            #expect(records.elements.count == 3)
            #expect(records.elements.allSatisfy { $0.level == .warning && $0["host"] == "localhost" })
        }
    }

    @Test func `1.5 policies that differ never share a connection, equal ones do`() async throws {
        try await TrustClient.run { client async throws in
            let (leaf, root) = (try client.server.certificateAuthority.der, try CertificateAuthority().der)
            let one = SecurityPolicy(.publicKey, pinnedCertificates: [leaf])
            let two = SecurityPolicy(.publicKey, pinnedCertificates: [leaf, root])
            var used = [Int]()
            for policy in [nil, one, two, one, nil, SecurityPolicy()] {
                var request = try client.request()
                request.transportOptions.securityPolicy = policy
                _ = try await client.session.response(for: request)
                used.append(try await client.server.takeRequest().connectionID)
            }
            #expect(used == [1, 2, 3, 2, 1, 1])
        }
    }

    @Test func `1.5 certificates are read from a folder, in DER and PEM, and duplicates count once`() throws {
        let folder = try TemporaryDirectory()
        let (one, two) = (try CertificateAuthority(), try CertificateAuthority())
        try Data(try one.der).write(to: folder.file("one.cer"))
        try Data(try one.der).write(to: folder.file("again.DER"))
        try Data(one.pem + [0x0A] + two.pem).write(to: folder.file("both.Pem"))
        try Data("no certificate".utf8).write(to: folder.file("notes.txt"))
        #expect(try SecurityPolicy.certificates(in: folder.url) == [one.der, two.der])
        for bytes in [[], [0x30], Array("-----BEGIN CERTIFICATE-----".utf8)] as [[UInt8]] {
            try Data(bytes).write(to: folder.file("broken.crt"))
            #expect(throws: SessionError(.invalidConfiguration, reason: "")) {
                try SecurityPolicy.certificates(in: folder.url)
            }
        }
        #expect(throws: SessionError(.invalidConfiguration, reason: "")) {
            try SecurityPolicy.certificates(in: folder.file("nowhere"))
        }
    }

    @Test(.bug(id: "F600")) func `1.5 a named pipe is no certificate, and no thread waits for its writer`() throws {
        let folder = try TemporaryDirectory()
        try #require(mkfifo(folder.file("pipe.pem").path(percentEncoded: false), 0o600) == 0)
        #expect(throws: SessionError(.invalidConfiguration, reason: "")) {
            try SecurityPolicy.certificates(in: folder.url)
        }
    }

    @Test func `1.5 a policy that pins refuses a base URL with http`() throws {
        var configuration = Session.Configuration()
        configuration.securityPolicy = SecurityPolicy(
            .certificate,
            pinnedCertificates: [try CertificateAuthority().der]
        )
        #expect(throws: SessionError(.invalidConfiguration, reason: "")) {
            try HTTPSession("http://a.test/", configuration: configuration)
        }
        _ = try HTTPSession("https://a.test/", configuration: configuration)
        configuration.securityPolicy = SecurityPolicy()
        _ = try HTTPSession("http://a.test/", configuration: configuration)
    }

    @Test func `a policy and an evaluator at one place are a contradiction`() async throws {
        let evaluator = try X509TrustEvaluator(anchors: [.pem(CertificateAuthority().pem)])
        try await TrustClient.run { configuration, _ in
            configuration.transportOptions.trust = evaluator
            configuration.securityPolicy = SecurityPolicy()
        } _: { client async throws in
            #expect(try await client.expectRefusal()?.code == .invalidConfiguration)
        }
        try await TrustClient.run { configuration, _ in
            configuration.tls.trust = evaluator
            configuration.securityPolicy = SecurityPolicy()
        } _: { client async throws in
            #expect(try await client.expectRefusal()?.code == .invalidConfiguration)
        }
    }
}
