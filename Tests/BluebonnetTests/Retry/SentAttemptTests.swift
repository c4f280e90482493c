// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Whether the error of a call says that the request may have been sent, over all its attempts.
@Suite(.timeLimit(.minutes(1))) struct SentAttemptTests {
    enum Attempt: String, Sendable {
        case refused, broken, unavailable

        fileprivate var result: Result<TransportResponse, any Error> {
            switch self {
            case .refused: .failure(TransportError(.connectFailed, phase: .connect, reason: "refused"))
            case .broken:
                .failure(
                    TransportError(.connectionClosed, phase: .responseHead, reason: "cut", isRequestSent: true)
                )
            case .unavailable: .success(.plain("", status: 503))
            }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var attempts: [Attempt]
        var isSent: Bool

        var testDescription: String { self.attempts.map(\.rawValue).joined(separator: ", ") }
    }

    static let cases: [Case] = [
        Case(attempts: [.broken, .refused], isSent: true),
        Case(attempts: [.unavailable, .refused], isSent: true),
        Case(attempts: [.broken, .refused, .refused], isSent: true),
        Case(attempts: [.refused, .broken], isSent: true),
        Case(attempts: [.refused, .refused], isSent: false),
    ]

    @Test(.bug(id: "F249"), arguments: Self.cases)
    func `an error says that the request was sent if any attempt was`(_ one: Case) async throws {
        let transport = StubTransport(responses: one.attempts.map(\.result))
        let session = Session(
            configuration: .retrying(.immediate(attempts: one.attempts.count)),
            transport: transport
        )
        let error = await #expect(throws: SessionError.self) {
            try await session.response(for: RetryTable.request("GET"))
        }
        #expect(error?.isRequestSent == one.isSent)
        #expect(error?.failedAttempts.count == one.attempts.count - 1)
        #expect(transport.requests.count == one.attempts.count)
    }

    @Test(.bug(id: "F249")) func `an error says that the request was sent if an earlier attempt was redirected`()
        async throws
    {
        let transport = StubTransport { request in
            guard request.target == "/" else { return try Attempt.refused.result.get() }
            return TransportResponse(status: .found, headers: [.location: "/end"])
        }
        let session = Session(configuration: .retrying(.immediate(attempts: 2)), transport: transport)
        let error = await #expect(throws: SessionError.self) {
            try await session.response(for: RetryTable.request("GET"))
        }
        #expect(error?.code == .connectFailed)
        #expect(error?.isRequestSent == true)
        #expect(transport.requests.map(\.target) == ["/", "/end", "/", "/end"])
    }

    private struct RecordingErrors: Interceptor {
        let record: @Sendable (SessionError) -> Void

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            do {
                return try await next(request)
            } catch let error as SessionError {
                self.record(error)
                throw error
            }
        }
    }

    private struct Repeating: Interceptor {
        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            _ = try await next(request)
            return try await next(request)
        }
    }

    @Test(.bug(id: "F678"), arguments: ["POST", "GET"])
    func `an error after a redirect says that the request was sent`(_ method: String) async throws {
        let transport = StubTransport { request in
            guard request.target == "/" else { return try Attempt.refused.result.get() }
            return TransportResponse(status: .seeOther, headers: [.location: "/end"])
        }
        let session = Session(configuration: .retrying(.never), transport: transport)
        let error = await #expect(throws: SessionError.self) {
            try await session.response(for: RetryTable.request(method))
        }
        #expect(error?.code == .connectFailed)
        #expect(error?.isRequestSent == true)
        #expect(transport.requests.map(\.target) == ["/", "/end"])
    }

    @Test(.bug(id: "F678")) func `an interceptor sees that a request was sent before it was redirected`() async throws {
        let seen = Recorder<Bool>()
        var configuration = Session.Configuration()
        configuration.interceptors = [
            RecordingErrors { seen.record($0.isRequestSent) }
        ]
        let transport = StubTransport { request in
            guard request.target == "/" else { return try Attempt.refused.result.get() }
            return TransportResponse(status: .seeOther, headers: [.location: "/end"])
        }
        let session = Session(configuration: configuration, transport: transport)
        await #expect(throws: SessionError.self) { try await session.response(for: RetryTable.request("POST")) }
        #expect(seen.elements == [true])
    }

    @Test(.bug(id: "F678")) func `an error after an exchange of an interceptor says that the request was sent`()
        async throws
    {
        let transport = StubTransport(responses: [Attempt.unavailable.result, Attempt.refused.result])
        var configuration = Session.Configuration()
        configuration.interceptors = [Repeating()]
        let session = Session(configuration: configuration, transport: transport)
        let error = await #expect(throws: SessionError.self) {
            try await session.response(for: RetryTable.request("POST"))
        }
        #expect(error?.code == .connectFailed)
        #expect(error?.isRequestSent == true)
    }

    @Test(.bug(id: "F327"), arguments: [Attempt.broken, .unavailable])
    func `an attempt that joined another call's exchange counts as sent`(_ first: Attempt) async throws {
        let (latch, count) = (Latch(), Recorder<Void>())
        let transport = StubTransport { _ in
            count.record(())
            guard count.elements.count == 1 else { return try Attempt.refused.result.get() }
            await latch.wait()
            return try first.result.get()
        }
        var configuration = Session.Configuration.retrying(.immediate(attempts: 2))
        configuration.deduplication = .identical
        let session = Session(configuration: configuration, transport: transport)
        let request = try RetryTable.request("GET")
        let calls = (0..<2).map { _ in Task { try await session.response(for: request) } }
        while try #require(session.sharedExchanges).waiterCount < 2 { await Task.yield() }
        latch.open()
        for call in calls {
            let error = await #expect(throws: SessionError.self) { try await call.value }
            #expect(error?.code == .connectFailed)
            #expect(error?.isRequestSent == true)
        }
    }
}
