// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import NIOPosix
import Testing

@testable import BluebonnetTransport

@Suite(.timeLimit(.minutes(1))) struct ClientIdentityTests {
    private static func source(_ identity: CertificateIdentity) -> ClientIdentity {
        .pem(certificates: .bytes(identity.certificatePEM), key: .bytes(identity.privateKeyPEM))
    }

    private static func tls(_ demand: TestServer.TLS.ClientCertificates) -> TestServer.TLS {
        var tls = TestServer.TLS()
        tls.clientCertificates = demand
        return tls
    }

    static func fixture(_ name: String) throws -> String {
        try #require(Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Fixtures/identity")).path()
    }

    @Test(.bug(id: "F190")) func `names and passphrases are compared by their bytes`() {
        let (composed, decomposed) = ("/\u{E9}.pem", "/e\u{301}.pem")
        let identities: [ClientIdentity] = [composed, decomposed].flatMap { name in
            [
                .pem(certificates: .file(name)), .pem(certificates: .file("/a"), key: .file(name)),
                .pkcs12(.file(name), passphrase: ""), .pkcs12(.file("/a"), passphrase: name),
                .pem(certificates: .bytes(Array(name.utf8))), .pem(certificates: .file("/a"), passphrase: name),
            ]
        }
        #expect(Set(identities).count == identities.count)
        #expect(Set(identities + identities).count == identities.count)
        for (index, identity) in identities.enumerated() { #expect(identities.firstIndex(of: identity) == index) }
    }

    @Test(arguments: [TestServer.TLS.ClientCertificates.optional, .required], [TestServer.TLS.Version.tls12, .tls13])
    func `is shown to a server that asks`(
        _ demand: TestServer.TLS.ClientCertificates,
        _ version: TestServer.TLS.Version
    ) async throws {
        var tls = Self.tls(demand)
        tls.maximumVersion = version
        let identity = try CertificateAuthority.shared().makeClientIdentity()
        var configuration = NIOTransport.Configuration()
        configuration.tls.clientIdentity = Self.source(identity)
        try await Engine.run(tls: tls, engine: configuration) { engine async throws in
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
            let shown = try #require(try await engine.server.takeRequest().clientCertificate)
            let pem = String(decoding: identity.certificatePEM, as: UTF8.self).filter { !$0.isNewline }
            #expect(pem.contains(Data(shown).base64EncodedString()))
        }
    }

    @Test func `is not shown to a server that does not ask, and may be missing where it is optional`() async throws {
        var configuration = NIOTransport.Configuration()
        configuration.tls.clientIdentity = Self.source(try CertificateAuthority.shared().makeClientIdentity())
        try await Engine.run(tls: Self.tls(.ignored), engine: configuration) { engine async throws in
            _ = try await engine.send(engine.request(.get, "/status/200"))
            #expect(try await engine.server.takeRequest().clientCertificate == nil)
        }
        try await Engine.run(tls: Self.tls(.optional)) { engine async throws in
            _ = try await engine.send(engine.request(.get, "/status/200"))
            #expect(try await engine.server.takeRequest().clientCertificate == nil)
        }
    }

    @Test(arguments: [TestServer.TLS.Version.tls12, .tls13], [true, false])
    func `that is missing or wrong is refused with a reason`(
        _ version: TestServer.TLS.Version,
        _ isMissing: Bool
    ) async throws {
        var tls = Self.tls(.required)
        tls.maximumVersion = version
        var configuration = NIOTransport.Configuration()
        if !isMissing {
            configuration.tls.clientIdentity = Self.source(try CertificateAuthority().makeClientIdentity())
        }
        try await Engine.run(tls: tls, engine: configuration) { engine async throws in
            let error = await #expect(throws: TransportError.self) {
                try await engine.send(engine.request(.get, "/status/200"))
            }
            #expect(error?.code == .tlsFailed, "\(String(describing: error))")
            #expect(error?.reason.contains("certificate") == true, "\(error?.reason ?? "")")
            #expect(engine.server.untakenRequestCount == 0)
            _ = engine.server.takeFailures()
        }
    }

    @Test func `of a request stands instead of the transport's, on a connection of its own`() async throws {
        let authority = try CertificateAuthority.shared()
        let (one, two) = (try authority.makeClientIdentity(), try authority.makeClientIdentity(commonName: "Two"))
        var configuration = NIOTransport.Configuration()
        configuration.tls.clientIdentity = Self.source(one)
        try await Engine.run(tls: Self.tls(.required), engine: configuration) { engine async throws in
            var shown = [[UInt8]?]()
            var used = [Int]()
            for identity in [nil, two, nil, two] {
                var request = engine.request(.get, "/status/200")
                request.clientIdentity = identity.map { Self.source($0) }
                _ = try await engine.send(request)
                let record = try await engine.server.takeRequest()
                shown.append(record.clientCertificate)
                used.append(record.connectionID)
            }
            #expect(used == [1, 2, 1, 2])
            #expect(shown[0] != nil && shown[1] != nil && shown[0] != shown[1])
        }
    }

    @Test func `is read from files of every form`() throws {
        let (pem, key) = (try Self.fixture("client.pem"), try Self.fixture("client.key"))
        let identities: [ClientIdentity] = [
            .pem(certificates: .file(pem), key: .file(key)),
            .pem(certificates: .file(pem), key: .file(try Self.fixture("encrypted.key")), passphrase: "secret"),
            .pkcs12(.file(try Self.fixture("modern.p12")), passphrase: "secret"),
            .pkcs12(.file(try Self.fixture("chain.p12")), passphrase: "secret"),
            .pkcs12(.file(try Self.fixture("plain.p12")), passphrase: ""),
            .pkcs12(.file(try Self.fixture("umlaut.p12")), passphrase: "schlüssel"),
        ]
        let expected = try identities[0].load().chain[0]
        for identity in identities {
            var options = TLSOptions()
            options.clientIdentity = identity
            // Making the context is what tells whether certificate and key belong together.
            _ = try TLSContextCache(options: options, protocols: ["http/1.1"]).make(.init())
            #expect(try identity.load().chain.first == expected, "\(identity)")
        }
        #expect(try identities[3].load().chain.count == 2)
        let both = try Data(contentsOf: URL(filePath: pem)) + Data(contentsOf: URL(filePath: key))
        _ = try ClientIdentity.pem(certificates: .bytes([UInt8](both))).load()
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        var name: String
        var passphrase: String? = "secret"
        var key: String?
        var reason: String

        var testDescription: String { "\(self.name): \(self.reason)" }

        func identity() throws -> ClientIdentity {
            let path = self.name == "missing" ? "/nonexistent/identity" : try ClientIdentityTests.fixture(self.name)
            guard let key else { return .pkcs12(.file(path), passphrase: self.passphrase ?? "") }
            return .pem(
                certificates: .file(path),
                key: .file(try ClientIdentityTests.fixture(key)),
                passphrase: self.passphrase
            )
        }

        static let all: [Fault] = [
            .init(name: "client.pem", passphrase: "wrong", key: "encrypted.key", reason: "the passphrase is wrong"),
            .init(name: "client.pem", passphrase: nil, key: "encrypted.key", reason: "the passphrase is missing"),
            .init(name: "client.pem", passphrase: "süß", key: "encrypted.key", reason: "not ASCII"),
            .init(name: "client.pem", key: "other.key", reason: "do not belong together"),
            .init(name: "client.pem", key: "client.pem", reason: "no private key"),
            .init(name: "client.key", key: "client.key", reason: "no PEM client certificate"),
            .init(name: "missing", key: "client.key", reason: "No such file"),
            .init(name: "missing", reason: "No such file"),
            .init(name: "client.pem", reason: "not a PKCS #12 file"),
            .init(name: "modern.p12", passphrase: "wrong", reason: "the passphrase is wrong"),
            .init(name: "modern.p12", passphrase: "", reason: "the passphrase is wrong"),
            .init(name: "legacy.p12", reason: "RC2 or Triple DES"),
            .init(name: "no-key.p12", reason: "no private key"),
            .init(name: "no-certificate.p12", reason: "no certificate"),
            .init(name: "no-mac.p12", reason: "not protected"),
            .init(name: "slow.p12", reason: "takes too long"),
        ]
    }

    @Test(arguments: Fault.all) func `that cannot be used is an error that says why`(_ fault: Fault) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.tls.clientIdentity = try fault.identity()
        try await Engine.run(tls: .init(), engine: configuration) { engine async throws in
            let error = await #expect(throws: TransportError.self) { try await engine.send(engine.request(.get, "/")) }
            #expect(error?.code == .tlsFailed)
            #expect(error?.reason.contains(fault.reason) == true, "\(error?.reason ?? "")")
            #expect((error?.cause == .passphraseRefused) == fault.reason.contains("the passphrase is"))
            #expect(error?.reason.contains("secret") == false)
            #expect(engine.server.totalConnections == 0)
        }
    }

    @Test(
        .bug(id: "F288"),
        arguments: [
            ("p224.pem", "p224.key", "the client certificate is of a kind that is not supported"),
            ("client.pem", "other.key", "the client certificate and the private key do not belong together"),
        ]
    )
    func `an identity that the TLS library does not accept is named, and is found without a connection`(
        _ certificate: String,
        _ key: String,
        _ reason: String
    ) throws {
        let identity = ClientIdentity.pem(
            certificates: .file(try Self.fixture(certificate)),
            key: .file(try Self.fixture(key))
        )
        var options = TLSOptions()
        options.clientIdentity = identity
        let cache = TLSContextCache(options: options, protocols: ["http/1.1"])
        let checked = #expect(throws: TransportError.self) { try identity.check() }
        #expect(checked?.code == .tlsFailed)
        #expect(checked?.reason == reason)
        let made = #expect(throws: TransportError.self) { _ = try cache.make(.init()) }
        #expect(made?.code == .tlsFailed)
        #expect(made?.reason == reason)
    }

    @Test func `a file that is cut or damaged anywhere is an error and nothing worse`() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: try Self.fixture("modern.p12"))))
        var failures = 0
        func read(_ bytes: [UInt8]) {
            do {
                _ = try ClientIdentity.pkcs12(.bytes(bytes), passphrase: "secret").load()
            } catch {
                failures += 1
                #expect(error.code == .tlsFailed)
            }
        }
        for count in bytes.indices { read(Array(bytes.prefix(count))) }
        #expect(failures == bytes.count)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0xFF
            read(damaged)
        }
        // The code protects what matters; of the rest, a byte here and there carries nothing.
        #expect(failures > bytes.count * 2 - 20)
    }

    @Test func `shows no secret in its descriptions`() {
        let identity = ClientIdentity.pkcs12(.bytes(Array("key material".utf8)), passphrase: "hunter2")
        var dumped = ""
        dump(identity, to: &dumped)
        for text in ["\(identity)", String(reflecting: identity), dumped] {
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("107"), "the bytes of the key are not shown either")
        }
    }
}
