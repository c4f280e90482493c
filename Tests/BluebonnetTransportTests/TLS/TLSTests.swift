// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct TLSTests {
    @Test(arguments: ["localhost", "127.0.0.1"]) func `trusts a root that was added`(_ host: String) async throws {
        try await Engine.run(tls: .init()) { engine in
            var request = engine.request(.get, "/bytes/300000")
            request.origin.host = host
            let answer = try await engine.send(request)
            #expect(answer.status == 200)
            #expect(answer.bytes.readableBytes == 300_000)
            #expect(engine.server.handshakes == 1)
        }
    }

    @Test(arguments: CertificateKind.allCases.filter { $0 != .valid })
    func `refuses a certificate that is not right, before a byte of the request is sent`(
        _ kind: CertificateKind
    ) async throws {
        try await Engine.run(tls: .init(certificate: kind)) { engine in
            let started = ContinuousClock.now
            let error = await #expect(throws: TransportError.self) {
                try await engine.send(engine.request(.post, "/", body: .bytes(ByteBuffer(string: "secret"))))
            }
            #expect(error?.code == .untrustedCertificate)
            #expect(error?.phase == .handshake)
            #expect(error?.isRequestSent == false)
            #expect(engine.server.untakenRequestCount == 0)
            #expect(ContinuousClock.now - started < .seconds(5), "a refusal does not wait for the connect timeout")
            _ = engine.server.takeFailures()
        }
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
        try await Engine.run { engine in
            engine.server.enqueue(.raw("HTTP/1.1 400 Bad Request\r\n\r\n"))
            var request = engine.request(.get, "/")
            request.origin = Origin(scheme: .https, host: "127.0.0.1", port: engine.server.port)
            let error = await #expect(throws: TransportError.self) { try await engine.send(request) }
            #expect(error?.phase == .handshake)
            #expect(error?.isRequestSent == false)
            _ = engine.server.takeFailures()
        }
    }

    @Test(arguments: [TLSOptions.Certificate.pemFile("/nonexistent/root.pem"), .pem([]), .pem(Array("not PEM".utf8))])
    func `a root that cannot be read is an error, not a surprise later`(_ root: TLSOptions.Certificate) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.tls.additionalRoots = [root]
        try await Engine.run(tls: .init(), engine: configuration) { engine in
            let error = await #expect(throws: TransportError.self) { try await engine.send(engine.request(.get, "/")) }
            #expect(error?.code == .tlsFailed)
        }
    }
}
