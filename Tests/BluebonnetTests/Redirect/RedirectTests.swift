// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct RedirectTests {
    /// Answers the path `/` with a redirect and everything else with 200.
    private static func redirecting(_ status: Int, to location: String) -> StubTransport {
        StubTransport { request in
            guard request.target.utf8.starts(with: "/start".utf8) else { return .plain("end") }
            return TransportResponse(status: .init(code: status), headers: [.location: location])
        }
    }

    private func session(_ transport: StubTransport, _ policy: RedirectPolicy = .follow()) -> Session {
        var configuration = Session.Configuration()
        configuration.redirects = policy
        return Session(configuration: configuration, transport: transport)
    }

    private func request(_ url: String = "http://h/start") throws -> Request { Request(url: try Peer.url(url)) }

    // MARK: Methods and bodies

    @Test(arguments: try RedirectTable.Methods.load().rows)
    func `the status decides on the method, and the body and its fields go with it`(
        _ row: RedirectTable.Methods.Row
    ) async throws {
        let table = try RedirectTable.Methods.load()
        for (method, expected) in row.following {
            let transport = Self.redirecting(row.status, to: "/end")
            var policy = RedirectPolicy.follow()
            policy.keepsPost = row.keepsPost
            var request = try Request(methodName: method, parsing: "http://h/start")
            let hasBody = !["GET", "get", "HEAD", "TRACE"].contains(method)
            if hasBody { request.body = .data(Data("body".utf8)) }
            for name in table.bodyFields + table.otherFields {
                request.headers[try #require(HTTPField.Name(name))] = "value"
            }
            let response = try await self.session(transport, policy).response(for: request)
            let following = try #require(transport.requests.last)
            #expect(transport.requests.count == 2)
            #expect(following.method.rawValue == expected, "\(method)")
            #expect(following.target == "/end")
            let isKept = method == expected
            for name in table.bodyFields {
                #expect((following.headers[try #require(HTTPField.Name(name))] != nil) == isKept, "\(method) \(name)")
            }
            for name in table.otherFields { #expect(following.headers[try #require(HTTPField.Name(name))] == "value") }
            if case .bytes(let bytes) = following.body {
                #expect(isKept && hasBody && String(buffer: bytes) == "body", "\(method)")
            } else {
                #expect(!isKept || !hasBody, "\(method)")
            }
            #expect(response.url?.absoluteString == "http://h/end")
            #expect(response.history.map(\.status.code) == [row.status])
        }
    }

    @Test(arguments: [307, 308]) func `a body that can be read once is not sent again`(_ status: Int) async throws {
        let transport = Self.redirecting(status, to: "/end")
        var request = try self.request()
        request.method = .post
        request.body = .stream(length: 4, isReplayable: false) { try RequestBody.data(Data("body".utf8)).makeReader() }
        let error = await #expect(throws: SessionError.self) {
            try await self.session(transport).response(for: request)
        }
        #expect(error?.code == .redirectRefused)
        #expect(error?.status?.code == status)
        #expect(transport.requests.count == 1)
    }

    // MARK: Location

    @Test(.bug(id: "F551"), arguments: try RedirectTable.Locations.load().rows)
    func `a Location is resolved against the URL of the request`(_ row: RedirectTable.Locations.Row) async throws {
        let target = RedirectTarget(row.location, from: try Peer.url("http://h/a/start?q=1"))
        #expect(target?.url.absoluteString == row.leadsTo)
        guard row.leadsTo == nil else { return }
        let transport = Self.redirecting(302, to: row.location)
        let response = try await self.session(transport).response(for: self.request())
        #expect(response.status == .found)
        #expect(transport.requests.count == 1)
    }

    @Test func `the fragment and the user information of the request stay within the origin`() throws {
        let current = try Peer.url("http://user:secret@h/start#part")
        #expect(RedirectTarget("/end", from: current)?.url.absoluteString == "http://user:secret@h/end#part")
        #expect(RedirectTarget("http://h/end", from: current)?.url.absoluteString == "http://user:secret@h/end#part")
        #expect(RedirectTarget("http://evil/end", from: current)?.url.absoluteString == "http://evil/end#part")
        #expect(
            RedirectTarget("http://u:p@h/end", from: current)?.url.absoluteString == "http://user:secret@h/end#part"
        )
    }

    @Test func `a redirect without a Location, or with two, is delivered`() async throws {
        var two: HTTPFields = [.location: "/a"]
        two.append(HTTPField(name: .location, value: "/b"))
        for headers in [HTTPFields(), two] {
            let transport = StubTransport { _ in TransportResponse(status: .found, headers: headers) }
            #expect(try await self.session(transport).response(for: self.request()).status == .found)
        }
    }

    @Test(arguments: [200, 201, 300, 304, 305, 306, 401]) func `other statuses are no redirects`(
        _ status: Int
    ) async throws {
        let transport = Self.redirecting(status, to: "/end")
        #expect(try await self.session(transport).response(for: self.request()).status.code == status)
        #expect(transport.requests.count == 1)
    }

    // MARK: Origins

    @Test(arguments: try RedirectTable.Origins.load().rows)
    func `no secret crosses an origin, wherever it was set`(_ row: RedirectTable.Origins.Row) async throws {
        let table = try RedirectTable.Origins.load()
        for status in table.statuses {
            let transport = Self.redirecting(status, to: row.location)
            var configuration = Session.Configuration()
            configuration.redirects.allowsDowngrade = true
            configuration.headers[try #require(HTTPField.Name("X-Session-Key"))] = "session"
            let session = Session(configuration: configuration, transport: transport)
            var request = try self.request("https://user:password@h/start")
            for name in table.travel + table.stay where name != "Authorization" && name != "X-Session-Key" {
                request.headers[try #require(HTTPField.Name(name))] = "secret"
            }
            _ = try await session.response(for: request)
            try #require(transport.requests.count == 2)
            let sent = transport.requests[1].headers
            for name in table.stay {
                #expect((sent[try #require(HTTPField.Name(name))] != nil) == row.isSame, "\(status) \(name)")
            }
            // 303 makes no difference to a GET, which has no body to describe.
            for name in table.travel { #expect(sent[try #require(HTTPField.Name(name))] == "secret", "\(name)") }
            configuration.redirects.allowsDowngrade = false
            let strict = Session(configuration: configuration, transport: Self.redirecting(status, to: row.location))
            guard row.isDowngrade else {
                #expect(try await strict.response(for: request).status == .ok)
                continue
            }
            let error = await #expect(throws: SessionError.self) { try await strict.response(for: request) }
            #expect(error?.code == .redirectRefused)
        }
    }

    @Test(arguments: [
        // status, Location, whether they are the session's, whether trailer fields are sent again, whether the certificate is shown again
        (303, "http://other/end", false, false, false), (307, "http://other/end", false, false, false),
        (303, "http://other/end", true, false, false), (307, "http://other/end", true, false, false),
        (303, "/end", false, false, true), (307, "/end", false, true, true), (307, "/end", true, true, true),
    ])
    func `trailer fields and client certificates stay on their origin, and trailer fields with their body`(
        _ status: Int,
        _ location: String,
        _ isSessions: Bool,
        _ sendsTrailers: Bool,
        _ showsCertificate: Bool
    ) async throws {
        let key = try #require(HTTPField.Name("X-Api-Key"))
        var options = TransportOptions()
        options.trailers = { [key: "secret"] }
        options.clientIdentity = .pem(certificates: .file("client.pem"))
        var request = try self.request()
        request.method = .post
        request.body = .data(Data("body".utf8))
        var configuration = Session.Configuration()
        if isSessions { configuration.transportOptions = options } else { request.transportOptions = options }
        let transport = Self.redirecting(status, to: location)
        let session = Session(configuration: configuration, transport: transport)
        #expect(try await session.response(for: request).status == .ok)
        try #require(transport.requests.count == 2)
        let (first, second) = (transport.requests[0], transport.requests[1])
        #expect(first.trailers?()[key] == "secret" && first.clientIdentity == options.clientIdentity)
        #expect((second.trailers?()[key] != nil) == sendsTrailers)
        #expect((second.clientIdentity != nil) == showsCertificate)
    }

    @Test(arguments: [(303, false), (307, true)])
    func `the key that makes a POST idempotent goes where the POST goes`(_ status: Int, _ travels: Bool) async throws {
        let key = try #require(HTTPField.Name("Idempotency-Key"))
        var request = try self.request()
        request.method = .post
        request.headers[key] = "k"
        let transport = Self.redirecting(status, to: "http://other/end")
        _ = try await self.session(transport).response(for: request)
        #expect(transport.requests.last?.headers[key] == (travels ? "k" : nil))
    }

    @Test func `a Location is read as bytes`() async throws {
        let transport = StubTransport { request in
            guard request.target == "/start" else { return .plain(request.target) }
            var headers = HTTPFields()
            headers.append(HTTPField(name: .location, lenientValue: Array("/caf".utf8) + [0xE9]))
            return TransportResponse(status: .found, headers: headers)
        }
        #expect(try await self.session(transport).response(for: self.request()).body == Data("/caf%E9".utf8))
    }

    // MARK: Policies

    @Test(arguments: [
        // Location, where the policy leads, whether that is allowed, whether the credentials of the request go along
        ("http://h/end", "https://h/end", true, false), ("/end", "https://h/other", true, true),
        ("https://h/end", "http://h/end", false, false),
        ("/end", "https://other/end", true, false), ("https://other/end", "https://h/end", true, false),
    ])
    func `what a policy makes of a redirect is judged by where it leads`(
        _ location: String,
        _ url: String,
        _ isAllowed: Bool,
        _ keepsCredentials: Bool
    ) async throws {
        let transport = Self.redirecting(302, to: location)
        let policy = RedirectPolicy { redirect in
            var request = redirect.proposedRequest
            request.url = try Peer.url(url)
            request.headers[.via] = "policy"
            return request
        }
        var request = try self.request("https://h/start")
        request.headers[.authorization] = "Bearer secret"
        let session = self.session(transport, policy)
        guard isAllowed else {
            let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
            #expect(error?.code == .redirectRefused)
            return
        }
        _ = try await session.response(for: request)
        #expect((transport.requests.last?.headers[.authorization] != nil) == keepsCredentials)
        #expect(transport.requests.last?.headers[.via] == "policy")
    }

    @Test(arguments: [
        // Location, where the policy leads, whether the secrets of the request go along
        ("https://other/end", "https://other/end", false), ("/end", "https://other/end", false),
        ("https://other/end", "https://third/end", false), ("https://other/end", "https://h/end", true),
        ("/end", "https://h/end", true),
    ])
    func `a policy that sends the redirected request to another origin sends no secret of it`(
        _ location: String,
        _ url: String,
        _ keepsSecrets: Bool
    ) async throws {
        let keys = try ["X-Api-Key", "Authorization", "Cookie"].map { try #require(HTTPField.Name($0)) }
        let transport = Self.redirecting(307, to: location)
        let policy = RedirectPolicy { redirect in
            var request = redirect.request
            request.url = try Peer.url(url)
            request.headers[.via] = "policy"
            return request
        }
        var request = try self.request("https://h/start")
        for name in keys { request.headers[name] = "secret" }
        request.headers[.accept] = "text/plain"
        request.transportOptions.clientIdentity = .pem(certificates: .file("client.pem"))
        request.transportOptions.trailers = { [.eTag: "secret"] }
        _ = try await self.session(transport, policy).response(for: request)
        let sent = try #require(transport.requests.last)
        for name in keys { #expect((sent.headers[name] != nil) == keepsSecrets, "\(name)") }
        #expect((sent.clientIdentity != nil) == keepsSecrets)
        #expect((sent.trailers != nil) == keepsSecrets)
        #expect(sent.headers[.accept] == "text/plain" && sent.headers[.via] == "policy")
    }

    @Test func `a policy may give another origin what is meant for it`() async throws {
        let identity = ClientIdentity.pem(certificates: .file("other.pem"))
        let transport = Self.redirecting(307, to: "https://other/end")
        let policy = RedirectPolicy { redirect in
            var request = redirect.proposedRequest
            request.headers[.authorization] = "Bearer other"
            request.transportOptions.clientIdentity = identity
            return request
        }
        var request = try self.request("https://h/start")
        request.headers[.authorization] = "Bearer secret"
        request.transportOptions.clientIdentity = .pem(certificates: .file("client.pem"))
        _ = try await self.session(transport, policy).response(for: request)
        #expect(transport.requests.last?.headers[.authorization] == "Bearer other")
        #expect(transport.requests.last?.clientIdentity == identity)
    }

    @Test func `the user information of a URL stays on its origin, whatever a policy makes of the URL`() async throws {
        let transport = Self.redirecting(307, to: "https://other/end")
        let policy = RedirectPolicy { redirect in
            var request = redirect.request
            request.url = try Peer.url("https://user:secret@other/end")
            return request
        }
        _ = try await self.session(transport, policy).response(for: self.request("https://user:secret@h/start"))
        #expect(transport.requests.count == 2)
        #expect(transport.requests.last?.headers[.authorization] == nil)
    }

    @Test func `a chain that does not end has a limit, and its history is told`() async throws {
        let transport = StubTransport { request in
            TransportResponse(status: .found, headers: [.location: request.target + "x"])
        }
        let error = await #expect(throws: SessionError.self) {
            try await self.session(transport, .follow(maximum: 3)).response(for: self.request())
        }
        #expect(error?.code == .tooManyRedirects)
        #expect(transport.requests.map(\.target) == ["/start", "/startx", "/startxx", "/startxxx"])
        #expect(error?.response?.history.map { $0.url?.path() } == ["/start", "/startx", "/startxx"])
    }

    @Test func `policies follow nothing, the own origin, or what a function says`() async throws {
        let away = Self.redirecting(302, to: "http://other/end")
        #expect(try await self.session(away, .none).response(for: self.request()).status == .found)
        #expect(try await self.session(away, .sameOrigin).response(for: self.request()).status == .found)
        let home = Self.redirecting(302, to: "/end")
        #expect(try await self.session(home, .sameOrigin).response(for: self.request()).status == .ok)
        let changing = RedirectPolicy { redirect in
            #expect(redirect.count == 0 && !redirect.isCrossOrigin && redirect.response.status == .found)
            var request = redirect.proposedRequest
            request.headers[.via] = "policy"
            return request
        }
        _ = try await self.session(home, changing).response(for: self.request())
        #expect(home.requests.last?.headers[.via] == "policy")
    }

    @Test(arguments: [10, 64 * 1024, 64 * 1024 + 1])
    func `the body of a redirect is read within its bound, or given up`(_ byteCount: Int) async throws {
        let body = ScriptedBody([.bytes(byteCount)])
        let transport = StubTransport { request in
            guard request.target == "/start" else { return .plain("end") }
            return TransportResponse(
                status: .found,
                headers: [.location: "/end"],
                body: ResponseBody(source: body, expectedLength: nil)
            )
        }
        #expect(try await self.session(transport).response(for: self.request()).body == Data("end".utf8))
        // One more read finds the end; beyond the bound nobody looks for it.
        #expect(body.readCount == (byteCount > 64 * 1024 ? 1 : 2))
    }
}
