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

/// Identical requests under way share one exchange.
@Suite(.timeLimit(.minutes(1))) struct DeduplicationTests {
    private let latch = Latch()

    /// Answers when the latch is open, with the number of the exchange.
    private func waiting(_ answer: @escaping @Sendable (Int) throws -> TransportResponse) -> StubTransport {
        let count = Recorder<Int>()
        let latch = self.latch
        return StubTransport { _ in
            count.record(1)
            let number = count.elements.count
            await latch.wait()
            try Task.checkCancellation()
            return try answer(number)
        }
    }

    private func session(
        _ transport: any Transport,
        _ change: (inout Session.Configuration) -> Void = { _ in }
    ) -> Session {
        var configuration = Session.Configuration()
        configuration.deduplication = .identical
        change(&configuration)
        return Session(configuration: configuration, transport: transport)
    }

    private func exchanges(of session: Session) throws -> SharedExchanges {
        try #require(session.sharedExchanges)
    }

    private func wait(_ count: Int, in session: Session) async throws {
        let exchanges = try self.exchanges(of: session)
        while exchanges.waiterCount < count { await Task.yield() }
    }

    private func request(_ method: String = "GET") throws -> Request { try RetryTable.request(method) }

    // MARK: Sharing

    @Test func `a hundred identical requests make one exchange`() async throws {
        let transport = self.waiting { .plain("answer \($0)", headers: [.eTag: "\"1\""]) }
        let events = RetryEvents()
        let session = self.session(transport) { $0.observers = [events] }
        let request = try self.request()
        let calls = (0..<100).map { _ in Task { try await session.response(for: request) } }
        try await self.wait(100, in: session)
        self.latch.open()
        for call in calls {
            let response = try await call.value
            #expect(response.body == Data("answer 1".utf8))
            #expect(response.headers[.eTag] == "\"1\"")
        }
        #expect(transport.requests.count == 1)
        #expect(events.names.filter { $0 == "exchangeShared" }.count == 99)
        #expect(events.names.filter { $0 == "callEnded" }.count == 100)
        #expect(try self.exchanges(of: session).count == 0)
        // What has ended is not a cache.
        #expect(try await session.response(for: request).body == Data("answer 2".utf8))
    }

    /// RFC 9111 section 4.4: what was asked for before a change is no answer to who asks after it.
    @Test(arguments: ["POST", "DELETE"]) func `a request that follows a change does not join one from before it`(
        _ method: String
    ) async throws {
        let transport = StubTransport { [latch] request in
            if request.method != .get { return .plain("changed") }
            if request.headers[.ifMatch] == nil { await latch.wait() }
            return .plain("answer")
        }
        let session = self.session(transport)
        let request = try self.request()
        let before = (0..<2).map { _ in Task { try await session.response(for: request).body } }
        try await self.wait(2, in: session)
        _ = try await session.response(for: self.request(method))
        let after = (0..<2).map { _ in Task { try await session.response(for: request).body } }
        try await self.wait(4, in: session)
        #expect(try self.exchanges(of: session).count == 2)
        self.latch.open()
        for call in before + after { #expect(try await call.value == Data("answer".utf8)) }
        #expect(transport.requests.count { $0.method == .get } == 2)
        #expect(try self.exchanges(of: session).count == 0)
    }

    /// The attempt that closes the exchanges is the second one, whose request the first has not closed them for.
    @Test(.bug(id: "F386")) func `a request that follows a hedged change does not join one from before it`()
        async throws
    {
        let (firstGate, secondGate, clock) = (Latch(), Latch(), ManualSessionClock())
        let (deletions, events) = (Recorder<Int>(), RetryEvents())
        let transport = StubTransport { [latch] request in
            guard request.method == .delete else {
                await latch.wait()
                return .plain("answer")
            }
            deletions.record(1)
            if deletions.elements.count == 1 {
                await firstGate.wait()
                return .plain("", status: 503)
            }
            await secondGate.wait()
            return .plain("", status: 204)
        }
        let session = self.session(transport) { configuration in
            configuration.clock = clock.clock
            configuration.observers = [events]
            configuration.retries = .immediate(attempts: 2)
            configuration.retries.hedgingDelay = .milliseconds(100)
        }
        let (get, delete) = (try self.request(), try self.request("DELETE"))
        let change = Task { try await session.response(for: delete).status }
        await clock.waitForSleeps(1)
        clock.advance(by: .milliseconds(100))
        while deletions.elements.count < 2 { await Task.yield() }
        firstGate.open()
        // The end of the first attempt has closed the exchanges by then.
        while !events.names.contains("exchangeEnded 503") { await Task.yield() }
        let before = Task { try await session.response(for: get).body }
        try await self.wait(1, in: session)
        secondGate.open()
        #expect(try await change.value == .noContent)
        let after = Task { try await session.response(for: get).body }
        try await self.wait(2, in: session)
        #expect(try self.exchanges(of: session).count == 2)
        self.latch.open()
        for call in [before, after] { #expect(try await call.value == Data("answer".utf8)) }
    }

    struct Difference: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var change: @Sendable (inout Request) -> Void

        init(_ name: String, _ change: @escaping @Sendable (inout Request) -> Void) {
            self.testDescription = name
            self.change = change
        }
    }

    @Test(arguments: [
        Difference("credentials") { $0.headers[.authorization] = "Bearer other" },
        Difference("cookies") { $0.headers[.cookie] = "a=2" },
        Difference("a field of the program") { $0.headers[.acceptLanguage] = "de" },
        Difference("one more field") { $0.headers[.ifNoneMatch] = "\"1\"" },
        Difference("the case of a value") { $0.headers[.accept] = "Text/plain" },
        Difference("the method") { $0.method = .head },
        Difference("the query") { $0.url = URL(string: "http://h/?a=1") ?? $0.url },
        Difference("the spelling of the URL") { $0.url = URL(string: "http://H/") ?? $0.url },
        Difference("the user information") { $0.url = URL(string: "http://u:p@h/") ?? $0.url },
        Difference("a method that is not safe") { $0.method = .post },
        Difference("a method of its own") { $0.method = .delete },
        Difference("a body") { $0.body = .data(Data("x".utf8)) },
        Difference("options") { $0.options.timeoutInterval = .seconds(1) },
        Difference("a rate of its own") { $0.rateLimit = RateLimit(download: 1_000_000) },
        Difference("options of the transport") { $0.transport.unixSocketPath = "/run/other" },
        Difference("the origin of the session's secrets") { request in
            request.context[HomeOrigin.self] = HomeOrigin(origin: Origin(scheme: .http, host: "home"))
        },
    ])
    func `requests that differ make exchanges of their own`(_ difference: Difference) async throws {
        let transport = self.waiting { .plain("answer \($0)") }
        let session = self.session(transport)
        var base = try self.request()
        base.headers = [.accept: "text/plain", .cookie: "a=1"]
        base.headers[.authorization] = "Bearer one"
        var other = base
        difference.change(&other)
        let calls = [base, other].map { request in Task { try await session.response(for: request) } }
        while transport.requests.count < 2 { await Task.yield() }
        self.latch.open()
        for call in calls { _ = try await call.value }
        #expect(transport.requests.count == 2)
    }

    @Test func `values that differ in a byte that is not UTF-8 make exchanges of their own`() async throws {
        let transport = self.waiting { .plain("answer \($0)") }
        let session = self.session(transport)
        let calls = try [UInt8(0xE8), 0xE9].map { byte in
            var request = try self.request()
            request.headers.append(HTTPField(name: .cookie, lenientValue: Array("a=".utf8) + [byte]))
            return Task { [request] in try await session.response(for: request) }
        }
        try await self.wait(2, in: session)
        self.latch.open()
        for call in calls { _ = try await call.value }
        #expect(transport.requests.count == 2)
    }

    @Test func `the fields of trace contexts may differ, and others that the policy names`() async throws {
        let transport = self.waiting { .plain("answer \($0)") }
        let name = try #require(HTTPField.Name("X-Request-ID"))
        let trace = try #require(HTTPField.Name("traceparent"))
        let session = self.session(transport) { $0.deduplication.ignoredFields.insert(name) }
        let calls = try (0..<3).map { number in
            var request = try self.request()
            request.headers = [name: "\(number)", trace: "00-\(number)"]
            return Task { [request] in try await session.response(for: request) }
        }
        try await self.wait(3, in: session)
        self.latch.open()
        for call in calls { #expect(try await call.value.body == Data("answer 1".utf8)) }
    }

    @Test func `streams, tasks and calls with a monitor are not shared`() async throws {
        self.latch.open()
        let transport = self.waiting { .plain("answer \($0)") }
        let session = self.session(transport)
        let request = try self.request()
        async let stream = session.send(request)
        async let watched = session.response(for: request, monitor: TransferMonitor())
        let task = session.dataTask(with: request, serializer: .string)
        task.resume()
        _ = try await (stream, watched, task.value)
        #expect(transport.requests.count == 3)
    }

    @Test func `a session that shares nothing makes an exchange for each call`() async throws {
        let transport = self.waiting { .plain("answer \($0)") }
        let session = self.session(transport) { $0.deduplication = .none }
        let request = try self.request()
        let calls = (0..<5).map { _ in Task { try await session.response(for: request) } }
        while transport.requests.count < 5 { await Task.yield() }
        self.latch.open()
        for call in calls { _ = try await call.value }
    }

    // MARK: Leaving

    @Test(arguments: [true, false])
    func `a call that is cancelled leaves the exchange to the others`(_ isFirst: Bool) async throws {
        let transport = self.waiting { .plain("answer \($0)") }
        let session = self.session(transport)
        let request = try self.request()
        let first = Task { try await session.response(for: request) }
        try await self.wait(1, in: session)
        let second = Task { try await session.response(for: request) }
        try await self.wait(2, in: session)
        let (leaving, staying) = isFirst ? (first, second) : (second, first)
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        self.latch.open()
        #expect(try await staying.value.body == Data("answer 1".utf8))
        #expect(transport.requests.count == 1)
    }

    @Test(.bug(id: "F284"), arguments: [true, false])
    func `a call that has left is told no end of the exchange that it began`(_ isAnswered: Bool) async throws {
        let events = RetryEvents()
        let transport = self.waiting { _ in
            guard isAnswered else { throw TransportError(.connectionClosed, phase: .responseHead, reason: "cut") }
            return .plain("answer")
        }
        let session = self.session(transport) { $0.observers = [events] }
        let request = try self.request()
        let leaving = Task { try await session.response(for: request) }
        try await self.wait(1, in: session)
        let staying = Task { try await session.response(for: request) }
        try await self.wait(2, in: session)
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        self.latch.open()
        _ = await staying.result
        let rest =
            isAnswered ? ["exchangeShared", "exchangeEnded 200", "callEnded"] : ["callFailed connectionClosed"]
        #expect(events.names == ["exchangeStarted 1.1", "callCancelled"] + rest)
    }

    @Test(.bug(id: "F510")) func `a call that has left is told no start of the exchange that it began`() async throws {
        let (clock, events) = (ManualSessionClock(), RetryEvents())
        let transport = StubTransport { _ in .plain(String(repeating: "x", count: 2_000)) }
        let session = self.session(transport) { configuration in
            configuration.clock = clock.clock
            configuration.observers = [events]
            configuration.rateLimit = RateLimit(download: 1_000)
        }
        let request = try self.request()
        // The next exchange waits for a second because of these bytes.
        _ = try await session.response(for: request)
        let before = events.names.count
        let leaving = Task { try await session.response(for: request) }
        await clock.waitForSleeps(1)
        let staying = Task { try await session.response(for: request) }
        try await self.wait(2, in: session)
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        clock.advance(by: .seconds(1))
        _ = try await staying.value
        #expect(
            Array(events.names.dropFirst(before)) == [
                "callCancelled", "exchangeShared", "exchangeEnded 200", "callEnded",
            ]
        )
    }

    @Test func `the exchange is cancelled when the last call leaves`() async throws {
        let ended = Latch()
        let transport = StubTransport { _ in
            defer { ended.open() }
            try await untilCancelled()
        }
        let session = self.session(transport)
        let request = try self.request()
        let calls = (0..<3).map { _ in Task { try await session.response(for: request) } }
        try await self.wait(3, in: session)
        while transport.requests.isEmpty { await Task.yield() }
        for call in calls { call.cancel() }
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
        await ended.wait()
        #expect(try self.exchanges(of: session).count == 0)
    }

    @Test func `calls that come and go in any order all end`() async throws {
        let transport = StubTransport { _ in
            for _ in 0..<20 { await Task.yield() }
            return .plain("answer")
        }
        let session = self.session(transport)
        let request = try self.request()
        for round in 0..<200 {
            let calls = (0..<8).map { _ in Task { try await session.response(for: request) } }
            for _ in 0..<(round % 15) { await Task.yield() }
            for (index, call) in calls.enumerated() where (index + round) % 3 == 0 { call.cancel() }
            for (index, call) in calls.enumerated() {
                let result = await call.result
                if (index + round) % 3 != 0 { #expect(try result.get().body == Data("answer".utf8)) }
            }
        }
        #expect(try self.exchanges(of: session).count == 0)
        #expect(session.admission.counts.active == 0)
    }

    @Test func `a call keeps its own deadline, and the exchange goes on`() async throws {
        let clock = ManualSessionClock()
        let transport = self.waiting { .plain("answer \($0)") }
        let session = self.session(transport) { $0.clock = clock.clock }
        let request = try self.request()
        let patient = Task { try await session.response(for: request) }
        try await self.wait(1, in: session)
        var hurried = request
        hurried.options.totalTimeout = .seconds(1)
        let call = Task { [hurried] in try await session.response(for: hurried) }
        try await self.wait(2, in: session)
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(1))
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .timedOut && error?.phase == .total)
        self.latch.open()
        #expect(try await patient.value.body == Data("answer 1".utf8))
    }

    // MARK: Failures

    @Test func `an error is everyone's`() async throws {
        let transport = self.waiting { _ in
            throw TransportError(.connectFailed, phase: .connect, reason: "refused")
        }
        let session = self.session(transport)
        let request = try self.request()
        let calls = (0..<3).map { _ in Task { try await session.response(for: request) } }
        try await self.wait(3, in: session)
        self.latch.open()
        for call in calls {
            let error = await #expect(throws: SessionError.self) { try await call.value }
            #expect(error?.code == .connectFailed)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `the deadline of the call that began the exchange is not the others'`() async throws {
        let transport = self.waiting { number in
            if number == 1 { throw TransportError(.timedOut, phase: .total, reason: "late", isRequestSent: true) }
            return .plain("answer \(number)")
        }
        let session = self.session(transport)
        let request = try self.request()
        let first = Task { try await session.response(for: request) }
        try await self.wait(1, in: session)
        let others = (0..<3).map { _ in Task { try await session.response(for: request) } }
        try await self.wait(4, in: session)
        self.latch.open()
        await #expect(throws: SessionError.self) { try await first.value }
        for other in others { #expect(try await other.value.status == .ok) }
        #expect(transport.requests.count >= 2)
    }

    @Test(arguments: [nil, 1_000_000] as [Int64?])
    func `a body that is not there yet has one reader, and the others ask for themselves`(_ rate: Int64?) async throws {
        let transport = self.waiting { number in
            let body = ScriptedBody([.text("answer "), .text("\(number)")])
            return TransportResponse(
                status: .badGateway,
                body: ResponseBody(source: body, expectedLength: nil)
            )
        }
        let session = self.session(transport) { $0.rateLimit = rate.map { RateLimit(download: $0) } }
        let request = try self.request()
        let calls = (0..<3).map { _ in Task { try await session.response(for: request) } }
        try await self.wait(3, in: session)
        self.latch.open()
        var bodies: Set<String> = []
        for call in calls { bodies.insert(String(decoding: try await call.value.body, as: UTF8.self)) }
        #expect(bodies == ["answer 1", "answer 2", "answer 3"])
    }

    // MARK: With the other stages

    @Test func `calls that share an exchange retry and follow redirects by themselves`() async throws {
        let count = Recorder<String>()
        let transport = StubTransport { request in
            count.record(request.target)
            for _ in 0..<50 { await Task.yield() }
            switch request.target {
            case "/": return TransportResponse(status: .found, headers: [.location: "/end"])
            default: return count.elements.filter { $0 == "/end" }.count == 1 ? .plain("", status: 503) : .plain("done")
            }
        }
        let session = self.session(transport) { $0.retries = .immediate() }
        let request = try self.request()
        let calls = (0..<10).map { _ in Task { try await session.response(for: request) } }
        for call in calls { #expect(try await call.value.body == Data("done".utf8)) }
        #expect(transport.requests.count < 30)
    }

    @Test(.bug(id: "F326"), arguments: [true, false])
    func `calls under a download rate share one exchange`(_ isOfSession: Bool) async throws {
        let transport = self.waiting { number in
            let body = ScriptedBody([.text("answer "), .text("\(number)")])
            return TransportResponse(status: .ok, body: ResponseBody(source: body, expectedLength: nil))
        }
        let rate = RateLimit(download: 1_000_000)
        let session = self.session(transport) { if isOfSession { $0.rateLimit = rate } }
        var request = try self.request()
        if !isOfSession { request.rateLimit = rate }
        let calls = (0..<100).map { _ in Task { [request] in try await session.response(for: request) } }
        try await self.wait(100, in: session)
        self.latch.open()
        for call in calls { #expect(try await call.value.body == Data("answer 1".utf8)) }
        #expect(transport.requests.count == 1)
    }

    @Test(.bug(id: "F326")) func `a shared exchange keeps the download rate and the limit of a response`() async throws
    {
        let clock = ManualSessionClock()
        let transport = self.waiting { _ in
            let body = ScriptedBody([.bytes(100_000), .bytes(1)])
            return TransportResponse(status: .ok, body: ResponseBody(source: body, expectedLength: nil))
        }
        let session = self.session(transport) { configuration in
            configuration.clock = clock.clock
            configuration.rateLimit = RateLimit(download: 50_000)
            configuration.limits.responseByteCount = 100_000
        }
        let request = try self.request()
        let calls = (0..<3).map { _ in Task { try await session.response(for: request) } }
        try await self.wait(3, in: session)
        self.latch.open()
        // A second's bytes may come at once.
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(1))
        for call in calls {
            let error = await #expect(throws: SessionError.self) { try await call.value }
            #expect(error?.code == .responseTooLarge)
            #expect(error?.isRequestSent == true)
        }
        #expect(transport.requests.count == 1)
    }

    @Test(.bug(id: "F326"), arguments: [nil, 1_000_000_000] as [Int64?])
    func `one request reaches a real server`(_ rate: Int64?) async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.respond(to: "/any") { _ in
                ScriptedResponse(body: .pattern(100_000), effect: .hold(.beforeResponse, until: gate))
            }
            let transport = try server.makeTransport()
            let session = self.session(transport) { $0.rateLimit = rate.map { RateLimit(download: $0) } }
            let request = Request(url: try Peer.url("\(server.url)/any"))
            let calls = (0..<20).map { _ in Task { try await session.response(for: request) } }
            try await self.wait(20, in: session)
            gate.open()
            for call in calls { #expect(try await call.value.body == Data(PatternBytes.bytes(100_000))) }
            #expect(server.untakenRequestCount == 1)
            await transport.shutdown()
        }
    }
}

extension Session {
    /// The exchanges that its calls share.
    var sharedExchanges: SharedExchanges? {
        self.stages.interceptors.lazy.compactMap { ($0 as? DeduplicationStage)?.exchanges }.first
    }
}
