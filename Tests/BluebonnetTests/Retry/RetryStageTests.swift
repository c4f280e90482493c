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

/// How retries fit into the chain: events and records, redirects, bodies, policies of requests and of programs.
@Suite(.timeLimit(.minutes(1))) struct RetryStageTests {
    private func session(
        _ transport: StubTransport,
        _ policy: RetryPolicy = .immediate(),
        _ change: (inout Session.Configuration) -> Void = { _ in }
    ) -> Session {
        var configuration = Session.Configuration.retrying(policy)
        change(&configuration)
        return Session(configuration: configuration, transport: transport)
    }

    private static let refused = TransportError(.connectFailed, phase: .connect, reason: "refused")

    // MARK: Events and records

    @Test func `each attempt is an event and a record`() async throws {
        var measured = TransportResponse.plain("busy", status: 503)
        measured.metrics.requestByteCount = 17
        let transport = StubTransport(responses: [
            .failure(Self.refused), .success(measured), .success(.plain("done")),
        ])
        let events = RetryEvents()
        let session = self.session(transport) { $0.observers = [events] }
        let response = try await session.response(for: RetryTable.request("GET"))
        #expect(
            events.names == [
                "exchangeStarted 1.1", "exchangeFailed connectFailed", "retryScheduled 1",
                "exchangeStarted 2.1", "responseReceived 503", "retryScheduled 2",
                "exchangeStarted 3.1", "responseReceived 200", "callEnded",
            ]
        )
        let attempts = response.failedAttempts
        #expect(attempts.map(\.number) == [1, 2])
        #expect(attempts.map(\.error?.code) == [.connectFailed, nil])
        #expect(attempts.map(\.status?.code) == [nil, 503])
        #expect(attempts.map(\.metrics?.requestByteCount) == [nil, 17])
    }

    @Test func `why there is no other attempt is an event`() async throws {
        func refusal(_ method: String, body: String = "none", _ headers: HTTPFields = [:]) async throws -> [String] {
            let transport = StubTransport { _ in .plain("", status: 503, headers: headers) }
            let events = RetryEvents()
            let session = self.session(transport, .immediate(attempts: 2)) { $0.observers = [events] }
            _ = try await session.response(for: RetryTable.request(method, body: body))
            return events.names.filter { $0.utf8.starts(with: "retry".utf8) }
        }
        #expect(try await refusal("GET") == ["retryScheduled 1", "retryRefused attempts"])
        #expect(try await refusal("POST") == ["retryRefused request"])
        #expect(try await refusal("PUT", body: "once") == ["retryRefused body"])
        #expect(try await refusal("GET", [.retryAfter: "3600"]) == ["retryRefused retryAfter"])
    }

    @Test func `the error of the last attempt knows the attempts before it`() async throws {
        let transport = StubTransport(responses: [
            .success(.plain("", status: 500)), .failure(Self.refused),
            .failure(TransportError(.untrustedCertificate, phase: .tlsHandshake, reason: "expired")),
        ])
        let error = await #expect(throws: SessionError.self) {
            try await self.session(transport, .immediate(attempts: 9)).response(for: RetryTable.request("GET"))
        }
        #expect(error?.code == .untrustedCertificate)
        #expect(error?.failedAttempts.map(\.status?.code) == [500, nil])
    }

    // MARK: Redirects

    @Test func `an attempt follows its redirects anew, with its body`() async throws {
        let transport = StubTransport { request in
            switch request.target {
            case "/": TransportResponse(status: .temporaryRedirect, headers: [.location: "/end"])
            default: .plain("busy", status: 503)
            }
        }
        let events = RetryEvents()
        let session = self.session(transport, .immediate(attempts: 2)) { $0.observers = [events] }
        let response = try await session.response(for: RetryTable.request("PUT", body: "data"))
        #expect(transport.requests.map(\.target) == ["/", "/end", "/", "/end"])
        #expect(
            try transport.requests.map { String(buffer: try $0.body.collect()) } == Array(repeating: "body", count: 4)
        )
        #expect(response.url?.absoluteString == "http://h/end")
        #expect(response.history.count == 1 && response.failedAttempts.count == 1)
        #expect(
            events.names.filter { $0.utf8.starts(with: "exchangeStarted".utf8) }.map { String($0.suffix(3)) } == [
                "1.1", "1.2", "2.1", "2.2",
            ]
        )
    }

    @Test func `a task knows the request that was answered, and the one that it was made with`() async throws {
        let count = Recorder<Int>()
        let transport = StubTransport { request in
            count.record(1)
            switch request.target {
            case "/": return TransportResponse(status: .found, headers: [.location: "/end"])
            default: return count.elements.count < 4 ? .plain("busy", status: 503) : .plain("done")
            }
        }
        let task = self.session(transport).dataTask(with: try RetryTable.request("GET"), serializer: .string)
        task.resume()
        #expect(try await task.value == "done")
        #expect(task.originalRequest.url.absoluteString == "http://h/")
        #expect(task.currentRequest.url.absoluteString == "http://h/end")
        #expect(task.response?.status == .ok)
        #expect(task.response?.failedAttempts.map(\.status?.code) == [503])
    }

    @Test func `a request that was sent before its redirect failed counts as sent`() async throws {
        let transport = StubTransport { request in
            // The order is accepted; the page that confirms it cannot be reached.
            guard request.method == .get else {
                return TransportResponse(status: .seeOther, headers: [.location: "http://other/end"])
            }
            throw Self.refused
        }
        let error = await #expect(throws: SessionError.self) {
            try await self.session(transport).response(for: RetryTable.request("POST", body: "data"))
        }
        #expect(error?.code == .connectFailed && error?.isRequestSent == true)
        #expect(transport.requests.map(\.method) == [.post, .get])
    }

    @Test func `an attempt of a POST that was sent is not forgotten by an interceptor's own error`() async throws {
        struct Validating: Interceptor {
            func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
                _ = try await next(request)
                throw SessionError(.connectionClosed, reason: "not what it should be")
            }
        }
        let transport = StubTransport()
        let session = self.session(transport) { $0.networkInterceptors = [Validating()] }
        await #expect(throws: SessionError.self) {
            try await session.response(for: RetryTable.request("POST", body: "data"))
        }
        #expect(transport.requests.count == 1)
    }

    // MARK: Whose policy

    @Test func `the policy of a request goes before that of its session`() async throws {
        let transport = StubTransport { _ in .plain("", status: 503) }
        var request = try RetryTable.request("GET")
        request.retries = RetryPolicy.never
        _ = try await self.session(transport).response(for: request)
        #expect(transport.requests.count == 1)
        request.retries = .immediate(attempts: 5)
        _ = try await self.session(transport, .never).response(for: request)
        #expect(transport.requests.count == 6)
        request.retries = nil
        _ = try await self.session(transport, .never).response(for: request)
        #expect(transport.requests.count == 7)
    }

    @Test func `an interceptor can give a request a policy`() async throws {
        struct Persistent: Interceptor {
            func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
                var request = request
                request.retries = .immediate(attempts: 4)
                return try await next(request)
            }
        }
        let transport = StubTransport { _ in .plain("", status: 503) }
        let session = self.session(transport, .never) { $0.interceptors = [Persistent()] }
        _ = try await session.response(for: RetryTable.request("GET"))
        #expect(transport.requests.count == 4)
    }

    @Test func `a session that retries nothing has no stage for it`() {
        func stages(_ configuration: Session.Configuration) -> [String] {
            configuration.makeStages(StubTransport()).map { "\(type(of: $0))" }
        }
        let rest = ["RedirectStage", "AuthenticationStage"]
        let browser = ["RedirectStage", "AuthenticationStage", "CookieStage", "HeadersStage", "CacheStage"]
        let end = ["ProxyChallengeStage", "ExchangeStage"]
        #expect(stages(.default) == rest + end)
        #expect(stages(.resilient) == ["RetryStage"] + rest + end)
        #expect(stages(.browserLike) == browser + ["ProxyChallengeStage", "DeduplicationStage", "ExchangeStage"])
    }

    @Test func `a resilient session retries within its numbers`() {
        let configuration = Session.Configuration.resilient
        #expect(configuration.retries.maximumAttempts == 4)
        #expect(
            (1...3).map { configuration.retries.backoff.ceiling(afterAttempt: $0) } == [0.5, 1, 2].map { .seconds($0) }
        )
        #expect(configuration.retries.retryAfterLimit == .seconds(60))
        #expect(configuration.retryBudget == RetryBudget(share: 0.2, minimumPerSecond: 10))
        #expect(Session.Configuration.default.retries.isNone)
    }

    // MARK: A function decides

    @Test func `a function sees each failure with what the rules propose, and decides`() async throws {
        let contexts = Recorder<RetryContext>()
        let transport = StubTransport(responses: [
            .success(.plain("not yet", status: 404)), .failure(Self.refused),
            .success(.plain("", status: 429, headers: [.retryAfter: "3600"])), .success(.plain("done")),
        ])
        let policy = RetryPolicy(attempts: 9) { context in
            contexts.record(context)
            return .retry(after: .zero)
        }
        let response = try await self.session(transport, policy).response(for: RetryTable.request("POST", body: "data"))
        #expect(response.body == Data("done".utf8))
        let seen = contexts.elements
        #expect(seen.map(\.attempt) == [1, 2, 3])
        #expect(seen.map(\.response?.status.code) == [404, nil, 429])
        #expect(seen.map(\.error?.code) == [nil, .connectFailed, nil])
        #expect(seen.map(\.isRequestSent) == [true, false, true])
        #expect(seen.map(\.retryAfter) == [nil, nil, .seconds(3_600)])
        #expect(seen.map { $0.proposal == .stop } == [true, false, true])
    }

    @Test func `a function's limits are those of the policy`() async throws {
        let transport = StubTransport { _ in .plain("", status: 404) }
        let session = self.session(transport, RetryPolicy(attempts: 4) { _ in .retry(after: .zero) })
        _ = try await session.response(for: RetryTable.request("GET"))
        #expect(transport.requests.count == 4)
        _ = try await session.response(for: RetryTable.request("POST", body: "once"))
        #expect(transport.requests.count == 5)
    }

    @Test func `a function may stop, and what it throws the call throws`() async throws {
        struct Refused: Error {}
        let transport = StubTransport { _ in .plain("", status: 503) }
        let request = try RetryTable.request("GET")
        let stopping = self.session(transport, RetryPolicy { _ in .stop })
        #expect(try await stopping.response(for: request).status == .serviceUnavailable)
        let throwing = self.session(transport, RetryPolicy { _ in throw Refused() })
        let error = await #expect(throws: SessionError.self) { try await throwing.response(for: request) }
        #expect(error?.underlying is Refused)
        #expect(transport.requests.count == 2)
    }

    @Test func `a function that does not return ends with the call's deadline`() async throws {
        let clock = ManualSessionClock()
        let transport = StubTransport { _ in .plain("", status: 503) }
        let policy = RetryPolicy { _ in try await untilCancelled() }
        let session = Session(configuration: .retrying(policy, clock: clock), transport: transport)
        var request = try RetryTable.request("GET")
        request.options.totalTimeout = .seconds(3)
        let call = Task { [request] in try await session.response(for: request) }
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(3))
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .timedOut)
    }

    // MARK: Bodies of responses

    @Test(arguments: [10, 64 * 1024, 64 * 1024 + 1])
    func `the body of a failed attempt is read within its bound`(_ byteCount: Int) async throws {
        let clock = ManualSessionClock()
        let body = ScriptedBody([.bytes(byteCount)])
        let transport = StubTransport(responses: [
            .success(TransportResponse(status: .badGateway, body: ResponseBody(source: body, expectedLength: nil))),
            .success(.plain("done")),
        ])
        let session = Session(configuration: .retrying(.slow(), clock: clock), transport: transport)
        let call = Task { try await session.response(for: RetryTable.request("GET")) }
        await clock.waitForSleeps(1)
        while body.readCount < (byteCount > 64 * 1024 ? 1 : 2) { await Task.yield() }
        clock.advance(by: .seconds(1))
        #expect(try await call.value.body == Data("done".utf8))
        #expect(body.readCount == (byteCount > 64 * 1024 ? 1 : 2))
    }

    @Test func `a server that does not end the body of a failed attempt holds nobody up`() async throws {
        let clock = ManualSessionClock()
        let body = ScriptedBody([.bytes(1), .hang])
        let transport = StubTransport(responses: [
            .success(TransportResponse(status: .badGateway, body: ResponseBody(source: body, expectedLength: nil))),
            .success(.plain("done")),
        ])
        let session = Session(configuration: .retrying(.slow(), clock: clock), transport: transport)
        let call = Task { try await session.response(for: RetryTable.request("GET")) }
        await clock.waitForSleeps(1)
        while body.readCount < 2 { await Task.yield() }
        clock.advance(by: .milliseconds(500))
        #expect(try await call.value.body == Data("done".utf8))
    }

    @Test func `progress begins anew with each attempt`() async throws {
        let transport = StubTransport { request in
            _ = try request.body.collect()
            return .plain("busy", status: 503)
        }
        let monitor = TransferMonitor()
        let request = try RetryTable.request("PUT", body: "stream")
        _ = try await self.session(transport).response(for: request, monitor: monitor)
        #expect(monitor.upload.current == TransferProgress(completed: 4, total: 4))
        #expect(monitor.download.current == TransferProgress(completed: 4, total: 4))
        #expect(transport.requests.count == 3)
    }
}
