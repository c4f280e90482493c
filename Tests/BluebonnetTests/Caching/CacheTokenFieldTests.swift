// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Stored responses to requests whose token is in another field than Authorization.
@Suite(.timeLimit(.minutes(1))) struct CacheTokenFieldTests {
    /// Sends the token in fields of its own.
    private struct FieldAuthenticator: Authenticator {
        let names: [HTTPField.Name]

        func refresh(_ token: AccessToken?, _ context: RefreshContext) async throws -> AccessToken {
            AccessToken("fresh")
        }

        func authorize(_ request: inout Request, with token: AccessToken) throws {
            for name in self.names { request.headers[name] = token.value }
        }
    }

    private let transport = StubTransport { request in
        let field = request.headers.first {
            ["x-auth-token", "cookie", "authorization"].contains($0.name.canonicalName)
        }
        return .plain(field?.value ?? "", headers: [.cacheControl: "max-age=60"])
    }

    private func session(_ tokens: TokenSource, isShared: Bool = false) -> Session {
        var configuration = Session.Configuration()
        configuration.authentication = .tokens(tokens, for: AuthenticationStageTests.home)
        var cache = ResponseCache(store: MemoryCacheStore(maximumByteCount: 1 << 20))
        cache.isShared = isShared
        cache.wallClock = .stopped()
        configuration.cache = cache
        return Session(configuration: configuration, transport: self.transport)
    }

    @Test(
        .bug(id: "F815"),
        arguments: [["X-Auth-Token"], ["Cookie"], ["X-Auth-Token", "Authorization"], ["Authorization"]]
    )
    func `a response is reused with the same token, and with no other`(_ names: [String]) async throws {
        let names = try names.map { try #require(HTTPField.Name($0)) }
        let tokens = TokenSource(FieldAuthenticator(names: names), token: AccessToken("ada"))
        let session = self.session(tokens)
        var request = try AuthenticationStageTests.request()
        for (token, isHit) in [("ada", false), ("ada", true), ("eve", false), ("eve", true), ("ada", true)] {
            tokens.replace(AccessToken(token))
            let response = try await session.response(for: request)
            #expect(response.body == Data(token.utf8))
            #expect(response.cacheStatus?.isHit == isHit)
        }
        // A request with the same fields of the program's own is not one of the account.
        request.authentication = .anonymous
        #expect(try await session.response(for: request).cacheStatus?.isHit == false)
        #expect(self.transport.requests.count == 3)
    }

    @Test(.bug(id: "F815")) func `a shared cache keeps no response to a token in a field of its own`() async throws {
        let name = try #require(HTTPField.Name("X-Auth-Token"))
        let session = self.session(
            TokenSource(FieldAuthenticator(names: [name]), token: AccessToken("ada")),
            isShared: true
        )
        for _ in 0..<2 {
            let response = try await session.response(for: AuthenticationStageTests.request())
            #expect(response.cacheStatus?.isHit == false)
        }
    }
}
