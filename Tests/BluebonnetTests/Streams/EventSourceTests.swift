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

/// How an event source reconnects, over a transport that gives responses one after the other and a clock that the test sets.
@Suite(.timeLimit(.minutes(1))) struct EventSourceTests {
    static let failure = TransportError(.connectionClosed, phase: .responseBody, reason: "cut", isRequestSent: true)

    private let clock = ManualSessionClock()
    private let lastEventID: HTTPField.Name

    init() throws {
        self.lastEventID = try #require(HTTPField.Name("Last-Event-ID"))
    }

    /// Options without a random part.
    static func options(_ change: (inout EventSource.Options) -> Void = { _ in }) -> EventSource.Options {
        var options = EventSource.Options()
        options.jitter = 0
        change(&options)
        return options
    }

    /// A response with an event stream that ends, or breaks.
    static func stream(_ text: String, then error: (any Error)? = nil) -> Result<TransportResponse, any Error> {
        let steps = [ScriptedBody.Step.text(text)] + (error.map { [.fail($0)] } ?? [])
        return .success(self.answer(ScriptedBody(text.isEmpty ? Array(steps.dropFirst()) : steps)))
    }

    static func answer(
        _ body: ScriptedBody,
        status: Int = 200,
        type: String? = "text/event-stream"
    ) -> TransportResponse {
        var headers = HTTPFields()
        headers[.contentType] = type
        return TransportResponse(
            status: .init(code: status),
            headers: headers,
            body: ResponseBody(source: body, expectedLength: nil)
        )
    }

    static let ended = Result<TransportResponse, any Error>.success(TransportResponse(status: .noContent))

    private func session(_ transport: StubTransport) -> Session {
        var configuration = Session.Configuration()
        configuration.clock = self.clock.clock
        return Session(configuration: configuration, transport: transport)
    }

    private func events(
        _ transport: StubTransport,
        _ options: EventSource.Options = Self.options(),
        method: HTTPRequest.Method = .get
    ) throws -> EventSource {
        let request = Request(method: method, url: try Peer.url("http://h/events"))
        return self.session(transport).events(for: request, reconnecting: options)
    }

    /// Reads all events while the clock is moved on by the given delays; each must be just long enough.
    private func all(_ events: EventSource, delays: [Duration]) async throws -> [ServerSentEvent] {
        let reader = Task { try await events.all() }
        for (index, delay) in delays.enumerated() {
            await self.clock.waitForSleeps(index + 1)
            self.clock.advance(by: delay - .milliseconds(1))
            #expect(self.clock.sleeperCount == 1, "delay \(index) is shorter than \(delay)")
            self.clock.advance(by: .milliseconds(1))
        }
        return try await reader.value
    }

    @Test func `a stream that ends goes on with the last ID, after the time that the server has asked for`()
        async throws
    {
        let transport = StubTransport(responses: [
            Self.stream("id: 1\ndata: a\n\nretry: 1500\nid: 2\n\ndata: lost"),
            Self.stream("data: b\n\nid\ndata: c\n\n", then: Self.failure),
            Self.ended,
        ])
        let events = try await self.all(try self.events(transport), delays: [.milliseconds(1500), .milliseconds(1500)])
        #expect(events.map(\.data) == ["a", "b", "c"])
        #expect(events.map(\.lastEventID) == ["1", "2", ""])
        #expect(transport.requests.map { $0.headers[self.lastEventID] } == [nil, "2", nil])
        for request in transport.requests {
            #expect(request.headers[.accept] == "text/event-stream")
            #expect(request.headers[.cacheControl] == "no-store")
        }
    }

    @Test func `delays grow while no event comes, up to their limit, and are short again after one`() async throws {
        let transport = StubTransport(
            responses: [
                .failure(TransportError(.connectFailed, phase: .connect, reason: "refused")),
                Self.stream(""),
                Self.stream(": nothing\n\n", then: Self.failure),
                .failure(TransportError(.timedOut, phase: .responseHead, reason: "late")),
                Self.stream("data: a\n\n"),
                .failure(TransportError(.nameResolutionFailed, phase: .resolve, reason: "no address")),
                Self.ended,
            ]
        )
        let options = Self.options { $0.delays = .zero ... .seconds(20) }
        let events = try await self.all(
            try self.events(transport, options),
            delays: [.seconds(3), .seconds(6), .seconds(12), .seconds(20), .seconds(3), .seconds(6)]
        )
        #expect(events.map(\.data) == ["a"])
        #expect(transport.requests.count == 7)
    }

    @Test(arguments: [
        // reconnection time, failures, spread, jitter, delay; all in milliseconds but the second
        (3_000, 1, 0.0, 0.5, 3_000), (3_000, 1, 1.0, 0.5, 4_500), (3_000, 2, 0.0, 0.5, 6_000),
        (3_000, 5, 0.0, 0.5, 48_000), (3_000, 6, 0.0, 0.5, 60_000), (3_000, 6, 1.0, 0.5, 90_000),
        (3_000, Int.max, 0.0, 0.5, 60_000), (0, 1, 0.0, 0.5, 100), (0, 2, 0.0, 0.5, 2_000), (0, 3, 0.0, 0.5, 4_000),
        (3_155_760_000_000, 9, 0.0, 0.5, 60_000), (3_000, 1, 1.0, -1, 3_000), (3_000, 1, 1.0, 7, 6_000),
        (3_000, 1, 1.0, Double.nan, 3_000), (3_000, 1, 1.0, Double.infinity, 6_000),
    ])
    func `a delay doubles, has limits and a random part`(
        _ time: Int64,
        _ failures: Int,
        _ spread: Double,
        _ jitter: Double,
        _ delay: Int64
    ) {
        let options = Self.options { $0.jitter = jitter }
        #expect(options.delay(.milliseconds(time), failures: failures, spread: spread) == .milliseconds(delay))
    }

    @Test(.bug(id: "F426"), arguments: [201, 206, 300, 400, 401, 404, 429, 500, 503])
    func `any other status than 200 is an error, and is not tried again`(_ status: Int) async throws {
        let transport = StubTransport { _ in Self.answer(ScriptedBody([.text("why")]), status: status) }
        let error = await #expect(throws: SessionError.self) { try await self.events(transport).all() }
        #expect(error?.code == .unacceptableStatus)
        // The rule cannot be changed.
        #expect(error?.reason.hasSuffix("; accepted: 200") == true)
        #expect(error?.response?.body == Data("why".utf8))
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [
        ("text/event-stream", true), ("text/event-stream; charset=utf-8", true),
        ("Text/Event-Stream;charset=latin1", true),
        ("text/plain", false), ("text/event-streams", false), ("application/json", false), ("", false), (nil, false),
    ])
    func `the content type decides, also for an empty stream`(_ type: String?, _ isAccepted: Bool) async throws {
        var empty = Self.answer(ScriptedBody([]), type: type)
        empty.headers[.contentLength] = "0"
        empty.body = .empty
        for answer in [Self.answer(ScriptedBody([.text("data: a\n\n")]), type: type), empty] {
            let transport = StubTransport(responses: [.success(answer), Self.ended])
            let events = try self.events(transport, Self.options { $0.reconnects = false })
            if isAccepted {
                _ = try await events.all()
            } else {
                let error = await #expect(throws: SessionError.self) { try await events.all() }
                #expect(error?.code == .unacceptableContentType)
                #expect(error?.reason.hasSuffix("; accepted: text/event-stream") == true)
            }
        }
    }

    @Test(arguments: [
        TransportError(.untrustedCertificate, phase: .tlsHandshake, reason: ""),
        TransportError(.invalidRequest, phase: .requestBody, reason: ""),
        TransportError(.timedOut, phase: .total, reason: ""),
        TransportError(.shutDown, phase: .queue, reason: ""),
    ])
    func `a failure that another attempt cannot cure ends the stream`(_ failure: TransportError) async throws {
        let transport = StubTransport(responses: [Self.stream("data: a\n\n", then: failure)])
        var events = try self.events(transport).makeAsyncIterator()
        #expect(try await events.next()?.data == "a")
        await #expect(throws: SessionError.self) { try await events.next() }
        #expect(try await events.next() == nil)
        #expect(transport.requests.count == 1)
    }

    @Test func `what exceeds a limit ends the stream`() async throws {
        let transport = StubTransport(responses: [Self.stream("data: aaaaaaaaaaaa\n\n")])
        let events = try self.events(transport, Self.options { $0.limits = EventLimits(eventByteCount: 10) })
        let error = await #expect(throws: SessionError.self) { try await events.all() }
        #expect(error?.code == .limitExceeded)
        #expect(transport.requests.count == 1)
    }

    @Test func `the number of attempts without an event can be limited`() async throws {
        let transport = StubTransport { _ in throw Self.failure }
        let events = try self.events(transport, Self.options { $0.maximumAttempts = 3 })
        let error = await #expect(throws: SessionError.self) {
            try await self.all(events, delays: [.seconds(3), .seconds(6)])
        }
        #expect(error?.code == .connectionClosed)
        #expect(transport.requests.count == 3)
        let ending = StubTransport { _ in try Self.stream("").get() }
        let empty = try self.events(ending, Self.options { $0.maximumAttempts = 1 })
        let complaint = await #expect(throws: SessionError.self) { try await empty.all() }
        #expect(complaint?.code == .connectionClosed)
    }

    @Test func `a connection that brought an event is no attempt without one`() async throws {
        let transport = StubTransport(responses: [Self.stream("data: a\n\n"), Self.stream("data: b\n\n"), Self.ended])
        let events = try self.events(transport, Self.options { $0.maximumAttempts = 1 })
        #expect(try await self.all(events, delays: [.seconds(3), .seconds(3)]).map(\.data) == ["a", "b"])
    }

    @Test func `a silent connection that lasted does not make the delay longer`() async throws {
        // Two connections that end as soon as they begin, then one that lasts.
        let silent = TransportError(.timedOut, phase: .responseBody, reason: "silent", isRequestSent: true)
        let clock = self.clock
        let transport = StubTransport(responses: [
            Self.stream(""), Self.stream(""),
            .success(
                Self.answer(
                    ScriptedBody([.text(":\n"), .fail(silent)]) { if $0 == 2 { clock.advance(by: .seconds(60)) } }
                )
            ), Self.ended,
        ])
        let events = try self.events(transport)
        #expect(try await self.all(events, delays: [.seconds(3), .seconds(6), .seconds(3)]).isEmpty)
    }

    @Test(
        arguments: [
            ("5", "id: 7\n\nid\ndata: a\n\n", ["5", nil]), ("5", "data: a\n\n", ["5", "5"]),
            (nil, "id:  7 \ndata: a\n\n", [nil, "7"]), ("5", "id: \u{1}\ndata: a\n\n", ["5", nil]),
        ] as [(String?, String, [String?])]
    )
    func `the server's last ID takes the place of the request's own`(
        _ own: String?,
        _ text: String,
        _ sent: [String?]
    ) async throws {
        let transport = StubTransport(responses: [Self.stream(text), Self.ended])
        var request = Request(url: try Peer.url("http://h/events"))
        request.headers[self.lastEventID] = own
        let events = self.session(transport).events(for: request, reconnecting: Self.options())
        _ = try await self.all(events, delays: [.seconds(3)])
        #expect(transport.requests.map { $0.headers[self.lastEventID] } == sent)
    }

    @Test func `the limit on silence holds beside that of a request`() async throws {
        let transport = StubTransport(responses: [Self.ended])
        var request = Request(url: try Peer.url("http://h/events"))
        request.options.timeoutInterval = .seconds(10)
        let options = Self.options { $0.idleLimit = .seconds(120) }
        for try await _ in self.session(transport).events(for: request, reconnecting: options) {}
        let timeouts = try #require(transport.requests.first?.timeouts)
        #expect(timeouts.responseBody == .seconds(120))
        #expect(timeouts.responseHead == .seconds(10))
    }

    @Test(arguments: [(403, 1), (407, 1), (502, 3), (503, 3), (nil, 3)])
    func `what a proxy refuses is not asked for again`(_ status: Int?, _ count: Int) async throws {
        var failure = TransportError(.proxyFailed, phase: .connect, reason: "refused")
        failure.proxyStatus = status
        let transport = StubTransport { [failure] _ in throw failure }
        let events = try self.events(transport, Self.options { $0.maximumAttempts = 3 })
        await #expect(throws: SessionError.self) {
            try await self.all(events, delays: count == 1 ? [] : [.seconds(3), .seconds(6)])
        }
        #expect(transport.requests.count == count)
    }

    @Test func `a response of another type that never ends is refused`() async throws {
        let transport = StubTransport { _ in
            Self.answer(ScriptedBody([.text("{}\n"), .hang]), type: "application/x-ndjson")
        }
        let events = try self.events(transport)
        let reader = Task { try await events.all() }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .seconds(5))
        let error = await #expect(throws: SessionError.self) { try await reader.value }
        #expect(error?.code == .unacceptableContentType)
        #expect(transport.requests.count == 1)
    }

    @Test func `the answer to a POST request ends with its body, or with its failure`() async throws {
        let transport = StubTransport(responses: [
            Self.stream("data: a\n\n"), Self.stream("data: b\n\n", then: Self.failure),
        ])
        let events = try self.events(transport, method: .post)
        #expect(try await events.all().map(\.data) == ["a"])
        await #expect(throws: SessionError.self) { try await events.all() }
    }

    @Test func `an ID from an earlier stream is sent, one that no field can hold is not`() async throws {
        let transport = StubTransport(responses: [
            Self.stream("id: \u{1}\ndata: a\n\n"), Self.stream("id: \u{2026}\ndata: b\n\n"), Self.ended,
        ])
        let options = Self.options { $0.lastEventID = "41" }
        let events = try await self.all(try self.events(transport, options), delays: [.seconds(3), .seconds(3)])
        #expect(events.map(\.lastEventID) == ["\u{1}", "\u{2026}"])
        #expect(transport.requests.map { $0.headers[self.lastEventID] } == ["41", nil, "\u{2026}"])
    }

    @Test func `cancelling ends a delay at once`() async throws {
        let transport = StubTransport { _ in throw Self.failure }
        let events = try self.events(transport)
        let reader = Task { try await events.all() }
        await self.clock.waitForSleeps(1)
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [true, false]) func `the end of the session ends a delay at once`(_ isGraceful: Bool) async throws
    {
        let transport = StubTransport { _ in throw Self.failure }
        let session = self.session(transport)
        let events = session.events(for: Request(url: try Peer.url("http://h/events")), reconnecting: Self.options())
        let reader = Task { try await events.all() }
        await self.clock.waitForSleeps(1)
        session.invalidate(cancellingTasks: !isGraceful)
        let error = await #expect(throws: SessionError.self) { try await reader.value }
        #expect(error?.code == .shutDown && error?.request?.url.path() == "/events")
        #expect(transport.requests.count == 1)
    }

    @Test func `cancelling ends the wait for an event and for a connection at once`() async throws {
        let reading = Recorder<String>()
        let body = ScriptedBody([.text("data: a\n\n"), .hang]) { if $0 == 2 { reading.record("") } }
        for transport in [
            StubTransport { _ in Self.answer(body) },
            StubTransport { _ in
                reading.record("")
                try await untilCancelled()
            },
        ] {
            let count = reading.elements.count
            let events = try self.events(transport)
            let reader = Task { try await events.all() }
            while reading.elements.count == count { await Task.yield() }
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
        }
    }

    @Test func `a first connection that fails is an error of the verb`() async throws {
        let api = try HTTPSession("http://h/v1", transport: StubTransport { _ in throw Self.failure })
        let error = await #expect(throws: SessionError.self) { _ = try await api.events("chat") }
        #expect(error?.code == .connectionClosed)
    }

    @Test func `a verb opens the stream, whose first reader takes it`() async throws {
        let transport = StubTransport(responses: [Self.stream("data: a\n\n"), Self.ended])
        let api = try HTTPSession("http://h/v1", transport: transport)
        let options = Self.options { $0.reconnects = false }
        let events = try await api.events("chat", query: ["room": 7], reconnecting: options)
        #expect(transport.requests.map(\.target) == ["/v1/chat?room=7"])
        #expect(try await events.all().map(\.data) == ["a"])
        #expect(try await events.all().isEmpty)
        #expect(transport.requests.count == 2)
    }

    @Test func `the events of one response end with it`() async throws {
        let transport = StubTransport(responses: [Self.stream("data: a\n\ndata: [DONE]\n\n")])
        let api = try HTTPSession("http://h/v1", transport: transport)
        let response = try await api.prepare(.post, "chat", parameters: ["q": "?"]).stream()
        #expect(try await response.events().all().map(\.data) == ["a", "[DONE]"])
    }

    @Test(.bug(id: "F367"), arguments: [false, true])
    func `an event is decoded with the decoder of the HTTP session`(_ reconnects: Bool) async throws {
        struct Delta: Decodable { let nextToken: String }
        let text = "data: {\"next_token\": \"Hi\"}\n\n"
        let transport = StubTransport(responses: [Self.stream(text), Self.ended])
        var api = try HTTPSession("http://h/v1", transport: transport)
        api.decoder.keys = .snakeCase
        let call = try api.prepare(.get, "chat")
        let first =
            if reconnects {
                try #require(try await call.events().all().first)
            } else {
                try #require(try await call.stream().events().all().first)
            }
        #expect(try first.decode(Delta.self).nextToken == "Hi")
        // The decoder is no part of the event.
        #expect(first == ServerSentEvent(data: #"{"next_token": "Hi"}"#))
        #expect(throws: SessionError.self) { try first.decode(Delta.self, decoder: ResponseDecoder()) }
    }
}
