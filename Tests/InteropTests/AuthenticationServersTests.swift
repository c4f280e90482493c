// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// Digest and Basic as Apache httpd and nginx have them.
@Suite(.timeLimit(.minutes(5)))
struct AuthenticationServersTests {
    /// Gets a token, and counts how often.
    struct CountingAuthenticator: Authenticator {
        let count = Counter()

        func refresh(_ token: AccessToken?, _ context: RefreshContext) async throws -> AccessToken {
            self.count.add()
            return AccessToken("fresh")
        }
    }

    final class Counter: Sendable {
        private let count = Mutex(0)

        var value: Int { self.count.withLock { $0 } }

        func add() { self.count.withLock { $0 += 1 } }
    }

    private static func engine(_ usesHTTP2: Bool = false) -> NIOTransport {
        var engine = NIOTransport.Configuration()
        engine.proxy = .direct
        if usesHTTP2 { engine.httpVersions = .http2 }
        return NIOTransport(configuration: engine)
    }

    /// A client of the server, with an engine of its own.
    private func withClient(
        _ base: URL,
        _ policy: AuthenticationPolicy,
        _ body: (HTTPSession) async throws -> Void
    ) async throws {
        var configuration = Session.Configuration()
        configuration.authentication = policy
        let transport = Self.engine()
        do {
            try await body(HTTPSession(baseURL: base, configuration: configuration, transport: transport))
        } catch {
            await transport.shutdown()
            throw error
        }
        await transport.shutdown()
    }

    private func expect(_ status: Int, of path: String, _ api: HTTPSession) async throws {
        let found = try await self.status(api, path)
        #expect(found == status, "\(path)")
    }

    private func status(_ api: HTTPSession, _ path: String) async throws -> Int {
        do {
            return try await api.get(path).status.code
        } catch let error as SessionError {
            guard let status = error.status else { throw error }
            return status.code
        }
    }

    @Test func `httpd accepts Digest, proves its own knowledge, and refuses a wrong password once`() async throws {
        try await ExternalServer.run(.apache) { server in
            try server.write(Data("hello".utf8), as: "hello.txt")
            try await self.withClient(server.http, .digest("ada", "s3cret")) { api in
                for path in ["digest/hello.txt", "digest/hello.txt?a=b%20c&d", "counted/hello.txt"] {
                    for _ in 0..<3 { try await self.expect(200, of: path, api) }
                }
                try await self.expect(401, of: "basic/hello.txt", api)
            }
            for policy in [AuthenticationPolicy.digest("ada", "wrong"), .digest("nobody", "s3cret"), .anonymous] {
                try await self.withClient(server.http, policy) { api in
                    try await self.expect(401, of: "digest/hello.txt", api)
                }
            }
        }
    }

    @Test func `httpd gets 200 requests at once, with nonce counts of their own`() async throws {
        try await ExternalServer.run(.apache) { server in
            try server.write(Data("hello".utf8), as: "hello.txt")
            try await self.withClient(server.http, .password("ada", "s3cret")) { api in
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for index in 0..<200 {
                        group.addTask { try await self.status(api, "digest/hello.txt?\(index)") }
                    }
                    for try await status in group { #expect(status == 200) }
                }
            }
        }
    }

    @Test func `httpd and nginx accept Basic, before and after a challenge`() async throws {
        for kind in [ExternalServer.Kind.apache, .nginx] {
            try await ExternalServer.run(kind) { server in
                try server.write(Data("hello".utf8), as: "hello.txt")
                let policies: [(AuthenticationPolicy, Int)] = [
                    (.password("ada", "s3cret"), 200), (.basic("ada", "s3cret", isPreemptive: true), 200),
                    (.basic("ada", "wrong"), 401), (.digest("ada", "s3cret"), 401), (.anonymous, 401),
                ]
                for (policy, expected) in policies {
                    try await self.withClient(server.http, policy) { api in
                        for _ in 0..<2 { try await self.expect(expected, of: "basic/hello.txt", api) }
                    }
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `100 requests that nginx refuses make one refresh, time and again`(_ usesHTTP2: Bool) async throws {
        try await ExternalServer.run(.nginx) { server in
            let base = try #require(usesHTTP2 ? server.http2 : server.http)
            let transport = Self.engine(usesHTTP2)
            // A hundred times in the run with all servers.
            for _ in 0..<(FrontTable.isWanted ? 100 : 20) {
                let authenticator = CountingAuthenticator()
                let tokens = TokenSource(authenticator, token: AccessToken("old"))
                var configuration = Session.Configuration()
                configuration.authentication = .tokens(tokens)
                let api = HTTPSession(baseURL: base, configuration: configuration, transport: transport)
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<100 { group.addTask { try await self.status(api, "token") } }
                    for try await status in group { #expect(status == 204) }
                }
                #expect(authenticator.count.value == 1)
            }
            await transport.shutdown()
        }
    }
}
