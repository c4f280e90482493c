// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Calls that leave a shared exchange, and shared exchanges that fail.
@Suite(.timeLimit(.minutes(1))) struct DeduplicationEndTests: DeduplicationSupport {
    let latch = Latch()

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
            isAnswered ? ["exchangeShared", "responseReceived 200", "callEnded"] : ["callFailed connectionClosed"]
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
                "callCancelled", "exchangeShared", "responseReceived 200", "callEnded",
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

    @Test(.bug(id: "F814")) func `a call keeps its own deadline, and the exchange goes on`() async throws {
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
        #expect(error?.reason.hasSuffix("its exchange with the server was under way") == true)
        self.latch.open()
        #expect(try await patient.value.body == Data("answer 1".utf8))
    }

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
}
