// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// Retries over real sockets, in every form of a call.
@Suite(.timeLimit(.minutes(1))) struct RetryWireTests {
    /// The forms of a call; each gives the body of its response as text.
    enum Form: String, CaseIterable, Sendable {
        case streamed, collected, value, watched, task, download

        func run(_ request: Request, _ session: Session) async throws -> String {
            switch self {
            case .streamed:
                let response = try await session.send(request)
                return String(buffer: try await response.body.collect(upTo: 1 << 20))
            case .collected: return String(decoding: try await session.response(for: request).body, as: UTF8.self)
            case .value: return try await session.value(for: request, serializer: .string)
            case .watched: return try await session.value(for: request, serializer: .string, monitor: TransferMonitor())
            case .task:
                let task = session.dataTask(with: request, serializer: .string)
                task.resume()
                return try await task.value
            case .download:
                let directory = try TemporaryDirectory()
                let file = try await session.download(request, to: directory.file("file"))
                #expect(file.byteCount > 0)
                return String(decoding: try directory.contents("file"), as: UTF8.self)
            }
        }
    }

    private func withSession(
        _ policy: RetryPolicy = .immediate(attempts: 4),
        tls: TestServer.TLS? = nil,
        _ body: (TestServer, Session, Request) async throws -> Void
    ) async throws {
        try await TestServer.withServer(tls: tls) { server in
            let transport = try server.makeTransport()
            let session = Session(configuration: .retrying(policy), transport: transport)
            try await body(server, session, Request(url: try Peer.url("\(server.url)/any")))
            await transport.shutdown()
        }
    }

    @Test(arguments: Form.allCases)
    func `every form of a call is retried alike`(_ form: Form) async throws {
        try await self.withSession { server, session, request in
            server.enqueue(
                ScriptedResponse(status: .serviceUnavailable, body: "busy"),
                ScriptedResponse(effect: .close(.beforeResponse)),
                ScriptedResponse(status: .badGateway, headers: [.retryAfter: "0"], body: .pattern(200_000)),
                ScriptedResponse(headers: [.contentType: "text/plain"], body: "done")
            )
            let text = try await form.run(request, session)
            #expect(text == "done")
            #expect(server.enqueuedCount == 0)
        }
    }

    @Test(arguments: Form.allCases, [true, false])
    func `the last response is delivered whole`(_ form: Form, _ isLarge: Bool) async throws {
        try await self.withSession(.immediate(attempts: 2)) { server, session, request in
            let text = String(repeating: "x", count: isLarge ? 300_000 : 10)
            server.respond(to: "/any") { _ in
                ScriptedResponse(status: .serviceUnavailable, headers: [.contentType: "text/plain"], body: .text(text))
            }
            switch form {
            case .streamed, .collected:
                let body = try await form.run(request, session)
                #expect(body == text)
            default:
                let error = await #expect(throws: SessionError.self) { try await form.run(request, session) }
                #expect(error?.code == .unacceptableStatus && error?.status == .serviceUnavailable)
                if form != .download || !isLarge { #expect(error?.response?.body.count == text.utf8.count) }
            }
            #expect(server.untakenRequestCount == 2)
        }
    }

    @Test func `a connection whose failed response was read serves the next attempt`() async throws {
        var policy = RetryPolicy.immediate()
        policy.backoff = .init(initial: .milliseconds(200))
        policy.surroundings.random = { 1 }
        try await self.withSession(policy) { server, session, request in
            server.enqueue(ScriptedResponse(status: .serviceUnavailable, body: .pattern(30_000)), ScriptedResponse())
            #expect(try await session.response(for: request).status == .ok)
            let requests = [try await server.takeRequest(), try await server.takeRequest()]
            #expect(requests.map(\.connectionID) == [1, 1])
            server.enqueue(ScriptedResponse(status: .serviceUnavailable, body: .pattern(30_000)), ScriptedResponse())
            #expect(try await session.send(request).status == .ok)
            #expect(server.totalConnections == 1)
        }
    }

    @Test(arguments: ["reset", "close", "cut", "violation"])
    func `an idempotent request is repeated with the same bytes, a POST is sent once`(_ fault: String) async throws {
        @Sendable func response() -> ScriptedResponse {
            switch fault {
            case "reset": ScriptedResponse(effect: .reset(.beforeResponse))
            case "close": ScriptedResponse(effect: .close(.beforeResponse))
            case "cut": ScriptedResponse(body: .pattern(1_000), effect: .close(.afterBody(10)))
            default: .raw("HTTP/1.1 whatever\r\n\r\n")
            }
        }
        for (method, attempts) in [("PUT", fault == "violation" ? 1 : 3), ("POST", 1), ("PATCH", 1)] {
            try await self.withSession(.immediate(attempts: 3)) { server, session, request in
                // A body that fits no buffer.
                let bytes = PatternBytes.bytes(300_000)
                var request = request
                request.method = try #require(HTTPRequest.Method(method))
                request.body = .stream(length: 300_000, isReplayable: true) {
                    try RequestBody.data(Data(bytes)).makeReader()
                }
                server.respond(to: "/any") { _ in response() }
                let call = request
                await #expect(throws: SessionError.self) { try await session.response(for: call) }
                var digests: Set<String> = []
                for _ in 0..<attempts { digests.insert(try await server.takeRequest().bodySHA256) }
                #expect(digests.count == 1)
                #expect(server.untakenRequestCount == 0, "\(method)")
            }
        }
    }

    @Test func `a POST whose connection is refused is repeated`() async throws {
        let server = try await TestServer.start()
        let url = try Peer.url("\(server.url)/any")
        await server.shutdown()
        let transport = try server.makeTransport()
        let events = RetryEvents()
        var configuration = Session.Configuration.retrying(.immediate(attempts: 3))
        configuration.observers = [events]
        let session = Session(configuration: configuration, transport: transport)
        let request = Request(method: .post, url: url, body: .data(Data("order".utf8)))
        let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
        #expect(error?.code == .connectFailed && error?.failedAttempts.count == 2)
        #expect(events.names.filter { $0 == "exchangeFailed connectFailed" }.count == 3)
        await transport.shutdown()
    }

    @Test func `the engine's own repetition on a stale connection is no attempt`() async throws {
        try await self.withSession { server, session, request in
            _ = try await session.response(for: request)
            server.enqueue(ScriptedResponse(effect: .close(.beforeResponse)), ScriptedResponse(body: "done"))
            let response = try await session.response(for: request)
            #expect(response.body == Data("done".utf8))
            #expect(response.failedAttempts.isEmpty)
        }
    }

    @Test func `a server that is silent is tried again within the call's limit`() async throws {
        try await self.withSession { server, session, request in
            server.enqueue(ScriptedResponse(effect: .stall(.beforeResponse)), ScriptedResponse(body: "done"))
            var request = request
            request.options.timeoutInterval = .milliseconds(300)
            request.options.totalTimeout = .seconds(30)
            let response = try await session.response(for: request)
            #expect(response.body == Data("done".utf8))
            #expect(response.failedAttempts.map(\.error?.phase) == [.responseHead])
        }
    }

    @Test func `retries work over TLS`() async throws {
        try await self.withSession(tls: TestServer.TLS()) { server, session, request in
            server.enqueue(ScriptedResponse(status: .tooManyRequests), ScriptedResponse(effect: .drop(.beforeResponse)))
            server.enqueue(ScriptedResponse(body: "done"))
            let response = try await session.response(for: request)
            #expect(response.body == Data("done".utf8))
        }
    }

    @Test func `an answer with a success that is decoded wrongly is not retried`() async throws {
        try await self.withSession { server, session, request in
            server.respond(to: "/any") { _ in .json("{") }
            let error = await #expect(throws: SessionError.self) {
                try await session.value(for: request, serializer: DecodableResponseSerializer([String].self))
            }
            #expect(error?.code == .serializationFailed)
            #expect(server.untakenRequestCount == 1)
        }
    }
}
