// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// A second attempt beside the first.
@Suite(.timeLimit(.minutes(1))) struct HedgeTests {
    private let clock = ManualSessionClock()
    private let events = RetryEvents()

    private static func policy(attempts: Int = 3) -> RetryPolicy {
        var policy = RetryPolicy.immediate(attempts: attempts)
        policy.hedgingDelay = .milliseconds(100)
        return policy
    }

    private func session(
        _ transport: any Transport,
        _ policy: RetryPolicy = Self.policy(),
        budget: RetryBudget? = nil
    ) -> Session {
        var configuration = Session.Configuration.retrying(policy, clock: self.clock, budget: budget)
        configuration.observers = [self.events]
        return Session(configuration: configuration, transport: transport)
    }

    /// Answers its exchanges in turn, each from a function.
    private static func transport(
        _ answers: [@Sendable () async throws -> TransportResponse]
    ) -> StubTransport {
        let count = Recorder<Int>()
        return StubTransport { _ in
            try await answers[min(count.record(1), answers.count) - 1]()
        }
    }

    @Test func `a fast response needs no second attempt`() async throws {
        let transport = StubTransport()
        let response = try await self.session(transport).response(for: RetryTable.request("GET"))
        #expect(response.status == .ok && transport.requests.count == 1)
        #expect(!self.events.names.contains("hedged"))
    }

    @Test func `the second attempt wins, and the first is cancelled`() async throws {
        let cancelled = Recorder<Bool>()
        let transport = Self.transport([
            {
                do { try await untilCancelled() } catch {
                    cancelled.record(true)
                    throw error
                }
            },
            { .plain("second") },
        ])
        let session = self.session(transport)
        let call = Task { try await session.response(for: RetryTable.request("GET")) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .milliseconds(100))
        let response = try await call.value
        #expect(response.body == Data("second".utf8))
        #expect(cancelled.elements == [true])
        #expect(transport.requests.count == 2)
        #expect(response.failedAttempts.isEmpty)
        #expect(self.events.names.filter { $0 == "hedged" }.count == 1)
    }

    @Test func `the second attempt is an exchange of its own where requests share theirs`() async throws {
        let transport = Self.transport([{ try await untilCancelled() }, { .plain("second") }])
        var configuration = Session.Configuration.retrying(Self.policy(), clock: self.clock)
        configuration.deduplication = .identical
        let session = Session(configuration: configuration, transport: transport)
        let call = Task { try await session.response(for: RetryTable.request("GET")) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .milliseconds(100))
        #expect(try await call.value.body == Data("second".utf8))
        #expect(transport.requests.count == 2)
    }

    @Test func `the first attempt may still win`() async throws {
        let gate = Latch()
        let transport = Self.transport([
            {
                await gate.wait()
                return .plain("first")
            },
            {
                gate.open()
                try await untilCancelled()
            },
        ])
        let session = self.session(transport)
        let call = Task { try await session.response(for: RetryTable.request("GET")) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .milliseconds(100))
        #expect(try await call.value.body == Data("first".utf8))
    }

    @Test func `a transient failure does not win while the other attempt is under way`() async throws {
        let gate = Latch()
        let transport = Self.transport([
            {
                await gate.wait()
                return .plain("first")
            },
            {
                gate.open()
                return .plain("busy", status: 503)
            },
        ])
        let session = self.session(transport)
        let call = Task { try await session.response(for: RetryTable.request("GET")) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .milliseconds(100))
        #expect(try await call.value.body == Data("first".utf8))
        #expect(transport.requests.count == 2)
    }

    @Test func `a failure before the delay is retried, not hedged`() async throws {
        let transport = Self.transport([{ .plain("", status: 503) }, { .plain("done") }])
        let response = try await self.session(transport).response(for: RetryTable.request("GET"))
        #expect(response.body == Data("done".utf8))
        #expect(response.failedAttempts.map(\.number) == [1])
        #expect(!self.events.names.contains("hedged"))
    }

    @Test func `two attempts that both fail count as two`() async throws {
        let gate = Latch()
        let transport = Self.transport([
            {
                await gate.wait()
                return .plain("first", status: 502)
            },
            {
                gate.open()
                return .plain("second", status: 503)
            },
            { .plain("third", status: 504) },
        ])
        let session = self.session(transport)
        let call = Task { try await session.response(for: RetryTable.request("GET")) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .milliseconds(100))
        let response = try await call.value
        #expect(response.status == .gatewayTimeout)
        #expect(response.failedAttempts.count == 2)
        #expect(transport.requests.count == 3)
    }

    @Test(.bug(id: "F249")) func `an error while the other attempt is under way says that it may have been sent`()
        async throws
    {
        let transport = Self.transport([
            { try await untilCancelled() },
            { throw TransportError(.untrustedCertificate, phase: .tlsHandshake, reason: "expired") },
        ])
        let session = self.session(transport)
        let call = Task { try await session.response(for: RetryTable.request("GET")) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .milliseconds(100))
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .untrustedCertificate)
        #expect(error?.isRequestSent == true)
    }

    @Test(.bug(id: "F249"), arguments: [true, false])
    func `an error after two attempts in parallel says whether either was sent`(_ isSent: Bool) async throws {
        let gate = Latch()
        let refused = TransportError(.connectFailed, phase: .connect, reason: "refused")
        let broken = TransportError(.connectionClosed, phase: .responseHead, reason: "cut", isRequestSent: true)
        let transport = Self.transport([
            {
                await gate.wait()
                throw isSent ? broken : refused
            },
            {
                gate.open()
                throw refused
            },
            { throw refused },
        ])
        let session = self.session(transport)
        let call = Task { try await session.response(for: RetryTable.request("GET")) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .milliseconds(100))
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .connectFailed)
        #expect(error?.isRequestSent == isSent)
        #expect(transport.requests.count == 3)
    }

    @Test(arguments: ["POST", "PUT with a body", "attempts", "budget"])
    func `a request that must not be doubled is not`(_ reason: String) async throws {
        let gate = Latch()
        let transport = Self.transport([
            {
                await gate.wait()
                return .plain("first")
            }
        ])
        var request = try RetryTable.request(reason == "POST" ? "POST" : "GET")
        if reason == "PUT with a body" { request = try RetryTable.request("PUT", body: "data") }
        let session = self.session(
            transport,
            Self.policy(attempts: reason == "attempts" ? 1 : 3),
            budget: reason == "budget" ? RetryBudget(share: 0, minimumPerSecond: 0) : nil
        )
        let call = Task { [request] in try await session.response(for: request) }
        if reason == "budget" { await self.clock.waitForSleeps(1) }
        while transport.requests.isEmpty { await Task.yield() }
        self.clock.advance(by: .seconds(1))
        for _ in 0..<1_000 { await Task.yield() }
        gate.open()
        #expect(try await call.value.status == .ok)
        #expect(transport.requests.count == 1)
    }

    /// What the other attempt gets.
    enum Other: String, CaseIterable, Sendable {
        case error, noTime, shorterTime

        func answer() throws -> TransportResponse {
            switch self {
            case .error:
                throw TransportError(.connectionClosed, phase: .responseHead, reason: "cut", isRequestSent: true)
            case .noTime: .plain("", status: 503)
            case .shorterTime: .plain("", status: 503, headers: [.retryAfter: "1"])
            }
        }
    }

    @Test(.bug(id: "F408"), arguments: [2, 3600], Other.allCases)
    func `the time that either answer asks for is waited for`(_ seconds: Int, _ other: Other) async throws {
        let (first, second) = (Latch(), Latch())
        let transport = Self.transport([
            {
                await first.wait()
                return .plain("", status: 429, headers: [.retryAfter: "\(seconds)"])
            },
            {
                first.open()
                await second.wait()
                return try other.answer()
            },
            { .plain("third") },
        ])
        let session = self.session(transport)
        let call = Task { try await session.response(for: RetryTable.request("GET")) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .milliseconds(100))
        while !self.events.names.contains("responseReceived 429") { await Task.yield() }
        second.open()
        guard seconds == 2 else {
            _ = await call.result
            #expect(transport.requests.count == 2)
            #expect(self.events.names.contains("retryRefused retryAfter"))
            return
        }
        await self.clock.waitForSleeps(2)
        self.clock.advance(by: .milliseconds(1_999))
        #expect(self.clock.sleeperCount == 1 && transport.requests.count == 2)
        self.clock.advance(by: .milliseconds(1))
        #expect(try await call.value.body == Data("third".utf8))
        #expect(transport.requests.count == 3)
    }

    @Test(.bug(id: "F414")) func `a suspended task starts no second attempt`() async throws {
        let transport = Self.transport([{ try await untilCancelled() }, { .plain("second") }])
        let session = self.session(transport)
        let task = session.dataTask(with: try RetryTable.request("GET"), serializer: HTTPResponseSerializer())
        task.resume()
        await self.clock.waitForSleeps(1)
        while transport.requests.isEmpty { await Task.yield() }
        task.suspend()
        self.clock.advance(by: .milliseconds(100))
        for _ in 0..<1_000 { await Task.yield() }
        #expect(transport.requests.count == 1)
        #expect(!self.events.names.contains("hedged"))
        task.resume()
        #expect(try await task.value == Data("second".utf8))
        #expect(transport.requests.count == 2)
    }

    /// How a call wants its response.
    enum Form: String, CaseIterable, Sendable {
        case response, value, stream, task

        func text(_ session: Session) async throws -> String {
            let request = try RetryTable.request("GET")
            switch self {
            case .response:
                return String(decoding: try await session.response(for: request).body, as: UTF8.self)
            case .value: return try await session.value(for: request, serializer: .string)
            case .stream:
                return String(buffer: try await session.send(request).body.collect(upTo: 100))
            case .task:
                let task = session.dataTask(with: request, serializer: .string)
                task.resume()
                return try await task.value
            }
        }
    }

    /// A body that comes when a latch is opened.
    private final class LateBody: ResponseBody.Source {
        private let latch: Latch
        private let isOver = Atomic(false)

        init(_ latch: Latch) { self.latch = latch }

        func next() async throws -> ByteBuffer? {
            if self.isOver.exchange(true, ordering: .relaxed) { return nil }
            await self.latch.wait()
            return ByteBuffer(string: "late")
        }
    }

    @Test(.bug(id: "F512"), arguments: Form.allCases)
    func `a response that has begun is not hedged, whatever the form of the call`(_ form: Form) async throws {
        let gate = Latch()
        let transport = StubTransport { request in
            guard request.responseMode == .streamed else {
                await gate.wait()
                return .plain("late")
            }
            return TransportResponse(status: .ok, body: ResponseBody(source: LateBody(gate), expectedLength: 4))
        }
        let session = self.session(transport)
        let call = Task { try await form.text(session) }
        // The wait for the second attempt has begun, and ended with the response's head.
        await self.clock.waitForSleeps(1)
        while self.clock.sleeperCount > 0 { await Task.yield() }
        self.clock.advance(by: .milliseconds(100))
        #expect(transport.requests.count == 1)
        gate.open()
        #expect(try await call.value == "late")
        #expect(!self.events.names.contains("hedged"))
    }

    @Test(.bug(id: "F512"), arguments: [nil, Duration.seconds(60)])
    func `a collected response that breaks off is a failed attempt where attempts are hedged`(
        _ totalTimeout: Duration?
    ) async throws {
        let cut = TransportError(.connectionClosed, phase: .responseBody, reason: "cut", isRequestSent: true)
        let transport = Self.transport([
            {
                let body = ScriptedBody([.text("fi"), .fail(cut)])
                return TransportResponse(status: .ok, body: ResponseBody(source: body, expectedLength: 5))
            },
            { .plain("second") },
        ])
        var request = try RetryTable.request("GET")
        request.options.totalTimeout = totalTimeout
        let response = try await self.session(transport).response(for: request)
        #expect(response.body == Data("second".utf8))
        #expect(response.failedAttempts.map(\.error?.code) == [.connectionClosed])
        #expect(self.events.names.contains("retryScheduled 1"))
    }

    @Test(.bug(id: "F513"), arguments: [false, true])
    func `a task names the request and the response of the attempt that has won`(_ isDownload: Bool) async throws {
        let (gate, count, directory) = (Latch(), Recorder<Int>(), try TemporaryDirectory())
        let transport = StubTransport { request in
            if request.target == "/slow" {
                gate.open()
                try await untilCancelled()
            }
            guard count.record(1) == 1 else { return .plain("", status: 302, headers: [.location: "/slow"]) }
            await gate.wait()
            return .plain("first", headers: [.server: "first"])
        }
        let session = self.session(transport)
        let request = try RetryTable.request("GET")
        let task: any AnySessionTask
        let end: @Sendable () async throws -> Void
        if isDownload {
            let download = session.downloadTask(with: request, to: directory.file("file"))
            (task, end) = (download, { _ = try await download.value })
        } else {
            let data = session.dataTask(with: request, serializer: HTTPResponseSerializer())
            (task, end) = (data, { _ = try await data.value })
        }
        task.resume()
        await self.clock.waitForSleeps(1)
        while transport.requests.isEmpty { await Task.yield() }
        self.clock.advance(by: .milliseconds(100))
        try await end()
        #expect(transport.requests.map(\.target) == ["/", "/", "/slow"])
        #expect(task.currentRequest.url.absoluteString == "http://h/")
        #expect(task.response?.request?.url.absoluteString == "http://h/")
        #expect(task.response?.headers[.server] == "first")
    }

    @Test func `cancellation ends both attempts`() async throws {
        let transport = StubTransport { _ in try await untilCancelled() }
        let session = self.session(transport)
        let call = Task { try await session.response(for: RetryTable.request("GET")) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .milliseconds(100))
        while transport.requests.count < 2 { await Task.yield() }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(self.events.names.last == "callCancelled")
    }

    @Test func `a hedged attempt's connection is closed over real sockets`() async throws {
        try await TestServer.withServer { server in
            let transport = try server.makeTransport()
            server.enqueue(
                ScriptedResponse(effect: .stall(.beforeResponse)),
                ScriptedResponse(body: "second")
            )
            let session = self.session(transport)
            let request = Request(url: try Peer.url(server.url))
            let call = Task { try await session.response(for: request) }
            _ = try await server.takeRequest()
            await self.clock.waitForSleeps(1)
            self.clock.advance(by: .milliseconds(100))
            #expect(try await call.value.body == Data("second".utf8))
            // The connection of the first attempt is gone, that of the second is kept.
            try await server.waitForConnections { $0.open == 1 }
            await transport.shutdown()
        }
    }
}
