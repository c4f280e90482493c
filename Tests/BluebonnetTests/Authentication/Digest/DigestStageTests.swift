// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// How Digest answers the challenges of servers.
@Suite(.timeLimit(.minutes(1))) struct DigestStageTests {
    private typealias Stage = AuthenticationStageTests

    @Test(arguments: [
        ("Basic realm=\"r\"|Digest realm=\"r\", nonce=\"n\", qop=auth", "algorithm=MD5,"),
        (
            "Digest realm=\"r\", nonce=\"n\", qop=auth|Digest realm=\"r\", nonce=\"n\", qop=auth, algorithm=SHA-256",
            "SHA-256"
        ),
        (
            "Digest realm=\"r\", nonce=\"n\", qop=auth, algorithm=SHA-512-256, Digest realm=\"r\", nonce=\"n\", qop=auth",
            "SHA-512-256"
        ),
        ("Digest realm=\"r\", nonce=\"n\", qop=auth, algorithm=TOKEN|Basic realm=\"r\"", "Basic"),
        ("Negotiate|Basic realm=\"r\"", "Basic"),
    ])
    func `the strongest challenge is answered`(_ challenges: String, _ expected: String) async throws {
        let transport = StubTransport { request in
            if let field = request.headers[.authorization] { return .plain(field) }
            var response = TransportResponse.plain("", status: 401)
            for challenge in challenges.split(separator: "|") {
                response.headers.append(HTTPField(name: .wwwAuthenticate, value: String(challenge)))
            }
            return response
        }
        let session = Stage.session(transport, .password("ada", "s3cret", for: Stage.home))
        let body = try await session.response(for: Stage.request()).body
        #expect(String(decoding: body, as: UTF8.self).contains(expected))
    }

    @Test func `Digest alone never falls back to Basic`() async throws {
        let transport = Stage.guarded("Basic realm=\"r\"") { _ in true }
        let session = Stage.session(transport, .digest("ada", "s3cret", for: Stage.home))
        #expect(try await session.response(for: Stage.request()).status == .unauthorized)
        #expect(transport.requests.count == 1)
    }

    @Test func `Digest counts the requests under a nonce and follows nextnonce`() async throws {
        let transport = StubTransport { request in
            guard let field = request.headers[.authorization] else {
                let challenge = "Digest realm=\"r\", nonce=\"n1\", qop=auth, domain=\"/a http://other/ /c\""
                return .plain("", status: 401, headers: [.wwwAuthenticate: challenge])
            }
            let isThird = field.contains("nc=00000003")
            return .plain(field, headers: isThird ? [.authenticationInfo: "nextnonce=\"n2\""] : [:])
        }
        let session = Stage.session(transport, .digest("ada", "s3cret", for: Stage.home))
        for (nonce, count) in [("n1", "00000001"), ("n1", "00000002"), ("n1", "00000003"), ("n2", "00000001")] {
            let response = try await session.response(for: Stage.request())
            let text = String(decoding: response.body, as: UTF8.self)
            #expect(text.contains("nonce=\"\(nonce)\", nc=\(count)"))
            #expect(text.contains("uri=\"/a/b?c\""))
        }
        #expect(transport.requests.count == 5)
        // Outside the domain a request goes without credentials first.
        _ = try await session.response(for: Stage.request("http://h/b"))
        #expect(transport.requests[5].headers[.authorization] == nil)
        _ = try await session.response(for: Stage.request("http://h/c"))
        #expect(transport.requests.count == 8)
    }

    @Test(arguments: ["", ", domain=\"\"", ", domain=\" \""])
    func `Digest without a domain, or with an empty one, is for the whole origin`(_ domain: String) async throws {
        let transport = Stage.guarded("Digest realm=\"r\", nonce=\"n\", qop=auth\(domain)") { $0.hasPrefix("Digest") }
        let session = Stage.session(transport, .digest("ada", "s3cret", for: Stage.home))
        for url in ["http://h/a/b?c", "http://h/x"] {
            #expect(try await session.response(for: Stage.request(url)).status == .ok)
        }
        #expect(transport.requests.count == 3)
    }

    @Test func `parallel requests under one nonce have numbers of their own`() async throws {
        let transport = StubTransport { request in
            if let field = request.headers[.authorization] { return .plain(field) }
            let challenge = "Digest realm=\"r\", nonce=\"n\", qop=auth"
            return .plain("", status: 401, headers: [.wwwAuthenticate: challenge])
        }
        let session = Stage.session(transport, .digest("ada", "s3cret", for: Stage.home))
        let counts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    let text = String(decoding: try await session.response(for: Stage.request()).body, as: UTF8.self)
                    return String(text.split(separator: "nc=")[1].prefix(8))
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(counts.count == 200)
    }

    @Test func `a nonce that is gone after a restart of the server is replaced, though nobody calls it stale`()
        async throws
    {
        let nonces = Recorder<String>()
        let transport = StubTransport { request in
            let nonce = nonces.elements.isEmpty ? "old" : "new"
            if let field = request.headers[.authorization], field.contains("nonce=\"\(nonce)\"") { return .plain("in") }
            let challenge = "Digest realm=\"r\", nonce=\"\(nonce)\", qop=auth"
            return .plain("", status: 401, headers: [.wwwAuthenticate: challenge])
        }
        let session = Stage.session(transport, .digest("ada", "s3cret", for: Stage.home))
        #expect(try await session.response(for: Stage.request()).status == .ok)
        nonces.record("restarted")
        #expect(try await session.response(for: Stage.request()).status == .ok)
        #expect(transport.requests.count == 4)
    }

    @Test func `a server that cannot prove that it knows the password is an error`() async throws {
        let transport = StubTransport { request in
            guard request.headers[.authorization] != nil else {
                let challenge = "Digest realm=\"r\", nonce=\"n\", qop=auth"
                return .plain("", status: 401, headers: [.wwwAuthenticate: challenge])
            }
            return .plain("", headers: [.authenticationInfo: "rspauth=\"0123\", qop=auth, nc=00000001"])
        }
        let session = Stage.session(transport, .digest("ada", "s3cret", for: Stage.home))
        let error = await #expect(throws: SessionError.self) { try await session.response(for: Stage.request()) }
        #expect(error?.code == .authenticationFailed)
        #expect(error?.status == .ok)
    }

    /// The server changes what it asks for, and keeps its nonce: the count goes on (RFC 7616 section 3.4, `nc`).
    @Test func `a challenge that differs under the same nonce is answered as it asks`() async throws {
        let transport = StubTransport { request in
            guard let field = request.headers[.authorization] else {
                let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", opaque=\"1\""
                return .plain("", status: 401, headers: [.wwwAuthenticate: challenge])
            }
            guard request.target.hasPrefix("/a") || field.contains("qop=auth-int") else {
                let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\", opaque=\"2\""
                return .plain("", status: 401, headers: [.wwwAuthenticate: challenge])
            }
            return .plain(field)
        }
        let session = Stage.session(transport, .digest("ada", "s3cret", for: Stage.home))
        #expect(try await session.response(for: Stage.request()).status == .ok)
        let response = try await session.response(for: Stage.request("http://h/b"))
        let field = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == .ok)
        #expect(field.contains("opaque=\"2\"") && field.contains("nc=00000003"), "\(field)")
    }
}
