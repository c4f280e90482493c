// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Stored responses to requests whose Authorization field differs each time.
@Suite(.timeLimit(.minutes(1))) struct CacheDigestTests {
    private let store = MemoryCacheStore(maximumByteCount: 1 << 20)

    /// Challenges a request without a field, and takes every answer.
    private let transport = StubTransport { request in
        guard request.headers[.authorization] != nil else {
            let challenge = "Digest realm=\"a\", nonce=\"b\", qop=\"auth\", algorithm=SHA-256"
            return .plain("", status: 401, headers: [.wwwAuthenticate: challenge])
        }
        return .plain("private", headers: [.cacheControl: "max-age=60", .authenticationInfo: "nextnonce=\"c\""])
    }

    private func session(_ policy: AuthenticationPolicy) -> Session {
        var configuration = Session.Configuration()
        configuration.authentication = policy
        configuration.cache = ResponseCache(store: self.store)
        return Session(configuration: configuration, transport: self.transport)
    }

    private func session(_ user: String, _ password: String) -> Session {
        self.session(.digest(user, password, for: AuthenticationStageTests.home))
    }

    private func isHit(_ session: Session, _ request: Request? = nil) async throws -> Bool? {
        let request = try request ?? AuthenticationStageTests.request()
        return try await session.response(for: request).cacheStatus?.isHit
    }

    @Test(.bug(id: "F411")) func `a response to a Digest request is reused by its user, and by no other`() async throws
    {
        let session = self.session("ada", "1")
        #expect(try await self.isHit(session) == false)
        for _ in 0..<5 { #expect(try await self.isHit(session) == true) }
        #expect(self.transport.requests.count == 2 && self.store.count == 1)
        // Another session does not know the space, and gets the challenge first.
        #expect(try await self.isHit(self.session("ada", "1")) == true)
        #expect(self.transport.requests.count == 3)
        for (user, password) in [("eve", "1"), ("ada", "2"), ("ad", "a1")] {
            #expect(try await self.isHit(self.session(user, password)) == false)
        }
        #expect(self.store.count == 4)
        #expect(try await self.isHit(session) == true)
    }

    @Test(.bug(id: "F411")) func `a Digest field that the program sets gets no response of the user that it names`()
        async throws
    {
        let session = self.session("ada", "1")
        let response = try await session.response(for: AuthenticationStageTests.request())
        let sent = try #require(response.request)
        let field = try #require(sent.headers[.authorization])
        let plain = self.session(.anonymous)
        for value in [field, "Digest username=\"ada\", realm=\"a\"", "Digest-User ada"] {
            var request = try AuthenticationStageTests.request()
            request.headers[.authorization] = value
            #expect(try await self.isHit(plain, request) == false, "\(value)")
        }
        // The request of a response, changed and sent again, is not that of its user any more.
        var changed = sent
        changed.headers[.authorization] = "Digest username=\"eve\""
        #expect(try await self.isHit(plain, changed) == false)
    }
}
