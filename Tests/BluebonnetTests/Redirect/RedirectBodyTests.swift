// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// A redirect is followed whatever its body is.
@Suite(.timeLimit(.minutes(1))) struct RedirectBodyTests {
    struct Broken: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var coding: String?
        var effect: SocketEffect?
    }

    @Test(
        arguments: [
            Broken(testDescription: "no gzip", coding: "gzip"),
            Broken(testDescription: "too many codings", coding: "gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip"),
            Broken(testDescription: "closed after the head", effect: .close(.afterHead)),
            Broken(testDescription: "closed in the body", effect: .close(.afterBody(2))),
            Broken(testDescription: "reset in the body", effect: .reset(.afterBody(2))),
        ],
        [true, false]
    )
    func `a redirect with a broken body is followed`(_ broken: Broken, _ isCollected: Bool) async throws {
        try await TestServer.withServer { server in
            var headers: HTTPFields = [.location: "/end"]
            headers[.contentEncoding] = broken.coding
            server.enqueue(
                ScriptedResponse(status: .found, headers: headers, body: .text("hello"), effect: broken.effect)
            )
            server.enqueue(ScriptedResponse(body: .text("end")))
            let session = Session(transport: try server.makeTransport())
            let request = try Request(parsing: server.url + "/start")
            if isCollected {
                #expect(try await session.response(for: request).body == Data("end".utf8))
            } else {
                #expect(try await session.send(request).response(upTo: 3).body == Data("end".utf8))
            }
        }
    }

    @Test func `a redirect that is delivered has its body, and what is wrong with it`() async throws {
        try await TestServer.withServer { server in
            let headers: HTTPFields = [.location: "/end"]
            server.enqueue(ScriptedResponse(status: .found, headers: headers, body: .text("hello")))
            server.enqueue(
                ScriptedResponse(status: .found, headers: headers, body: .text("hello"), effect: .close(.afterBody(2)))
            )
            var configuration = Session.Configuration()
            configuration.redirects = .none
            let session = Session(configuration: configuration, transport: try server.makeTransport())
            let request = try Request(parsing: server.url + "/start")
            #expect(try await session.response(for: request).body == Data("hello".utf8))
            let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
            #expect(error?.code == .connectionClosed)
        }
    }

    @Test func `the body of a redirect that does not come is given up after a second`() async throws {
        let clock = ManualSessionClock()
        let transport = StubTransport { request in
            guard request.target == "/start" else { return .plain("end") }
            let body = ResponseBody(source: ScriptedBody([.bytes(1), .hang]), expectedLength: nil)
            return TransportResponse(status: .found, headers: [.location: "/end"], body: body)
        }
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        let session = Session(configuration: configuration, transport: transport)
        let request = Request(url: try Peer.url("http://h/start"))
        let call = Task { try await session.response(for: request) }
        await clock.waitForSleeps(1)
        clock.advance(by: .milliseconds(999))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .milliseconds(1))
        #expect(try await call.value.body == Data("end".utf8))
    }
}
