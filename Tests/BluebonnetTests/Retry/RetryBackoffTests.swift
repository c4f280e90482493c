// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// How long a call waits before an attempt, and what ends the wait.
@Suite(.timeLimit(.minutes(1))) struct RetryBackoffTests {
    private let clock = ManualSessionClock()
    private let request: Request

    init() throws {
        self.request = try RetryTable.request("GET")
    }

    private func session(_ transport: StubTransport, _ policy: RetryPolicy = .slow()) -> Session {
        Session(configuration: .retrying(policy, clock: self.clock), transport: transport)
    }

    // MARK: The time

    @Test func `the ceiling doubles up to the maximum`() {
        let backoff = RetryPolicy.Backoff()
        let ceilings = (1...8).map { backoff.ceiling(afterAttempt: $0) }
        #expect(ceilings == [0.5, 1, 2, 4, 8, 16, 20, 20].map { .seconds($0) })
        #expect(backoff.ceiling(afterAttempt: .max) == .seconds(20))
        #expect(backoff.ceiling(afterAttempt: .min) == .milliseconds(500))
        #expect(RetryPolicy.Backoff.none.ceiling(afterAttempt: .max) == .zero)
        #expect(RetryPolicy.Backoff(initial: .seconds(5), maximum: .seconds(2)).ceiling(afterAttempt: 1) == .seconds(2))
    }

    @Test func `durations out of range are clamped, when they are given and when they are set`() {
        var backoff = RetryPolicy.Backoff(initial: .seconds(Int64.max), maximum: .seconds(-1))
        #expect(backoff.initial == .seconds(86_400) && backoff.maximum == .zero)
        backoff.initial = .seconds(-1)
        backoff.maximum = .seconds(Int64.max)
        #expect(backoff.initial == .zero && backoff.maximum == .seconds(86_400))
        #expect(backoff.delay(afterAttempt: 3, random: .infinity) == .zero)
    }

    @Test func `the time is any part of the ceiling`() {
        let backoff = RetryPolicy.Backoff(initial: .seconds(2))
        #expect(backoff.delay(afterAttempt: 1, random: 0) == .zero)
        #expect(backoff.delay(afterAttempt: 1, random: 0.25) == .milliseconds(500))
        #expect(backoff.delay(afterAttempt: 2, random: 1) == .seconds(4))
        let random = RetryPolicy.idempotent().surroundings.random
        let numbers = (0..<1_000).map { _ in random() }
        #expect(numbers.allSatisfy { (0...1).contains($0) })
        #expect(numbers.contains { $0 < 0.1 } && numbers.contains { $0 > 0.9 })
    }

    @Test func `a call waits before each attempt on the clock of its session`() async throws {
        let transport = StubTransport { _ in .plain("busy", status: 503) }
        let session = self.session(transport, .slow(attempts: 4))
        let call = Task { try await session.response(for: self.request) }
        for (count, seconds) in [(1, 0.5), (2, 1), (3, 2)] {
            await self.clock.waitForSleeps(count)
            self.clock.advance(by: .seconds(seconds) - .nanoseconds(1))
            #expect(transport.requests.count == count)
            self.clock.advance(by: .nanoseconds(1))
        }
        let response = try await call.value
        #expect(response.status == .serviceUnavailable)
        #expect(transport.requests.count == 4)
        #expect(response.failedAttempts.map(\.delay) == [0.5, 1, 2].map { .seconds($0) })
        #expect(response.failedAttempts.map(\.number) == [1, 2, 3])
    }

    // MARK: What ends it

    @Test(arguments: [Duration.seconds(2), .seconds(-1), .seconds(Int64.max)])
    func `a function's delay may be of any length`(_ delay: Duration) async throws {
        let transport = StubTransport(responses: [.success(.plain("", status: 500)), .success(.plain("done"))])
        let session = self.session(transport, RetryPolicy { _ in .retry(after: delay) })
        let call = Task { try await session.response(for: self.request) }
        if delay > .zero {
            await self.clock.waitForSleeps(1)
            self.clock.advance(by: delay)
        }
        #expect(try await call.value.status == .ok)
    }

    @Test func `cancellation ends the wait`() async throws {
        let transport = StubTransport { _ in .plain("busy", status: 503) }
        let session = self.session(transport)
        let call = Task { try await session.response(for: self.request) }
        await self.clock.waitForSleeps(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(transport.requests.count == 1)
    }

    @Test func `cancelling a task ends the wait`() async throws {
        let transport = StubTransport { _ in .plain("busy", status: 503) }
        let task = self.session(transport).dataTask(with: self.request, serializer: .data)
        task.resume()
        await self.clock.waitForSleeps(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [(499, 1), (500, 1), (501, 2), (1_500, 2), (1_501, 3)])
    func `a wait that would pass the deadline does not begin`(_ milliseconds: Int, _ expected: Int) async throws {
        let transport = StubTransport { _ in .plain("busy", status: 503) }
        var request = self.request
        request.options.totalTimeout = .milliseconds(milliseconds)
        let session = self.session(transport)
        let call = Task { [request] in try await session.response(for: request) }
        for (count, seconds) in [(1, 0.5), (2, 1)] where count < expected {
            await self.clock.waitForSleeps(count)
            self.clock.advance(by: .seconds(seconds))
        }
        // At once, without any further turn of the clock.
        let response = try await call.value
        #expect(response.status == .serviceUnavailable && response.body == Data("busy".utf8))
        #expect(transport.requests.count == expected)
    }

    @Test func `a wait that would pass the deadline delivers the last error`() async throws {
        let transport = StubTransport { _ in
            throw TransportError(.connectFailed, phase: .connect, reason: "refused")
        }
        var request = self.request
        request.options.totalTimeout = .milliseconds(400)
        let error = await #expect(throws: SessionError.self) {
            try await self.session(transport).response(for: request)
        }
        #expect(error?.code == .connectFailed && error?.reason == "refused")
    }

    @Test func `each attempt is given what is left of the call's time`() async throws {
        let transport = StubTransport { _ in .plain("busy", status: 503) }
        var request = self.request
        request.options.totalTimeout = .seconds(5)
        let session = self.session(transport)
        let call = Task { [request] in try await session.response(for: request) }
        for (count, seconds) in [(1, 0.5), (2, 1)] {
            await self.clock.waitForSleeps(count)
            self.clock.advance(by: .seconds(seconds))
        }
        _ = try await call.value
        #expect(transport.requests.map(\.timeouts.total) == [5, 4.5, 3.5].map { .seconds($0) })
    }

    @Test func `a suspended task begins no attempt`() async throws {
        let transport = StubTransport(responses: [.success(.plain("", status: 503)), .success(.plain("done"))])
        let task = self.session(transport).dataTask(with: self.request, serializer: .string)
        task.resume()
        await self.clock.waitForSleeps(1)
        task.suspend()
        self.clock.advance(by: .seconds(1))
        for _ in 0..<1_000 { await Task.yield() }
        #expect(transport.requests.count == 1)
        task.resume()
        #expect(try await task.value == "done")
    }
}
