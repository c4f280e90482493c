// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import MetricsTestKit
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct MetricsObserverTests {
    private static let duration = "http.client.request.duration"
    private static let active = "http.client.active_requests"

    private let metrics = TestMetrics()

    private func session(
        originLimit: Int = 100,
        interceptors: [any Interceptor] = [],
        clock: SessionClock = .system,
        _ answer: @escaping StubTransport.Answer
    ) -> Session {
        var configuration = Session.Configuration()
        configuration.observers = [.metrics(self.metrics, originLimit: originLimit)]
        configuration.interceptors = interceptors
        configuration.clock = clock
        return Session(configuration: configuration, transport: StubTransport(answer))
    }

    /// The dimensions of every duration that was recorded, as text.
    private var outcomes: [String] {
        self.metrics.timers(label: Self.duration)
            .flatMap { timer in
                timer.values.map { _ in timer.dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: " ") }
            }
            .sorted()
    }

    private static func request(_ text: String = "http://h:81/users?page=1", _ method: String = "GET") throws -> Request
    {
        Request(method: try #require(HTTPRequest.Method(rawValue: method)), url: try Peer.url(text))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var method = "GET"
        var answer: StubTransport.Answer
        var outcome: String
    }

    private static let at = "server.address=h server.port=81"

    private static let cases = [
        Case(
            testDescription: "200",
            answer: { _ in .plain("body") },
            outcome: "http.request.method=GET \(at) http.response.status_code=200"
        ),
        Case(
            testDescription: "404",
            answer: { _ in .plain("", status: 404) },
            outcome: "http.request.method=GET \(at) http.response.status_code=404 error.type=404"
        ),
        Case(
            testDescription: "an unknown method",
            method: "BREW",
            answer: { _ in .plain("body") },
            outcome: "http.request.method=_OTHER \(at) http.response.status_code=200"
        ),
        Case(
            testDescription: "an unknown status",
            answer: { _ in .plain("", status: 499) },
            outcome: "http.request.method=GET \(at) http.response.status_code=400 error.type=400"
        ),
        Case(
            testDescription: "a status without a class",
            answer: { _ in .plain("", status: 999) },
            outcome: "http.request.method=GET \(at) http.response.status_code=500 error.type=500"
        ),
        Case(
            testDescription: "no response",
            answer: { _ in throw TransportError(.connectFailed, phase: .connect, reason: "refused") },
            outcome: "http.request.method=GET \(at) error.type=connectFailed"
        ),
        Case(
            testDescription: "a body that breaks",
            answer: { _ in
                let failure = TransportError(
                    .connectionClosed,
                    phase: .responseBody,
                    reason: "cut",
                    isRequestSent: true
                )
                return TransportResponse(
                    status: .ok,
                    body: ResponseBody(source: ScriptedBody([.text("bo"), .fail(failure)]), expectedLength: nil)
                )
            },
            outcome: "http.request.method=GET \(at) http.response.status_code=200 error.type=connectionClosed"
        ),
    ]

    @Test(arguments: cases) func `an exchange is recorded once, by method, origin and outcome`(
        _ example: Case
    ) async throws {
        let session = self.session(example.answer)
        _ = try? await session.response(for: Self.request("http://h:81/users?page=1", example.method))
        #expect(self.outcomes == [example.outcome])
        let meter = try #require(self.metrics.meters(label: Self.active).first)
        #expect(meter.values == [1, 0])
    }

    @Test func `the duration reaches to the end of the body`() async throws {
        let clock = ManualSessionClock()
        let session = self.session(clock: clock.clock) { _ in
            clock.advance(by: .milliseconds(3))
            let body = ScriptedBody([.text("body")]) { count in
                if count == 2 { clock.advance(by: .milliseconds(4)) }
            }
            return TransportResponse(status: .ok, body: ResponseBody(source: body, expectedLength: nil))
        }
        let response = try await session.send(Self.request())
        #expect(self.outcomes.isEmpty)
        _ = try await response.body.collect(upTo: 10)
        #expect(self.metrics.timers(label: Self.duration).flatMap(\.values) == [7_000_000])
    }

    @Test func `a response that is dropped is recorded as cancelled`() async throws {
        let session = self.session { _ in
            TransportResponse(status: .ok, body: ResponseBody(source: ScriptedBody([.hang]), expectedLength: nil))
        }
        _ = try await session.send(Self.request())
        #expect(
            self.outcomes == ["http.request.method=GET \(Self.at) http.response.status_code=200 error.type=cancelled"]
        )
    }

    @Test func `each attempt is recorded, also one whose response nobody reads`() async throws {
        struct Twice: Interceptor {
            func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
                _ = try await next(request)
                return try await next(request)
            }
        }
        let count = Recorder<Int>()
        let session = self.session(interceptors: [Twice()]) { _ in
            .plain("", status: count.record(1) == 1 ? 503 : 200)
        }
        _ = try await session.response(for: Self.request())
        #expect(
            self.outcomes == [
                "http.request.method=GET \(Self.at) http.response.status_code=200",
                "http.request.method=GET \(Self.at) http.response.status_code=503 error.type=503",
            ]
        )
    }

    @Test(arguments: [true, false])
    func `of two attempts side by side each is recorded once`(_ secondWins: Bool) async throws {
        let clock = ManualSessionClock()
        let (gate, count) = (Latch(), Recorder<Int>())
        var configuration = Session.Configuration.retrying(clock: clock)
        configuration.retries.hedgingDelay = .milliseconds(100)
        configuration.observers = [.metrics(self.metrics)]
        let transport = StubTransport { _ in
            let isFirst = count.record(1) == 1
            if !isFirst { gate.open() }
            if isFirst == secondWins { try await untilCancelled() }
            await gate.wait()
            return .plain("won")
        }
        let session = Session(configuration: configuration, transport: transport)
        let call = Task { try await session.response(for: Self.request()) }
        await clock.waitForSleeps(1)
        clock.advance(by: .milliseconds(100))
        #expect(try await call.value.body.count == 3)
        #expect(
            self.outcomes == [
                "http.request.method=GET \(Self.at) error.type=cancelled",
                "http.request.method=GET \(Self.at) http.response.status_code=200",
            ]
        )
        let meter = try #require(self.metrics.meters(label: Self.active).first)
        #expect(meter.values == [1, 2, 1, 0])
    }

    enum Wait: String, CaseIterable, Sendable {
        case backOff, redirect, refresh

        var answer: TransportResponse {
            switch self {
            case .backOff: .plain("", status: 503)
            case .redirect: .plain("", status: 302, headers: [.location: "/end", .retryAfter: "10"])
            case .refresh: .plain("", status: 401)
            }
        }
    }

    @Test(.bug(id: "F274"), arguments: Wait.allCases)
    func `the wait between two exchanges belongs to neither of them`(_ wait: Wait) async throws {
        let clock = ManualSessionClock()
        var policy = RetryPolicy.slow()
        policy.backoff = RetryPolicy.Backoff(initial: .seconds(10), maximum: .seconds(10))
        var configuration = Session.Configuration.retrying(policy, clock: clock)
        configuration.observers = [.metrics(self.metrics)]
        let authenticator = FakeAuthenticator { _, _ in
            clock.advance(by: .seconds(10))
            return AccessToken("new")
        }
        let tokens = TokenSource(authenticator, token: AccessToken("old"))
        configuration.authentication = .tokens(tokens, for: Origin(scheme: .http, host: "h", port: 81))
        let count = Recorder<Int>()
        let transport = StubTransport { _ in
            count.record(1)
            clock.advance(by: .milliseconds(3))
            return count.elements.count == 1 ? wait.answer : .plain("")
        }
        let session = Session(configuration: configuration, transport: transport)
        let call = Task { try await session.response(for: Self.request()) }
        if wait != .refresh {
            await clock.waitForSleeps(1)
            #expect(self.metrics.meters(label: Self.active).first?.values == [1, 0])
            clock.advance(by: .seconds(10))
        }
        #expect(try await call.value.status == .ok)
        #expect(self.metrics.timers(label: Self.duration).flatMap(\.values) == [3_000_000, 3_000_000])
        #expect(self.metrics.meters(label: Self.active).first?.values == [1, 0, 1, 0])
    }

    @Test(.bug(id: "F510")) func `the exchange of a call that has left counts as nothing`() async throws {
        let observer = MetricsObserver(factory: self.metrics)
        let call = Call(try Self.request())
        for event in [CallEvent.callStarted, .exchangeStarted(call.originalRequest), .callCancelled] {
            observer.observe(event, of: call)
        }
        observer.observe(.exchangeStarted(call.originalRequest), of: call)
        #expect(self.metrics.meters(label: Self.active).first?.values == [1, 0])
    }

    @Test func `origins beyond the limit share one label`() async throws {
        let session = self.session(originLimit: 2) { _ in .plain("") }
        for host in ["a", "b", "c", "d", "a"] { _ = try await session.response(for: Self.request("http://\(host)/")) }
        let hosts = self.outcomes.compactMap { $0.split(separator: " ").first { $0.hasPrefix("server.address=") } }
        #expect(hosts.map { $0.dropFirst("server.address=".count) } == ["_OTHER", "_OTHER", "a", "a", "b"])
    }

    @Test(.bug(id: "F447"), arguments: [false, true])
    func `a body that breaks off is told the same, collected or streamed`(_ isStreamed: Bool) async throws {
        try await Peer.breakingOff(isStreamed: isStreamed) { $0.observers = [.metrics(self.metrics)] }
        #expect(self.outcomes.count == 1)
        #expect(
            self.outcomes.first?.hasSuffix("http.response.status_code=404 error.type=connectionClosed") == true,
            "\(self.outcomes)"
        )
    }

    @Test(.bug(id: "F447")) func `an attempt whose body breaks off is recorded with its error`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: .pattern(1_500), effect: .close(.afterBody(500))))
            server.enqueue(ScriptedResponse(body: .pattern(10)))
            var configuration = Session.Configuration.retrying()
            configuration.observers = [.metrics(self.metrics)]
            let session = Session(configuration: configuration, transport: try server.makeTransport())
            let response = try await session.response(for: Request(url: try Peer.url("\(server.url)/a")))
            #expect(response.body.count == 10)
            await session.transport.shutdown()
        }
        let ends = self.outcomes.map { $0.split(separator: " ").dropFirst(3).joined(separator: " ") }
        #expect(
            ends == [
                "http.response.status_code=200", "http.response.status_code=200 error.type=connectionClosed",
            ]
        )
    }

    @Test func `the sizes of both bodies are recorded`() async throws {
        let metrics = self.metrics
        try await TestServer.withServer { server in
            var configuration = Session.Configuration()
            configuration.observers = [.metrics(metrics)]
            let session = Session(configuration: configuration, transport: try server.makeTransport())
            server.respond(to: "/sizes") { _ in ScriptedResponse(body: .pattern(1_234)) }
            let url = try Peer.url("\(server.url)/sizes")
            _ = try await session.response(for: Request(method: .post, url: url, body: .data(Data(count: 567))))
            await session.transport.shutdown()
        }
        #expect(metrics.recorders(label: "http.client.request.body.size").flatMap(\.values) == [567])
        #expect(metrics.recorders(label: "http.client.response.body.size").flatMap(\.values) == [1_234])
    }
}
