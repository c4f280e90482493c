// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// The budget that all calls of a session share.
@Suite(.timeLimit(.minutes(1))) struct RetryBudgetTests {
    private let start = SessionClock.Instant.now

    private func withdrawals(_ account: RetryAccount, at seconds: Double) -> Int {
        let now = self.start.advanced(by: .seconds(seconds))
        var count = 0
        while count < 10_000, account.withdraw(at: now) { count += 1 }
        return count
    }

    @Test(
        arguments: [
            (0.2, 0, 100, 20), (0.2, 10, 0, 100), (0.2, 10, 1_000, 300), (1, 0, 7, 7), (0, 0, 1_000, 0), (2.5, 0, 2, 5),
            (0.001, 0, 1_000, 1), (.nan, 0, 1_000, 0), (-1, -1, 1_000, 0), (.infinity, 0, 1, 100),
            (0.2, .max, 0, 10_000),
        ] as [(Double, Int, Int, Int)]
    )
    func `a budget is a share of the calls and a number for each second`(
        _ share: Double,
        _ minimum: Int,
        _ calls: Int,
        _ expected: Int
    ) {
        let account = RetryAccount(RetryBudget(share: share, minimumPerSecond: minimum))
        for _ in 0..<calls { account.deposit(at: self.start) }
        #expect(self.withdrawals(account, at: 0) == expected)
    }

    @Test func `a budget can be changed within its range`() {
        var budget = RetryBudget()
        #expect(budget.share == 0.2 && budget.minimumPerSecond == 10)
        budget.share = .nan
        budget.minimumPerSecond = -3
        #expect(budget.share == 0 && budget.minimumPerSecond == 0)
    }

    @Test func `calls and retries count for ten seconds`() {
        let account = RetryAccount(RetryBudget(share: 1, minimumPerSecond: 1))
        for _ in 0..<5 { account.deposit(at: self.start) }
        for _ in 0..<3 { account.deposit(at: self.start.advanced(by: .seconds(4))) }
        #expect(self.withdrawals(account, at: 5) == 18)
        #expect(self.withdrawals(account, at: 9.9) == 0)
        // The first five calls are forgotten, and their tokens are gone: what was taken still counts.
        #expect(self.withdrawals(account, at: 11) == 0)
        // Everything is forgotten.
        #expect(self.withdrawals(account, at: 30) == 10)
        #expect(self.withdrawals(account, at: 30) == 0)
        #expect(self.withdrawals(account, at: 1_000_000_000) == 10)
    }

    @Test func `a clock that goes back is a clock that stands`() {
        let account = RetryAccount(RetryBudget(share: 0, minimumPerSecond: 1))
        #expect(self.withdrawals(account, at: 100) == 10)
        #expect(self.withdrawals(account, at: 0) == 0)
    }

    // MARK: In a session

    @Test func `a thousand calls to a server that fails make at most a third more requests`() async throws {
        try await TestServer.withServer { server in
            server.respond(to: "/") { _ in ScriptedResponse(status: .serviceUnavailable) }
            let transport = try server.makeTransport()
            let clock = ManualSessionClock()
            let configuration = Session.Configuration.retrying(
                .immediate(attempts: 4),
                clock: clock,
                budget: RetryBudget(share: 0.2, minimumPerSecond: 10)
            )
            let session = Session(configuration: configuration, transport: transport)
            let request = Request(url: try Peer.url(server.url))
            let attempts = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        var attempts = 0
                        for _ in 0..<50 {
                            let response = try await session.response(for: request)
                            #expect(response.status == .serviceUnavailable)
                            attempts += 1 + response.failedAttempts.count
                        }
                        return attempts
                    }
                }
                return try await group.reduce(0, +)
            }
            // Without a budget there would be 4,000. The clock stands, so that all calls fall into one second.
            #expect(attempts == 1_000 + 1_000 / 5 + 10 * 10)
            #expect(server.untakenRequestCount == attempts)
            await transport.shutdown()
        }
    }

    @Test func `a spent budget delivers what there is, and a policy of a request does not evade it`() async throws {
        let transport = StubTransport { _ in .plain("busy", status: 503) }
        let events = RetryEvents()
        var configuration = Session.Configuration.retrying(
            .never,
            clock: ManualSessionClock(),
            budget: RetryBudget(share: 0, minimumPerSecond: 0)
        )
        configuration.observers = [events]
        let session = Session(configuration: configuration, transport: transport)
        var request = try RetryTable.request("GET")
        request.retries = .immediate()
        let response = try await session.response(for: request)
        #expect(response.body == Data("busy".utf8))
        #expect(transport.requests.count == 1)
        #expect(events.names.contains("retryRefused budget"))
    }

    @Test(.bug(id: "F250")) func `a call that may be hedged counts once`() async throws {
        let transport = StubTransport { _ in .plain("busy", status: 503) }
        var policy = RetryPolicy.immediate(attempts: 5)
        policy.hedgingDelay = .milliseconds(100)
        let configuration = Session.Configuration.retrying(
            policy,
            clock: ManualSessionClock(),
            budget: RetryBudget(share: 0.1, minimumPerSecond: 0)
        )
        let session = Session(configuration: configuration, transport: transport)
        let request = try RetryTable.request("GET")
        for _ in 0..<100 { _ = try await session.response(for: request) }
        #expect(transport.requests.count == 100 + 10)
    }

    @Test func `a session without a budget has no limit`() async throws {
        let transport = StubTransport { _ in .plain("busy", status: 503) }
        let session = Session(configuration: .retrying(clock: ManualSessionClock()), transport: transport)
        let request = try RetryTable.request("GET")
        for _ in 0..<500 { _ = try await session.response(for: request) }
        #expect(transport.requests.count == 1_500)
    }
}
