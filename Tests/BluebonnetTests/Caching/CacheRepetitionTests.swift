// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Requests that are sent again because of a response that the cache has stored.
@Suite(.timeLimit(.minutes(1))) struct CacheRepetitionTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"a\""]
    private static let noStore: HTTPFields = [.cacheControl: "no-store"]

    private func session(
        _ transport: StubTransport,
        _ change: (inout Session.Configuration) -> Void
    ) -> Session {
        var configuration = Session.Configuration()
        configuration.cache = ResponseCache(store: MemoryCacheStore(maximumByteCount: 1 << 20))
        change(&configuration)
        return Session(configuration: configuration, transport: transport)
    }

    // MARK: Attempts

    @Test(.bug(id: "F416"), arguments: [503, 429, 404, 202]) func `an attempt after a stored 503 asks the server`(
        _ status: Int
    ) async throws {
        let transport = StubTransport(responses: [
            .success(.plain("first", status: status, headers: Self.fresh)),
            .success(.plain("second", status: 504, headers: Self.noStore)),
            .failure(TransportError(.connectFailed, phase: .connect, reason: "refused")),
            .success(.plain("last", headers: Self.fresh)),
        ])
        let session = self.session(transport) {
            $0.retries = .immediate(attempts: 4)
            $0.retries.statuses.formUnion([404, 202])
        }
        let request = try AuthenticationStageTests.request()
        let response = try await session.response(for: request)
        #expect(response.status == .ok && response.body == Data("last".utf8))
        #expect(response.failedAttempts.map(\.status?.code) == [status, 504, nil])
        #expect(transport.requests.count == 4)
        // The next call gets what has replaced the stored error.
        let next = try await session.response(for: request)
        #expect(next.body == Data("last".utf8) && next.cacheStatus?.isHit == true)
    }

    @Test(.bug(id: "F416")) func `an attempt takes a stored response that is not the one that it repeats`() async throws
    {
        let transport = StubTransport { _ in .plain("stored", headers: Self.fresh) }
        let broken = StubTransport { _ in .plain("", status: 503, headers: Self.noStore) }
        var cache: ResponseCache?
        let other = self.session(transport) { cache = $0.cache }
        let policy = RetryPolicy(attempts: 3) { context in
            // Another call stores the response during the wait.
            _ = try await other.response(for: context.request)
            return context.proposal
        }
        let session = self.session(broken) {
            $0.cache = cache
            $0.retries = policy
            $0.retries.backoff = .none
        }
        let response = try await session.response(for: AuthenticationStageTests.request())
        #expect(response.body == Data("stored".utf8) && response.cacheStatus?.isHit == true)
        #expect(broken.requests.count == 1)
    }

    // MARK: Credentials

    /// Sends its token in a field that the key of a stored response does not contain.
    private struct KeyAuthenticator: Authenticator {
        static let name = HTTPField.Name("X-Api-Token")
        let base: FakeAuthenticator

        func refresh(_ token: AccessToken?, _ context: RefreshContext) async throws -> AccessToken {
            try await self.base.refresh(token, context)
        }

        func authorize(_ request: inout Request, with token: AccessToken) throws {
            if let name = Self.name { request.headers[name] = token.value }
        }
    }

    /// Lets the tokens in that begin with "fresh"; a refusal may be stored.
    private static func guarded() -> StubTransport {
        StubTransport { request in
            let token = KeyAuthenticator.name.flatMap { request.headers[$0] }
            let isLetIn = token?.hasPrefix("fresh") == true
            return .plain(isLetIn ? "in" : "out", status: isLetIn ? 200 : 401, headers: Self.fresh)
        }
    }

    @Test(.bug(id: "F416")) func `a refused token's response does not answer the next token`() async throws {
        let transport = Self.guarded()
        let authenticator = KeyAuthenticator(base: FakeAuthenticator())
        let tokens = TokenSource(authenticator, token: AccessToken("old"))
        let session = self.session(transport) {
            $0.authentication = .tokens(tokens, for: AuthenticationStageTests.home)
        }
        let response = try await session.response(for: AuthenticationStageTests.request())
        #expect(response.status == .ok && response.body == Data("in".utf8))
        #expect(transport.requests.count == 2)
    }

    @Test(.bug(id: "F416")) func `a stored refusal of one token is not taken for that of another`() async throws {
        let transport = Self.guarded()
        let base = FakeAuthenticator { _, _ in throw OAuth2Error(.invalidGrant, reason: "no", status: .badRequest) }
        let tokens = TokenSource(KeyAuthenticator(base: base), token: AccessToken("old"))
        let session = self.session(transport) {
            $0.authentication = .tokens(tokens, for: AuthenticationStageTests.home)
        }
        let request = try AuthenticationStageTests.request()
        await #expect(throws: SessionError.self) { try await session.response(for: request) }
        tokens.replace(AccessToken("fresh"))
        #expect(try await session.response(for: request).status == .ok)
        #expect(base.calls.elements == ["old"] && transport.requests.count == 2)
    }

    @Test(.bug(id: "F416")) func `a challenge that a shared cache has stored does not answer the credentials`()
        async throws
    {
        let transport = StubTransport { request in
            guard request.headers[.authorization] == nil else { return .plain("in") }
            var headers = Self.fresh
            headers[.wwwAuthenticate] = "Basic realm=\"r\""
            return .plain("out", status: 401, headers: headers)
        }
        let session = self.session(transport) {
            $0.cache?.isShared = true
            $0.authentication = .basic("ada", "s3cret", for: AuthenticationStageTests.home)
        }
        #expect(try await session.response(for: AuthenticationStageTests.request()).status == .ok)
        #expect(transport.requests.count == 2)
    }
}
