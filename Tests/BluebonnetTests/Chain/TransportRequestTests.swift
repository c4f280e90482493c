// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

@Suite struct TransportRequestTests {
    /// What the transport of a session gets.
    private func outgoing(
        _ request: Request,
        _ change: (inout Session.Configuration) -> Void = { _ in }
    ) async throws -> TransportRequest {
        let transport = StubTransport()
        var configuration = Session.Configuration()
        change(&configuration)
        _ = try await Session(configuration: configuration, transport: transport).send(request)
        return try #require(transport.requests.first)
    }

    private func url(_ text: String) throws -> URL { try Peer.url(text) }

    @Test(arguments: [
        ("http://user:secret@h/", "Basic dXNlcjpzZWNyZXQ="),
        ("http://user@h/", "Basic dXNlcjo="),
        ("http://user:@h/", "Basic dXNlcjo="),
        ("http://:secret@h/", "Basic OnNlY3JldA=="),
        ("http://us%40er:s%3Ae%2Fc@h/", "Basic dXNAZXI6czplL2M="),
        ("http://u:p:q@h/", "Basic dTpwOnE="),
        ("http://%C3%A9:%20@h/", "Basic w6k6IA=="),
    ])
    func `sends user information as Basic credentials`(_ text: String, _ value: String) async throws {
        let outgoing = try await self.outgoing(Request(url: self.url(text)))
        #expect(outgoing.headers[.authorization] == value)
        #expect(outgoing.origin.host == "h")
        #expect(outgoing.target == "/")
    }

    @Test func `leaves credentials alone that are there already`() async throws {
        let request = Request(url: try self.url("http://user:secret@h/"), headers: [.authorization: "Bearer x"])
        #expect(try await self.outgoing(request).headers[values: .authorization] == ["Bearer x"])
    }

    @Test(arguments: [
        "http://a%3Ab:c@h/", "http://%FF:c@h/", "http://user%0D%0A@h/", "http://a:%00@h/", "http://a:%7F@h/",
    ])
    func `refuses user information that Basic cannot carry`(_ text: String) async throws {
        let request = Request(url: try self.url(text))
        let error = await #expect(throws: SessionError.self) { try await self.outgoing(request) }
        #expect(error?.code == .invalidURL)
        #expect(error?.description.contains("h/") == true)
    }

    @Test(arguments: [("http://h/", true), ("https://h/", false), ("http://other/", false)])
    func `a session's own certificate and trailer fields stay on the origin they are meant for`(
        _ text: String,
        _ isHome: Bool
    ) async throws {
        var options = TransportOptions()
        options.trailers = { [:] }
        options.clientIdentity = .pem(certificates: .file("session.pem"))
        var request = Request(url: try self.url(text))
        request.context[HomeOrigin.self] = HomeOrigin(origin: Origin(scheme: .http, host: "h"))
        let sent = try await self.outgoing(request) { $0.transportOptions = options }
        #expect((sent.trailers != nil) == isHome && (sent.clientIdentity != nil) == isHome)
        // Those of the request itself are for its URL.
        request.transportOptions.clientIdentity = .pem(certificates: .file("own.pem"))
        let own = try await self.outgoing(request) { $0.transportOptions = options }
        #expect(own.clientIdentity == request.transportOptions.clientIdentity)
    }

    @Test func `refuses CONNECT`() async throws {
        let request = Request(method: .connect, url: try self.url("http://h/"))
        let error = await #expect(throws: SessionError.self) { try await self.outgoing(request) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `gives the request's own limits precedence over the session's`() async throws {
        var timeouts = Timeouts()
        timeouts.idle = .seconds(7)
        timeouts.connect = .seconds(3)
        var request = Request(url: try self.url("http://h/"))
        #expect(try await self.outgoing(request) { $0.timeouts = timeouts }.timeouts == timeouts)
        request.options.timeoutInterval = .milliseconds(250)
        let outgoing = try await self.outgoing(request) { $0.timeouts = timeouts }
        #expect(outgoing.timeouts.idle == .milliseconds(250))
        #expect(outgoing.timeouts.connect == .milliseconds(250))
        #expect(outgoing.timeouts.resolve == .milliseconds(250))
        #expect(outgoing.timeouts.tlsHandshake == .milliseconds(250))
        request.options.timeoutInterval = .seconds(20)
        let patient = try await self.outgoing(request) { $0.timeouts = timeouts }
        #expect(patient.timeouts.idle == .seconds(20))
        #expect(patient.timeouts.connect == .seconds(3))
        for limit in [\Timeouts.resolve, \.connect, \.tlsHandshake] {
            timeouts[keyPath: limit] = nil
            let unlimited = try await self.outgoing(request) { $0.timeouts = timeouts }
            #expect(unlimited.timeouts[keyPath: limit] == .seconds(20))
        }
    }

    @Test(arguments: [nil, false, true]) func `asks for pipelining where the request does`(_ choice: Bool?) async throws
    {
        var request = Request(url: try self.url("http://h/"))
        request.options.usesPipelining = choice
        #expect(try await self.outgoing(request).usesPipelining == (choice ?? false))
    }

    @Test func `gives an exchange what is left of the whole time`() async throws {
        var request = Request(url: try self.url("http://h/"))
        let left = try #require(try await self.outgoing(request) { $0.timeouts.total = .seconds(5) }.timeouts.total)
        #expect(left > .seconds(4) && left <= .seconds(5))
        request.options.totalTimeout = .seconds(-1)
        let error = await #expect(throws: SessionError.self) { try await self.outgoing(request) }
        #expect(error?.code == .timedOut)
        #expect(error?.phase == .total)
    }

    @Test func `sends bytes in memory as they are`() async throws {
        let request = Request(method: .post, url: try self.url("http://h/"), body: .data(Data("abc".utf8)))
        guard case .bytes(let buffer) = try await self.outgoing(request).body else {
            Issue.record("not in one piece")
            return
        }
        #expect(String(buffer: buffer) == "abc")
    }

    @Test(.bug(id: "F560"), arguments: ["https://h", "a"])
    func `a body in a file needs a file URL, whatever is at its path`(_ prefix: String) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a").path(percentEncoded: false)
        try Data("S".utf8).write(to: directory.file("a"))
        try await TestServer.withServer { server in
            let session = Session(transport: try server.makeTransport())
            let body = RequestBody.file(try self.url(prefix + path))
            let error = await #expect(throws: SessionError.self) {
                try await session.response(for: Request(method: .put, url: self.url("\(server.url)/"), body: body))
            }
            #expect(error?.code == .bodyFailed)
            #expect(error?.reason.contains("is not a file URL") == true)
            #expect(server.untakenRequestCount == 0)
            await session.transport.shutdown()
        }
    }

    @Test func `tells no body from an empty one`() async throws {
        var request = Request(method: .post, url: try self.url("http://h/"))
        guard case .none = try await self.outgoing(request).body else {
            Issue.record("a body out of nothing")
            return
        }
        request.body = .data(Data())
        guard case .bytes(let buffer) = try await self.outgoing(request).body else {
            Issue.record("an empty body got lost")
            return
        }
        #expect(buffer.readableBytes == 0)
    }
}
