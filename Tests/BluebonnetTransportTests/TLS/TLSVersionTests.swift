// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(1))) struct TLSVersionTests {
    struct Pair: Sendable, CustomTestStringConvertible {
        var server: ClosedRange<TestServer.TLS.Version>
        var minimum: TLSOptions.Version
        var maximum: TLSOptions.Version
        var agreed: TLSOptions.Version?

        var testDescription: String { "\(self.server) with \(self.minimum)...\(self.maximum)" }

        static let all: [Pair] = [
            .init(server: .tls12...(.tls13), minimum: .tls12, maximum: .tls13, agreed: .tls13),
            .init(server: .tls12...(.tls13), minimum: .tls12, maximum: .tls12, agreed: .tls12),
            .init(server: .tls12...(.tls12), minimum: .tls12, maximum: .tls13, agreed: .tls12),
            .init(server: .tls13...(.tls13), minimum: .tls13, maximum: .tls13, agreed: .tls13),
            .init(server: .tls12...(.tls12), minimum: .tls13, maximum: .tls13, agreed: nil),
            .init(server: .tls13...(.tls13), minimum: .tls12, maximum: .tls12, agreed: nil),
            .init(server: .tls10...(.tls11), minimum: .tls12, maximum: .tls13, agreed: nil),
        ]
    }

    @Test(arguments: Pair.all) func `agrees on the highest version that both allow`(_ pair: Pair) async throws {
        var tls = TestServer.TLS()
        (tls.minimumVersion, tls.maximumVersion) = (pair.server.lowerBound, pair.server.upperBound)
        var configuration = NIOTransport.Configuration()
        (configuration.tls.minimumVersion, configuration.tls.maximumVersion) = (pair.minimum, pair.maximum)
        try await Engine.run(tls: tls, engine: configuration) { engine async throws in
            guard let agreed = pair.agreed else {
                let error = await #expect(throws: TransportError.self) {
                    try await engine.send(engine.request(.get, "/"))
                }
                #expect(error?.code == .tlsFailed)
                #expect(error?.reason.contains("version") == true, "\(error?.reason ?? "")")
                return
            }
            let details = try #require(try await engine.send(engine.request(.get, "/")).response.metrics.tls)
            #expect(details.version == agreed)
            #expect(details.applicationProtocol == "http/1.1")
            let prefix = agreed == .tls13 ? "TLS_AES_" : "TLS_ECDHE_ECDSA_WITH_"
            #expect(
                details.cipherSuite?.description.hasPrefix(prefix) == true,
                "\(String(describing: details.cipherSuite))"
            )
        }
    }

    @Test(
        .bug(id: "F195"),
        arguments: [
            ([], false), ([0x1301], false), ([0x9999], false), ([0xC02B, 0x9999], false), ([0x0000, 0xC02B], false),
            ([0xC02B], true), ([0x1301, 0xC02B], true),
        ] as [([UInt16], Bool)]
    )
    func `a list of cipher suites that cannot be offered is refused`(_ suites: [UInt16], _ isUsable: Bool) async throws
    {
        var configuration = NIOTransport.Configuration()
        configuration.tls.maximumVersion = .tls12
        configuration.tls.cipherSuites = suites.map { CipherSuite(rawValue: $0) }
        try await Engine.run(tls: .init(), engine: configuration) { engine async throws in
            guard isUsable else {
                let error = await #expect(throws: TransportError.self) {
                    try await engine.send(engine.request(.get, "/"))
                }
                #expect(error?.code == .tlsFailed)
                #expect(error?.reason.contains("cipher suite") == true)
                return
            }
            let answer = try await engine.send(engine.request(.get, "/status/200"))
            #expect(answer.response.metrics.tls?.cipherSuite?.rawValue == 0xC02B)
        }
    }

    @Test func `a lowest version above the highest is refused`() async throws {
        var configuration = NIOTransport.Configuration()
        (configuration.tls.minimumVersion, configuration.tls.maximumVersion) = (.tls13, .tls12)
        try await Engine.run(tls: .init(), engine: configuration) { engine async throws in
            let error = await #expect(throws: TransportError.self) { try await engine.send(engine.request(.get, "/")) }
            #expect(error?.code == .tlsFailed)
        }
    }

    @Test func `tells of the connection, also to the exchanges that find it made`() async throws {
        try await Engine.run(tls: .init(certificate: .intermediate)) { engine async throws in
            let first = try await engine.send(engine.request(.get, "/")).response.metrics
            let second = try await engine.send(engine.request(.get, "/")).response.metrics
            #expect(second.isConnectionReused)
            let details = try #require(first.tls)
            #expect(second.tls === details)
            #expect(details.isVerified)
            // The server's own, the one in the middle, and the root, which the server does not send.
            #expect(details.certificates.count == 3)
            #expect(first.localAddress?.hasPrefix("127.0.0.1:") == true)
            #expect(first.localAddress != first.remoteAddress)
        }
    }

    @Test func `there is nothing to tell of a plain connection`() async throws {
        try await Engine.run { engine async throws in
            let metrics = try await engine.send(engine.request(.get, "/")).response.metrics
            #expect(metrics.tls == nil)
            #expect(metrics.localAddress != nil)
        }
    }
}
