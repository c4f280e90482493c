// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

@Suite struct TransportRequestTests {
    private func outgoing(
        _ request: Request,
        timeouts: Timeouts = Timeouts(),
        deadline: ContinuousClock.Instant? = nil
    ) throws -> TransportRequest {
        try TransportRequest(
            request,
            timeouts: timeouts,
            ExchangeContext(responseMode: .streamed, decodesContent: false, deadline: deadline)
        )
    }

    private func url(_ text: String) throws -> URL { try Peer.url(text) }

    @Test(arguments: [
        ("http://user:secret@h/", "Basic dXNlcjpzZWNyZXQ="),
        ("http://user@h/", "Basic dXNlcjo="),
        ("http://user:@h/", "Basic dXNlcjo="),
        ("http://:secret@h/", "Basic OnNlY3JldA=="),
        ("http://us%40er:s%3Ae%2Fc@h/", "Basic dXNAZXI6czplL2M="),
        ("http://u:p:q@h/", "Basic dTpwOnE="),
        ("http://%C3%A9:%0A@h/", "Basic w6k6Cg=="),
    ])
    func `sends user information as Basic credentials`(_ text: String, _ value: String) throws {
        let outgoing = try self.outgoing(Request(url: self.url(text)))
        #expect(outgoing.headers[.authorization] == value)
        #expect(outgoing.origin.host == "h")
        #expect(outgoing.target == "/")
    }

    @Test func `leaves credentials alone that are there already`() throws {
        let request = Request(url: try self.url("http://user:secret@h/"), headers: [.authorization: "Bearer x"])
        #expect(try self.outgoing(request).headers[values: .authorization] == ["Bearer x"])
    }

    @Test(arguments: ["http://a%3Ab:c@h/", "http://%FF:c@h/"])
    func `refuses user information that Basic cannot carry`(_ text: String) throws {
        let request = Request(url: try self.url(text))
        let error = #expect(throws: SessionError.self) { try self.outgoing(request) }
        #expect(error?.code == .invalidURL)
        #expect(error?.description.contains("h/") == true)
    }

    @Test func `refuses CONNECT`() throws {
        let request = Request(method: .connect, url: try self.url("http://h/"))
        let error = #expect(throws: SessionError.self) { try self.outgoing(request) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `gives the request's own limits precedence over the session's`() throws {
        var timeouts = Timeouts()
        timeouts.idle = .seconds(7)
        timeouts.connect = .seconds(3)
        var request = Request(url: try self.url("http://h/"))
        #expect(try self.outgoing(request, timeouts: timeouts).timeouts == timeouts)
        request.options.timeoutInterval = .milliseconds(250)
        let outgoing = try self.outgoing(request, timeouts: timeouts)
        #expect(outgoing.timeouts.idle == .milliseconds(250))
        #expect(outgoing.timeouts.connect == .seconds(3))
    }

    @Test(arguments: [nil, false, true]) func `asks for pipelining where the request does`(_ choice: Bool?) throws {
        var request = Request(url: try self.url("http://h/"))
        request.options.usesPipelining = choice
        #expect(try self.outgoing(request).usesPipelining == (choice ?? false))
    }

    @Test func `gives an exchange what is left of the whole time`() throws {
        let request = Request(url: try self.url("http://h/"))
        let left = try #require(try self.outgoing(request, deadline: .now + .seconds(5)).timeouts.total)
        #expect(left > .seconds(4) && left <= .seconds(5))
        let error = #expect(throws: SessionError.self) { try self.outgoing(request, deadline: .now - .seconds(1)) }
        #expect(error?.code == .timedOut)
        #expect(error?.phase == .total)
        #expect(error?.isRequestSent == false)
    }

    @Test func `sends bytes in memory as they are`() throws {
        let request = Request(method: .post, url: try self.url("http://h/"), body: .data(Data("abc".utf8)))
        guard case .bytes(let buffer) = try self.outgoing(request).body else {
            Issue.record("not in one piece")
            return
        }
        #expect(String(buffer: buffer) == "abc")
    }

    @Test func `tells no body from an empty one`() throws {
        var request = Request(method: .post, url: try self.url("http://h/"))
        guard case .none = try self.outgoing(request).body else {
            Issue.record("a body out of nothing")
            return
        }
        request.body = .data(Data())
        guard case .bytes(let buffer) = try self.outgoing(request).body else {
            Issue.record("an empty body got lost")
            return
        }
        #expect(buffer.readableBytes == 0)
    }
}
