// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Validations by a server that proves with each response that it knows the password (RFC 7616 section 3.5).
@Suite(.timeLimit(.minutes(1))) struct CacheDigestProofTests {
    /// Answers conditions with 304.
    ///
    /// - Parameters:
    ///   - quality: The quality of protection.
    ///   - password: The password that it knows when it answers conditions.
    ///   - confirms: The entity tag that a 304 has.
    /// - Returns: The transport.
    private static func transport(
        _ quality: String,
        password: String = "1",
        confirms: String = "\"e\""
    ) -> StubTransport {
        StubTransport { request in
            guard let field = request.headers[.authorization] else {
                let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"\(quality)\", algorithm=MD5"
                return .plain("", status: 401, headers: [.wwwAuthenticate: challenge])
            }
            let isCondition = request.headers.contains(.ifNoneMatch)
            let body = isCondition ? "" : "private"
            let parameters = try DigestTests.parameters(String(field.dropFirst("Digest ".count)))
            let count = parameters.first { $0.name == "nc" }?.value ?? ""
            let clientNonce = parameters.first { $0.name == "cnonce" }?.value ?? ""
            let md5 = DigestAlgorithm.md5
            let subject = ":\(request.target)" + (quality == "auth-int" ? ":\(md5.digest(body))" : "")
            let key = md5.digest("ada:r:\(isCondition ? password : "1")")
            let proof = md5.digest("\(key):n:\(count):\(clientNonce):\(quality):\(md5.digest(subject))")
            let headers: HTTPFields = [
                .authenticationInfo: "rspauth=\"\(proof)\", nc=\(count), cnonce=\"\(clientNonce)\", qop=\(quality)",
                .cacheControl: "no-cache", .eTag: isCondition ? confirms : "\"e\"",
            ]
            return .plain(body, status: isCondition ? 304 : 200, headers: headers)
        }
    }

    private static func session(_ transport: StubTransport) -> Session {
        var configuration = Session.Configuration()
        configuration.authentication = .digest("ada", "1", for: AuthenticationStageTests.home)
        configuration.cache = ResponseCache(store: MemoryCacheStore(maximumByteCount: 1 << 20))
        return Session(configuration: configuration, transport: transport)
    }

    @Test(.bug(id: "F552"), arguments: ["auth", "auth-int"])
    func `the proof of a 304 covers the 304, and not the stored body`(_ quality: String) async throws {
        let session = Self.session(Self.transport(quality))
        for _ in 0..<3 {
            let response = try await session.response(for: AuthenticationStageTests.request())
            #expect(response.status == .ok && response.body == Data("private".utf8))
        }
    }

    @Test(arguments: ["auth", "auth-int"]) func `a 304 with a wrong proof is refused`(_ quality: String) async throws {
        let session = Self.session(Self.transport(quality, password: "2"))
        _ = try await session.response(for: AuthenticationStageTests.request())
        let error = await #expect(throws: SessionError.self) {
            try await session.response(for: AuthenticationStageTests.request())
        }
        #expect(error?.code == .authenticationFailed)
    }

    @Test(.bug(id: "F553"), arguments: ["auth", "auth-int"])
    func `a request that the cache sends once more has its own number under the nonce`(_ quality: String) async throws {
        let transport = Self.transport(quality, confirms: "\"other\"")
        let session = Self.session(transport)
        for _ in 0..<3 {
            #expect(try await session.response(for: AuthenticationStageTests.request()).status == .ok)
        }
        // The challenge, the first response, and two validations that were of no use.
        #expect(transport.requests.count == 6)
        let fields = transport.requests.compactMap { $0.headers[.authorization] }
        let numbers = fields.compactMap { field in
            field.firstRange(of: "nc=").map { field[$0.upperBound...].prefix(8) }
        }
        #expect(numbers == (1...5).map { "0000000\($0)" })
    }
}
