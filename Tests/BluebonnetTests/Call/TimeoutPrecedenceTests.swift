// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// Which of the places that can name a limit counts, for the phases of an exchange and for the whole call.
@Suite(.timeLimit(.minutes(1))) struct TimeoutPrecedenceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var session: Timeouts
        var sessionOptions: Timeouts?
        var request: Timeouts?
        var totalTimeout: Duration?
        /// What the transport is asked for.
        var connect: Duration?
        var queue: Duration?
        var total: Duration?
    }

    private struct TotalLimit: Interceptor {
        var limit: Duration

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            var request = request
            var timeouts = Timeouts()
            timeouts.total = self.limit
            request.transport.timeouts = timeouts
            return try await next(request)
        }
    }

    private static func timeouts(_ seconds: Int, total: Int?) -> Timeouts {
        var timeouts = Timeouts()
        timeouts.connect = .seconds(seconds)
        timeouts.queue = .seconds(seconds + 1)
        timeouts.total = total.map { .seconds($0) }
        return timeouts
    }

    static let cases: [Case] = [
        Case(
            testDescription: "the session's",
            session: timeouts(1, total: 100),
            connect: .seconds(1),
            queue: .seconds(2),
            total: .seconds(100)
        ),
        Case(
            testDescription: "the session's transport options before its timeouts",
            session: timeouts(1, total: 100),
            sessionOptions: timeouts(3, total: 50),
            connect: .seconds(3),
            queue: .seconds(4),
            total: .seconds(50)
        ),
        Case(
            testDescription: "also where they are longer",
            session: timeouts(1, total: 50),
            sessionOptions: timeouts(3, total: 100),
            connect: .seconds(3),
            queue: .seconds(4),
            total: .seconds(100)
        ),
        Case(
            testDescription: "the session's total limit where its transport options have none",
            session: timeouts(1, total: 100),
            sessionOptions: timeouts(3, total: nil),
            connect: .seconds(3),
            queue: .seconds(4),
            total: .seconds(100)
        ),
        Case(
            testDescription: "the request's before both",
            session: timeouts(1, total: 100),
            sessionOptions: timeouts(3, total: 50),
            request: timeouts(5, total: 20),
            connect: .seconds(5),
            queue: .seconds(6),
            total: .seconds(20)
        ),
        Case(
            testDescription: "the session's total limit where the request has none",
            session: timeouts(1, total: nil),
            sessionOptions: timeouts(3, total: 50),
            request: timeouts(5, total: nil),
            connect: .seconds(5),
            queue: .seconds(6),
            total: .seconds(50)
        ),
        Case(
            testDescription: "the request's total limit where the session has none",
            session: timeouts(1, total: nil),
            request: timeouts(5, total: 20),
            connect: .seconds(5),
            queue: .seconds(6),
            total: .seconds(20)
        ),
        Case(
            testDescription: "totalTimeout before all",
            session: timeouts(1, total: 10),
            request: timeouts(5, total: 200),
            totalTimeout: .seconds(150),
            connect: .seconds(5),
            queue: .seconds(6),
            total: .seconds(150)
        ),
        Case(
            testDescription: "no limit at all",
            session: timeouts(1, total: nil),
            connect: .seconds(1),
            queue: .seconds(2),
            total: nil
        ),
    ]

    private static func session(_ one: Case, clock: ManualSessionClock, transport: StubTransport) -> Session {
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        configuration.timeouts = one.session
        configuration.transportOptions.timeouts = one.sessionOptions
        configuration.maximumConcurrentRequests = 1
        return Session(configuration: configuration, transport: transport)
    }

    private static func request(_ one: Case) throws -> Request {
        var request = Request(url: try Peer.url("http://h/"))
        if let timeouts = one.request { request.transport.timeouts = timeouts }
        request.options.totalTimeout = one.totalTimeout
        return request
    }

    @Test(.bug(id: "F55"), arguments: cases) func `what the transport is asked for`(_ one: Case) async throws {
        let asked = Mutex<Timeouts?>(nil)
        let transport = StubTransport { request in
            asked.withLock { $0 = request.timeouts }
            return .plain("a")
        }
        let session = Self.session(one, clock: ManualSessionClock(), transport: transport)
        _ = try await session.response(for: try Self.request(one))
        let timeouts = try #require(asked.withLock { $0 })
        #expect(timeouts.connect == one.connect)
        #expect(timeouts.queue == one.queue)
        #expect(timeouts.total == one.total)
    }

    @Test(.bug(id: "F55"), arguments: cases) func `how long a call waits in the session's queue`(
        _ one: Case
    ) async throws {
        let clock = ManualSessionClock()
        let session = Self.session(one, clock: clock, transport: StubTransport { _ in try await untilCancelled() })
        var endless = Request(url: try Peer.url("http://h/"))
        endless.options.totalTimeout = .seconds(1_000_000)
        let first = Task { [endless] in try await session.response(for: endless) }
        while session.admission.counts.active != 1 { await Task.yield() }
        let request = try Self.request(one)
        let second = Task { try await session.response(for: request) }
        await clock.waitForSleeps(1)
        clock.advance(by: try #require(one.queue))
        let error = await #expect(throws: SessionError.self) { try await second.value }
        #expect(error?.code == .timedOut)
        #expect(error?.phase == .queue)
        first.cancel()
        _ = await first.result
    }

    @Test(.bug(id: "F55"))
    func `an interceptor can shorten the limit on an exchange, and not lengthen that on the call`()
        async throws
    {
        for (limit, expected) in [(Duration.seconds(5), Duration.seconds(5)), (.seconds(500), .seconds(100))] {
            let asked = Mutex<Duration?>(nil)
            let transport = StubTransport { request in
                asked.withLock { $0 = request.timeouts.total }
                return .plain("a")
            }
            var configuration = Session.Configuration()
            configuration.clock = ManualSessionClock().clock
            configuration.timeouts.total = .seconds(100)
            configuration.interceptors = [TotalLimit(limit: limit)]
            _ = try await Session(configuration: configuration, transport: transport)
                .response(for: Request(url: try Peer.url("http://h/")))
            #expect(asked.withLock { $0 } == expected)
        }
    }
}
