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
        var expected: Timeouts
    }

    private struct TotalLimit: Interceptor {
        var limit: Duration

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            var request = request
            var timeouts = Timeouts()
            timeouts.total = self.limit
            request.transportOptions.timeouts = timeouts
            return try await next(request)
        }
    }

    /// Limits that can be told apart by the seconds for connecting; a total limit where one is given.
    private static func limits(_ seconds: Int, total: Int? = nil) -> Timeouts {
        var timeouts = Timeouts()
        timeouts.connect = .seconds(seconds)
        timeouts.queue = .seconds(seconds + 1)
        timeouts.total = total.map { .seconds($0) }
        return timeouts
    }

    private static func totals(
        _ name: String,
        session: Int?,
        options: Int? = nil,
        request: Int? = nil,
        totalTimeout: Int? = nil,
        expected: Int?
    ) -> Case {
        Case(
            testDescription: "total: \(name)",
            session: Self.limits(1, total: session),
            sessionOptions: options.map { Self.limits(1, total: $0) },
            request: request.map { Self.limits(1, total: $0) },
            totalTimeout: totalTimeout.map { .seconds($0) },
            expected: Self.limits(1, total: expected)
        )
    }

    static let cases: [Case] = [
        Case(testDescription: "the session's", session: limits(1), expected: limits(1)),
        Case(
            testDescription: "the session's transport options before its timeouts, and its total where they have none",
            session: limits(1, total: 100),
            sessionOptions: limits(3),
            expected: limits(3, total: 100)
        ),
        Case(
            testDescription: "the request's before both, and the session's total where it has none",
            session: limits(1),
            sessionOptions: limits(3, total: 50),
            request: limits(5),
            expected: limits(5, total: 50)
        ),
        totals("the session's", session: 100, expected: 100),
        totals("its transport options'", session: 100, options: 50, expected: 50),
        totals("also where that is longer", session: 50, options: 100, expected: 100),
        totals("the request's", session: 100, options: 50, request: 20, expected: 20),
        totals("also where that is longer than all", session: 10, options: 50, request: 200, expected: 200),
        totals("the request's where the session has none", session: nil, request: 20, expected: 20),
        totals("totalTimeout before the session's", session: 10, totalTimeout: 150, expected: 150),
        totals(
            "totalTimeout before its transport options'",
            session: nil,
            options: 10,
            totalTimeout: 150,
            expected: 150
        ),
        totals("totalTimeout before the request's", session: 10, request: 200, totalTimeout: 150, expected: 150),
        totals(
            "totalTimeout where it is longer than the request's",
            session: 10,
            request: 20,
            totalTimeout: 150,
            expected: 150
        ),
        totals("none at all", session: nil, expected: nil),
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
        if let timeouts = one.request { request.transportOptions.timeouts = timeouts }
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
        #expect(timeouts == one.expected)
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
        clock.advance(by: try #require(one.expected.queue))
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
