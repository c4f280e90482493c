// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport
import Foundation
import HTTPTypes
import Testing

/// Through squid, which asks for Digest or Basic, to nginx over plain HTTP, over TLS, and over HTTP/2.
@Suite(.timeLimit(.minutes(2)))
struct SquidTests {
    /// nginx, squid, and an engine between them.
    struct Servers: Sendable {
        var origin: ExternalServer
        var squid: ExternalServer
        var transport: NIOTransport

        /// A session whose requests go through squid.
        func session(_ proxy: Proxy) -> Session {
            var configuration = Session.Configuration()
            configuration.proxy = .fixed(proxy)
            return Session(configuration: configuration, transport: self.transport)
        }

        /// The bases of URLs over HTTP/1.1 without TLS and with it, and over HTTP/2.
        var bases: [URL] { [self.origin.http, self.origin.https, self.origin.https2].compactMap { $0 } }
    }

    static func withServers(_ body: (Servers) async throws -> Void) async throws {
        try await ExternalServer.run(.squid) { squid in
            try await ExternalServer.run(.nginx) { origin in
                try origin.write(Data("hello".utf8), as: "hello.txt")
                var engine = NIOTransport.Configuration()
                engine.tls.additionalRoots = [.pemFile(try #require(origin.root))]
                let transport = NIOTransport(configuration: engine)
                let result: Result<Void, any Error>
                do {
                    result = .success(try await body(Servers(origin: origin, squid: squid, transport: transport)))
                } catch {
                    result = .failure(error)
                }
                await transport.shutdown()
                try result.get()
            }
        }
    }

    static func proxy(
        _ port: Int?,
        _ authentication: Proxy.Authentication,
        password: String? = "s3cret"
    ) throws -> Proxy {
        let port = try #require(port)
        var proxy = Proxy(scheme: .http, host: "127.0.0.1", port: port)
        if let password { (proxy.username, proxy.password) = ("ada", password) }
        proxy.authentication = authentication
        return proxy
    }

    @Test(arguments: Proxy.Authentication.allCases)
    func `squid lets through whoever knows the password, by Digest and by Basic`(
        _ authentication: Proxy.Authentication
    ) async throws {
        try await Self.withServers { servers in
            #expect(servers.bases.count == 3)
            for port in [servers.squid.port, servers.squid.lockedPort] {
                let session = servers.session(try Self.proxy(port, authentication))
                for base in servers.bases {
                    for _ in 0..<3 {
                        let response = try await session.response(for: Request(url: base.appending(path: "hello.txt")))
                        #expect(response.status == .ok && response.body == Data("hello".utf8), "\(base)")
                        #expect(response.metrics?.remoteAddress == "127.0.0.1:\(port ?? 0)")
                    }
                }
            }
        }
    }

    @Test
    func `squid refuses a wrong password, no password, and Basic where it wants Digest`() async throws {
        try await Self.withServers { servers in
            let secure = try #require(servers.origin.https)
            for (password, port) in [
                ("wrong", servers.squid.port), (nil, servers.squid.port), ("wrong", servers.squid.lockedPort),
            ] {
                for authentication in Proxy.Authentication.allCases {
                    let session = servers.session(try Self.proxy(port, authentication, password: password))
                    let forwarded = try await session.response(for: Request(url: servers.origin.http))
                    #expect(forwarded.status == .proxyAuthenticationRequired)
                    let error = await #expect(throws: SessionError.self) {
                        try await session.response(for: Request(url: secure))
                    }
                    #expect(error?.code == .proxyAuthenticationRequired && error?.proxyStatus == 407)
                    #expect(error?.isRequestSent == false)
                }
            }
        }
    }

    @Test
    func `squid gets 200 requests at once, with nonce counts of their own`() async throws {
        try await Self.withServers { servers in
            let session = servers.session(try Self.proxy(servers.squid.port, .digest))
            try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<200 {
                    let base = servers.bases[index % 3]
                    group.addTask {
                        let url = base.appending(path: "hello.txt").appending(queryItems: [
                            .init(name: "n", value: "\(index)")
                        ])
                        return try await session.response(for: Request(url: url)).status.code
                    }
                }
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    @Test
    func `squid forwards a body that had to be sent twice`() async throws {
        try await Self.withServers { servers in
            let session = servers.session(try Self.proxy(servers.squid.port, .challenged))
            let body = patternedData(count: 300_000)
            let url = servers.origin.http.appending(path: "upload/file.bin")
            let response = try await session.response(for: Request(method: .put, url: url, body: .data(body)))
            #expect(response.status == .created || response.status == .noContent)
            #expect(try await session.response(for: Request(url: url)).body == body)
        }
    }
}
