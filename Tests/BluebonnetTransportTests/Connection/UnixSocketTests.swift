// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.timeLimit(.minutes(1))) struct UnixSocketTests {
    static let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// A path that nobody else has; the file is removed afterwards.
    static func withPath(_ body: (String) async throws -> Void) async throws {
        let path = "/tmp/bluebonnet-\(getpid())-\(UInt64.random(in: 0...UInt64.max)).sock"
        defer { unlink(path) }
        try await body(path)
    }

    @Test(arguments: [true, false]) func `goes over a Unix socket, past a proxy, and Host is the origin's`(
        _ perRequest: Bool
    ) async throws {
        try await Self.withPath { path in
            try await ScriptedPeer.run([.readHead, .send(Self.response)], unixSocketPath: path) { peer async throws in
                var configuration = NIOTransport.Configuration()
                configuration.proxy = .fixed(Proxy(scheme: .http, host: "127.0.0.1", port: 1))
                if !perRequest { configuration.unixSocketPath = path }
                let transport = NIOTransport(configuration: configuration)
                var request = TransportRequest(origin: Origin(scheme: .http, host: "docker.test"), target: "/info")
                if perRequest { request.unixSocketPath = path }
                let response = try await transport.exchange(request)
                #expect(response.body.collectedBytes.map { String(buffer: $0) } == "ok")
                #expect(response.metrics.remoteAddress == path)
                #expect(response.metrics.resolveStarted == nil)
                #expect(peer.receivedText == "GET /info HTTP/1.1\r\nHost: docker.test\r\n\r\n")
                await transport.shutdown()
            }
        }
    }

    @Test(.bug(id: "F190")) func `paths that differ in how an accent is written lead to different sockets`()
        async throws
    {
        try await Self.withPath { path in
            let paths = ["\u{E9}", "e\u{301}"].map { path + $0 }
            defer { for path in paths { unlink(path) } }
            let steps: [ScriptedPeer.Step] = [.readHead, .send(Self.response), .readHead, .send(Self.response)]
            try await ScriptedPeer.run(steps, unixSocketPath: paths[0]) { first async throws in
                try await ScriptedPeer.run(steps, unixSocketPath: paths[1]) { second async throws in
                    let transport = NIOTransport()
                    for (path, target) in zip(paths, ["/first", "/second"]) {
                        var request = TransportRequest(origin: Origin(scheme: .http, host: "h.test"), target: target)
                        request.unixSocketPath = path
                        #expect(try await transport.exchange(request).status == .ok)
                    }
                    await transport.shutdown()
                    #expect(first.receivedText.hasPrefix("GET /first "))
                    #expect(second.receivedText.hasPrefix("GET /second "))
                }
            }
        }
    }

    @Test func `speaks TLS over it, for the origin's name`() async throws {
        let authority = try CertificateAuthority.shared()
        let tls = try ScriptedPeer.context(authority: authority)
        try await Self.withPath { path in
            try await ScriptedPeer.run([.readHead, .send(Self.response)], tls: tls, unixSocketPath: path) {
                _ async throws in
                var configuration = NIOTransport.Configuration()
                configuration.unixSocketPath = path
                configuration.tls.additionalRoots = [.pem(authority.pem)]
                let transport = NIOTransport(configuration: configuration)
                let right = TransportRequest(origin: Origin(scheme: .https, host: "localhost"), target: "/")
                #expect(try await transport.exchange(right).status == .ok)
                let wrong = TransportRequest(origin: Origin(scheme: .https, host: "elsewhere.test"), target: "/")
                let error = await #expect(throws: TransportError.self) { try await transport.exchange(wrong) }
                #expect(error?.code == .untrustedCertificate)
                await transport.shutdown()
            }
        }
    }

    @Test(arguments: [
        ("", TransportError.Code.invalidRequest), ("a\u{0}b", .invalidRequest),
        ("/" + String(repeating: "a", count: 107), .invalidRequest),
        ("/" + String(repeating: "a", count: 106), .connectFailed), ("/nonexistent/socket", .connectFailed),
        ("/etc/hostname", .connectFailed),
    ])
    func `a path that leads nowhere is a typed error`(_ path: String, _ code: TransportError.Code) async throws {
        let transport = NIOTransport()
        var request = TransportRequest(origin: Origin(scheme: .http, host: "localhost"), target: "/")
        request.unixSocketPath = path
        let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(error?.isRequestSent == false)
        await transport.shutdown()
    }
}
