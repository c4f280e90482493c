// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// The numbers of requests under one nonce (RFC 7616 section 3.4, `nc`).
@Suite(.timeLimit(.minutes(1))) struct DigestCountTests {
    typealias Stage = AuthenticationStageTests

    enum Source: String, CaseIterable, Sendable { case rule, store, sessionHandler, requestHandler }

    /// Has one nonce, and lets only the next number in; `/forbidden` is not for the user.
    private static func transport() -> StubTransport {
        let count = Mutex(0)
        return StubTransport { request in
            let number = try Self.number(of: request)
            let isNext = count.withLock { count in
                guard number == count + 1 else { return false }
                count += 1
                return true
            }
            if isNext, request.target != "/forbidden" { return .plain("in") }
            let challenge = "Digest realm=\"r\", nonce=\"n\", qop=auth"
            return .plain("", status: 401, headers: [.wwwAuthenticate: challenge])
        }
    }

    private static func number(of request: TransportRequest) throws -> Int? {
        guard let field = request.headers[.authorization] else { return nil }
        let parameters = try DigestTests.parameters(String(field.dropFirst("Digest ".count)))
        return parameters.first { $0.name == "nc" }.flatMap { Int($0.value, radix: 16) }
    }

    private static func session(_ source: Source, _ transport: StubTransport) -> Session {
        var policy = AuthenticationPolicy.anonymous
        switch source {
        case .rule: policy = .digest("ada", "s3cret", for: Stage.home)
        case .store:
            let store = MemoryCredentialStore()
            store[ProtectionSpace(origin: Stage.home, realm: "r")] = .password("ada", "s3cret")
            policy = .stored(in: store)
        case .sessionHandler: policy.onChallenge = { _ in .use(.password("ada", "s3cret")) }
        case .requestHandler: break
        }
        return Stage.session(transport, policy)
    }

    @Test(.bug(id: "F554"), arguments: Source.allCases)
    func `a nonce's count goes on after a refused answer, whoever gives the credential`(_ source: Source) async throws {
        let transport = Self.transport()
        let session = Self.session(source, transport)
        for path in ["/a", "/b", "/forbidden", "/a", "/forbidden", "/b", "/a"] {
            var request = try Stage.request("http://h\(path)")
            if source == .requestHandler {
                request.onAuthenticationChallenge = { challenge in
                    challenge.previousFailureCount > 1 ? .cancel : .use(.password("ada", "s3cret"))
                }
            }
            let status = try await session.response(for: request).status
            #expect(status == (path == "/forbidden" ? .unauthorized : .ok), "\(path)")
        }
        let numbers = try transport.requests.compactMap { try Self.number(of: $0) }
        #expect(numbers == Array(1...numbers.count))
    }

    @Test(.bug(id: "F554")) func `a refused credential is not sent before the next challenge`() async throws {
        let transport = Self.transport()
        let session = Self.session(.rule, transport)
        for path in ["/a", "/forbidden", "/a"] { _ = try await session.response(for: Stage.request("http://h\(path)")) }
        let isSent = transport.requests.map { $0.headers.contains(.authorization) }
        #expect(isSent == [false, true, true, true, false, true])
    }

    @Test(.bug(id: "F554")) func `two users share the count of a nonce`() async throws {
        let transport = Self.transport()
        let session = Self.session(.requestHandler, transport)
        for user in ["ada", "eve", "ada"] {
            var request = try Stage.request("http://h/a")
            request.onAuthenticationChallenge = { _ in .use(.password(user, "s3cret")) }
            #expect(try await session.response(for: request).status == .ok)
        }
        #expect(try transport.requests.compactMap { try Self.number(of: $0) } == [1, 2, 3])
    }
}
