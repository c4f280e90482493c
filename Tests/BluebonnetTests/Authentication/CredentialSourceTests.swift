// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import Testing

@testable import Bluebonnet

/// Where the credentials of a request come from, and which source goes before another.
@Suite(.timeLimit(.minutes(1))) struct CredentialSourceTests {
    private typealias Stage = AuthenticationStageTests

    @Test func `a request's own field and own policy go before the session's`() async throws {
        let transport = Stage.guarded("Basic realm=\"r\"") { _ in true }
        let session = Stage.session(transport, .bearer("session", for: Stage.home))
        var request = try Stage.request()
        _ = try await session.response(for: request)
        request.authentication = .bearer("own")
        _ = try await session.response(for: request)
        request.authentication = AuthenticationPolicy.anonymous
        _ = try await session.response(for: request)
        request.headers[.authorization] = "Custom x"
        _ = try await session.response(for: request)
        #expect(Stage.fields(transport) == ["Bearer session", "Bearer own", nil, "Custom x"])
    }

    @Test(arguments: [true, false]) func `user information in a URL answers Digest, too`(_ hasPolicy: Bool) async throws
    {
        let transport = Stage.guarded("Digest realm=\"r\", nonce=\"n\", qop=auth") { $0.hasPrefix("Digest") }
        let session = Stage.session(transport, hasPolicy ? .password("x", "y", for: Stage.home) : .anonymous)
        let response = try await session.response(for: Stage.request("http://ada:s3cret@h/"))
        #expect(response.status == .ok)
        #expect(transport.requests[0].headers[.authorization] == Stage.basicField)
        #expect(transport.requests[1].headers[.authorization]?.contains("username=\"ada\"") == true)
    }

    @Test(.bug(id: "F323"), arguments: [true, false])
    func `user information that a server has accepted with Digest is not sent with Basic again`(
        _ hasPolicy: Bool
    ) async throws {
        let transport = Stage.guarded("Digest realm=\"r\", nonce=\"n\", qop=auth") { $0.hasPrefix("Digest") }
        let session = Stage.session(transport, hasPolicy ? .password("x", "y", for: Stage.home) : .anonymous)
        for _ in 0..<2 { _ = try await session.response(for: Stage.request("http://ada:s3cret@h/")) }
        let sent = transport.requests.map { $0.headers[.authorization].map { $0.prefix { $0 != " " } } }
        #expect(sent == ["Basic", "Digest", "Digest"])
        // What another user, another origin, or nobody asks for is not answered with it.
        for url in ["http://bob:s3cret@h/", "http://ada:s3cret@h:81/", "http://h/"] {
            _ = try await session.response(for: Stage.request(url))
        }
        let fields = transport.requests.dropFirst(3).map { $0.headers[.authorization] ?? "" }
        #expect(fields.count == 5 + (hasPolicy ? 1 : 0))
        #expect(fields.count { $0.contains("username=\"ada\"") } == 1)
    }

    /// The answer would need the digest of a body that can be read only once.
    @Test(.bug(id: "F389"), arguments: [true, false])
    func `user information that a server has accepted with Digest is not sent with Basic where Digest has no answer`(
        _ hasPolicy: Bool
    ) async throws {
        let transport = Stage.guarded("Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"") { $0.hasPrefix("Digest") }
        let session = Stage.session(transport, hasPolicy ? .password("x", "y", for: Stage.home) : .anonymous)
        _ = try await session.response(for: Stage.request("http://ada:s3cret@h/"))
        var upload = try RetryTable.request("PUT", body: "once")
        upload.url = try Peer.url("http://ada:s3cret@h/")
        let once = upload
        let error = await #expect(throws: SessionError.self) { try await session.response(for: once) }
        #expect(error?.code == .authenticationFailed)
        #expect(Stage.fields(transport).map { $0?.prefix(6) } == ["Basic ", "Digest", nil])
        upload.body = .data(Data("body".utf8))
        #expect(try await session.response(for: upload).status == .ok)
        #expect(transport.requests.last?.headers[.authorization]?.hasPrefix("Digest") == true)
    }

    @Test func `a store is asked by origin and realm`() async throws {
        let store = MemoryCredentialStore()
        store[ProtectionSpace(origin: Stage.home, realm: "r")] = .password("ada", "s3cret")
        store[ProtectionSpace(origin: Stage.home, realm: "R")] = .password("not", "this")
        let transport = Stage.guarded("Basic realm=\"r\"") { $0 == Stage.basicField }
        let session = Stage.session(transport, .stored(in: store))
        #expect(try await session.response(for: Stage.request()).status == .ok)
        #expect(try await session.response(for: Stage.request()).status == .ok)
        #expect(transport.requests.count == 3)
        #expect(try await session.response(for: Stage.request("http://h:81/a/b")).status == .unauthorized)
        store.removeAll()
        #expect(try await session.response(for: Stage.request()).status == .unauthorized)
        #expect(transport.requests.last?.headers[.authorization] == nil)
    }

    @Test func `a rule without an origin needs a base URL`() async throws {
        let transport = StubTransport()
        let session = Stage.session(transport, .bearer("t"))
        let error = await #expect(throws: SessionError.self) { try await session.response(for: Stage.request()) }
        #expect(error?.code == .invalidConfiguration)
        #expect(transport.requests.isEmpty)
        let api = HTTPSession(baseURL: try Peer.url("http://h/v1"), session: session)
        _ = try await api.get("users")
        #expect(transport.requests.last?.headers[.authorization] == "Bearer t")
        _ = try await api.get(Peer.url("http://other/users"))
        #expect(transport.requests.last?.headers[.authorization] == nil)
    }
}
