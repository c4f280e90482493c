// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Event sources over real sockets.
@Suite(.timeLimit(.minutes(1))) struct EventSourceWireTests {
    private static func stream(
        _ text: String,
        effect: SocketEffect? = nil,
        framing: ScriptedResponse.Framing = .chunked(byteCount: 3)
    ) -> ScriptedResponse {
        var response = ScriptedResponse(
            headers: [.contentType: "text/event-stream"],
            body: .text(text),
            effect: effect
        )
        response.framing = framing
        return response
    }

    private static func options() -> EventSource.Options {
        var options = EventSource.Options()
        options.delays = .milliseconds(1) ... .milliseconds(2)
        return options
    }

    private static func withEvents<Result: Sendable>(
        _ responses: [ScriptedResponse],
        _ options: EventSource.Options = Self.options(),
        _ body: (HTTPSession, TestServer) async throws -> Result
    ) async throws -> Result {
        try await TestServer.withServer { server in
            for response in responses { server.enqueue(response) }
            let api = try HTTPSession(server.url, transport: try server.makeTransport())
            let result = try await body(api, server)
            await api.session.transport.shutdown()
            try await server.waitForConnections { $0.open == 0 }
            return result
        }
    }

    @Test func `a stream survives whatever happens to its connections`() async throws {
        let answers = [
            Self.stream("id: 1\ndata: a\n\n"),
            Self.stream("id: 2\ndata: b\n\ndata: lost", effect: .close(.afterBody(20))),
            Self.stream("id: 3\ndata: c\n\n", effect: .reset(.afterResponse)),
            Self.stream("", effect: .reset(.beforeResponse)),
            Self.stream("id: 4\ndata: d\n\n", framing: .untilClose),
            Self.stream("", effect: .close(.afterHead)),
            ScriptedResponse(status: .noContent),
        ]
        try await Self.withEvents(answers) { api, server in
            let events = try await api.events("events", reconnecting: Self.options()).all()
            #expect(events.map(\.data) == ["a", "b", "c", "d"])
            let name = try #require(HTTPField.Name("Last-Event-ID"))
            var sent: [String?] = []
            while server.untakenRequestCount > 0 { sent.append(try await server.takeRequest().headers[name]) }
            // A request on a connection that was kept may be repeated by the engine.
            #expect(sent.first == .some(nil) && sent.last == "4")
            #expect(Set(sent.compactMap { $0 }) == ["1", "2", "3", "4"])
        }
    }

    @Test(.bug(id: "F417")) func `a stored response is no stream of events`() async throws {
        try await TestServer.withServer { server in
            var page = Self.stream("id: 7\ndata: stored\n\n")
            page.headers[.cacheControl] = "max-age=60"
            for response in [page, Self.stream("id: 1\ndata: a\n\n"), ScriptedResponse(status: .noContent)] {
                server.enqueue(response)
            }
            var configuration = Session.Configuration()
            configuration.cache = .memory()
            let session = Session(configuration: configuration, transport: try server.makeTransport())
            var request = Request(url: try #require(URL(string: server.url)))
            _ = try await session.response(for: request)
            let events = try await session.events(for: request, reconnecting: Self.options()).all()
            #expect(events.map(\.data) == ["a"])
            #expect(server.untakenRequestCount == 3)
            // What the program itself asks for stays.
            request.options.cachePolicy = .returnCacheDataDontLoad
            var options = Self.options()
            options.reconnects = false
            #expect(try await session.events(for: request, reconnecting: options).all().map(\.data) == ["stored"])
            await session.transport.shutdown()
            try await server.waitForConnections { $0.open == 0 }
        }
    }

    private static func compressed(_ bytes: [UInt8], framing: ScriptedResponse.Framing) -> ScriptedResponse {
        var response = ScriptedResponse(
            headers: [.contentType: "text/event-stream", .contentEncoding: "gzip"],
            body: .bytes(bytes)
        )
        response.framing = framing
        return response
    }

    @Test(.bug(id: "F273"), arguments: [ScriptedResponse.Framing.untilClose, .chunked(byteCount: 5)])
    func `a compressed stream that ends before its coding is an interruption`(
        _ framing: ScriptedResponse.Framing
    ) async throws {
        let whole = Compression.gzip("id: 1\ndata: a\n\n".utf8)
        let answers = [
            // Without the checksum and the length, as from a server that flushes and never finishes.
            Self.compressed(Array(whole.dropLast(8)), framing: framing),
            ScriptedResponse(status: .noContent),
        ]
        try await Self.withEvents(answers) { api, server in
            let events = try await api.events("events", reconnecting: Self.options()).all()
            #expect(events.map(\.data) == ["a"])
            let name = try #require(HTTPField.Name("Last-Event-ID"))
            #expect(try await server.takeRequest().headers[name] == nil)
            #expect(try await server.takeRequest().headers[name] == "1")
        }
    }

    @Test(.bug(id: "F273"), arguments: [ScriptedResponse.Framing.untilClose, .chunked(byteCount: 5)])
    func `corrupt content of a compressed stream is final`(_ framing: ScriptedResponse.Framing) async throws {
        let whole = Compression.gzip("id: 1\ndata: a\n\n".utf8)
        let wrongChecksum = [UInt8](repeating: 0, count: 8)
        let answers = [
            Self.compressed(Array(whole.dropLast(8)) + wrongChecksum, framing: framing),
            ScriptedResponse(status: .noContent),
        ]
        try await Self.withEvents(answers) { api, server in
            let events = try await api.events("events", reconnecting: Self.options())
            let error = await #expect(throws: SessionError.self) { try await events.all() }
            #expect(error?.code == .decompressionFailed)
            #expect(server.untakenRequestCount == 1)
        }
    }

    @Test func `a silent connection is given up and made again`() async throws {
        let answers = [
            Self.stream("id: 1\ndata: a\n\ndata: never", effect: .stall(.afterBody(15))),
            ScriptedResponse(status: .noContent),
        ]
        try await Self.withEvents(answers) { api, _ in
            var options = Self.options()
            options.idleLimit = .milliseconds(30)
            let events = try await api.events("events", reconnecting: options).all()
            #expect(events.map(\.data) == ["a"])
        }
    }

    @Test func `a dropped iterator closes its connection`() async throws {
        try await Self.withEvents([
            Self.stream("data: a\n\n" + String(repeating: "x", count: 100), effect: .stall(.afterBody(20)))
        ]) {
            api,
            server in
            for try await event in try await api.events("events", reconnecting: Self.options()) {
                #expect(event.data == "a")
                break
            }
            try await server.waitForConnections { $0.open == 0 }
        }
    }

    @Test func `a redirect is followed each time`() async throws {
        try await TestServer.withServer { server in
            server.respond(to: "/old") { _ in ScriptedResponse(status: .found, headers: [.location: "/new"]) }
            let count = Recorder<Int>()
            server.respond(to: "/new") { _ in
                count.record(1)
                return count.elements.count < 3 ? Self.stream("data: a\n\n") : ScriptedResponse(status: .noContent)
            }
            let api = try HTTPSession(server.url, transport: try server.makeTransport())
            let events = try await api.events("old", reconnecting: Self.options()).all()
            #expect(events.count == 2)
            await api.session.transport.shutdown()
        }
    }

    @Test(arguments: ["lines", "json"]) func `lines arrive while the response goes on`(_ kind: String) async throws {
        let gate = Gate()
        let answer = Self.stream("[1]\n[2]\n", effect: .hold(.afterBody(4), until: gate))
        try await Self.withEvents([answer]) { api, _ in
            let response = try await api.stream("rows")
            if kind == "lines" {
                var lines = response.lines.makeAsyncIterator()
                #expect(try await lines.next() == "[1]")
                gate.open()
                #expect(try await lines.next() == "[2]")
                #expect(try await lines.next() == nil)
            } else {
                var rows = response.jsonLines(as: [Int].self).makeAsyncIterator()
                #expect(try await rows.next() == [1])
                gate.open()
                #expect(try await rows.next() == [2])
                #expect(try await rows.next() == nil)
            }
        }
    }
}
