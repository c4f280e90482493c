// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// A password that a server has refused with Digest is not revealed to it with Basic.
@Suite(.timeLimit(.minutes(1))) struct RefusedDigestTests {
    typealias Stage = AuthenticationStageTests

    enum Source: String, CaseIterable, Sendable { case rule, store, netrc }

    /// Accepts Digest at `/a`, and redirects from there to `/b`, which offers only Basic.
    private static func transport() -> StubTransport {
        StubTransport { request in
            let field = request.headers[.authorization] ?? ""
            if request.target == "/b" {
                if field.hasPrefix("Basic") { return .plain("in") }
                return .plain("", status: 401, headers: [.wwwAuthenticate: "Basic realm=\"r\""])
            }
            if field.hasPrefix("Digest") { return .plain("", status: 302, headers: [.location: "/b"]) }
            let challenge = "Digest realm=\"r\", nonce=\"n\", qop=auth"
            return .plain("", status: 401, headers: [.wwwAuthenticate: challenge])
        }
    }

    private static func schemes(_ transport: StubTransport) -> [String] {
        transport.requests.compactMap { request in
            request.headers[.authorization].map { field in String(field.prefix { $0 != " " }) }
        }
    }

    private static func policy(_ source: Source) throws -> AuthenticationPolicy {
        switch source {
        case .rule: return .password("ada", "s3cret", for: Stage.home)
        case .store:
            let store = MemoryCredentialStore()
            store[ProtectionSpace(origin: Stage.home, realm: "r")] = .password("ada", "s3cret")
            return .stored(in: store)
        case .netrc: return .netrc(try Netrc(parsing: Array("machine h login ada password s3cret".utf8)))
        }
    }

    @Test(.bug(id: "F246"), arguments: Source.allCases)
    func `a password whose preemptive Digest was refused is not sent with Basic`(_ source: Source) async throws {
        let transport = Self.transport()
        let session = Stage.session(transport, try Self.policy(source))
        let response = try await session.response(for: Stage.request("http://h/a"))
        #expect(response.status == .unauthorized)
        #expect(Self.schemes(transport) == ["Digest", "Digest"])
    }

    @Test(.bug(id: "F246")) func `a handler may give a password for Basic after its preemptive Digest was refused`()
        async throws
    {
        let transport = Self.transport()
        var policy = AuthenticationPolicy.anonymous
        policy.onChallenge = { _ in .use(.password("ada", "s3cret")) }
        let response = try await Stage.session(transport, policy).response(for: Stage.request("http://h/a"))
        #expect(response.status == .ok)
        #expect(Self.schemes(transport) == ["Digest", "Digest", "Basic"])
    }
}
