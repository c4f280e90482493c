// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Redirects to another origin, and from there back.
@Suite(.timeLimit(.minutes(1))) struct ReturningRedirectTests {
    /// From `http://h/start` to another origin, back to `/middle`, and on to `/end`.
    private let transport = StubTransport { request in
        switch request.target {
        case "/start": TransportResponse(status: .temporaryRedirect, headers: [.location: "http://other/over"])
        case "/over": TransportResponse(status: .temporaryRedirect, headers: [.location: "http://h/middle"])
        case "/middle": TransportResponse(status: .temporaryRedirect, headers: [.location: "/end"])
        default: .plain("end")
        }
    }

    private static let key = HTTPField.Name("X-Api-Key") ?? .via

    /// The requests of a call: at home, elsewhere, and twice at home.
    private func requests(
        _ url: String = "http://h/start",
        _ changeSession: (inout Session.Configuration) -> Void,
        _ changeRequest: (inout Request) -> Void
    ) async throws -> [TransportRequest] {
        var configuration = Session.Configuration()
        changeSession(&configuration)
        var request = Request(method: .post, url: try Peer.url(url))
        request.body = .data(Data("body".utf8))
        changeRequest(&request)
        let session = Session(configuration: configuration, transport: self.transport)
        #expect(try await session.response(for: request).status == .ok)
        try #require(self.transport.requests.count == 4)
        return self.transport.requests
    }

    @Test(.bug(id: "F550")) func `a request that named its credentials does not come back with the session's`()
        async throws
    {
        let requests = try await self.requests {
            $0.headers = [.authorization: "Bearer service", Self.key: "service", .via: "service"]
        } _: {
            $0.headers = [.authorization: "Bearer user", Self.key: "user"]
        }
        #expect(requests.map { $0.headers[.authorization] } == ["Bearer user", nil, nil, nil])
        #expect(requests.map { $0.headers[Self.key] } == ["user", nil, nil, nil])
        #expect(requests.map { $0.headers[.via] } == ["service", nil, "service", "service"])
    }

    @Test(.bug(id: "F550"), arguments: ["http://h/start", "http://user:secret@h/start"])
    func `the session's rules do not replace the credentials of a request that comes back`(_ url: String) async throws {
        let requests = try await self.requests(url) {
            $0.authentication = .bearer("service", for: AuthenticationStageTests.home)
        } _: {
            if url == "http://h/start" { $0.headers[.authorization] = "Basic dXNlcjpzZWNyZXQ=" }
        }
        let fields = requests.map { $0.headers[.authorization] }
        #expect(fields == ["Basic dXNlcjpzZWNyZXQ=", nil, nil, nil])
    }

    @Test(.bug(id: "F550")) func `the credentials of a request's own policy come back with it`() async throws {
        let requests = try await self.requests {
            $0.authentication = .bearer("service", for: AuthenticationStageTests.home)
        } _: {
            $0.authentication = .bearer("user")
        }
        #expect(requests.map { $0.headers[.authorization] } == ["Bearer user", nil, "Bearer user", "Bearer user"])
    }

    @Test(.bug(id: "F550")) func `a jar does not replace the cookies of a request that comes back`() async throws {
        let jar = CookieJar()
        try jar.set(Cookie("sid", "admin", domain: "h"))
        try jar.set(Cookie("sid", "other", domain: "other"))
        let requests = try await self.requests {
            $0.cookies = jar
        } _: {
            $0.headers[.cookie] = "sid=user"
        }
        #expect(requests.map { $0.headers[.cookie] } == ["sid=user", "sid=other", nil, nil])
    }

    @Test(.bug(id: "F550")) func `neither certificate nor trailer fields of the session replace a request's own`()
        async throws
    {
        let (alice, bob) = (Self.identity("alice"), Self.identity("bob"))
        let requests = try await self.requests {
            $0.transportOptions.clientIdentity = alice
            $0.transportOptions.trailers = { [Self.key: "alice"] }
        } _: {
            $0.transportOptions.clientIdentity = bob
            $0.transportOptions.trailers = { [Self.key: "bob"] }
        }
        #expect(requests.map(\.clientIdentity) == [bob, nil, nil, nil])
        #expect(requests.map { $0.trailers?()[Self.key] } == ["bob", nil, nil, nil])
    }

    @Test func `what is only the session's comes back`() async throws {
        let alice = Self.identity("alice")
        let requests = try await self.requests {
            $0.headers = [.authorization: "Bearer service"]
            $0.transportOptions.clientIdentity = alice
        } _: { _ in
        }
        let service = "Bearer service"
        #expect(requests.map { $0.headers[.authorization] } == [service, nil, service, service])
        #expect(requests.map(\.clientIdentity) == [alice, nil, alice, alice])
    }

    @Test func `what a policy has named for the other origin does not keep the session's from home`() async throws {
        let requests = try await self.requests {
            $0.headers = [.authorization: "Bearer service"]
            $0.redirects = RedirectPolicy { redirect in
                var request = redirect.proposedRequest
                if request.url.host() == "other" { request.headers[.authorization] = "Bearer other" }
                return request
            }
        } _: { _ in
        }
        let service = "Bearer service"
        #expect(requests.map { $0.headers[.authorization] } == [service, "Bearer other", service, service])
    }

    private static func identity(_ name: String) -> ClientIdentity { .pem(certificates: .file("\(name).pem")) }
}
