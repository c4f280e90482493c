// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Testing

@testable import Bluebonnet

/// Attempts that wait for a route before they are made.
@Suite(.timeLimit(.minutes(1))) struct RouteWaitTests {
    private static let offline = TransportError(.connectFailed, phase: .connect, reason: "no route")

    private let clock = ManualSessionClock()
    private let system = FakeSystem(.notReachable)
    private let events = RetryEvents()

    /// A session whose first attempt fails, and whose second one is answered.
    private func session(_ failure: any Error = Self.offline) -> (Session, StubTransport) {
        let transport = StubTransport(responses: [.failure(failure), .success(.plain("done"))])
        var policy = RetryPolicy.immediate()
        policy.routeWait = RetryPolicy.RouteWait(
            ReachabilityMonitor(.network, probe: self.system),
            limit: .seconds(10)
        )
        var configuration = Session.Configuration.retrying(policy)
        configuration.clock = self.clock.clock
        configuration.observers = [self.events]
        return (Session(configuration: configuration, transport: transport), transport)
    }

    @Test(arguments: [true, false]) func `an attempt is made when there is a route, or at the end of the wait`(
        _ hasRoute: Bool
    ) async throws {
        let (session, transport) = self.session()
        async let response = session.response(for: RetryTable.request("POST"))
        await self.clock.waitForSleeps(1)
        #expect(transport.requests.count == 1 && self.system.runCount == 1)
        if hasRoute { self.system.become(.reachableViaWiFi) } else { self.clock.advance(by: .seconds(10)) }
        #expect(try await response.status == .ok)
        #expect(transport.requests.count == 2)
        while self.system.endedCount < 1 { await Task.yield() }
    }

    @Test(arguments: [ReachabilityStatus.reachableViaWWAN, .unknown]) func `where there is a route nothing waits`(
        _ status: ReachabilityStatus
    ) async throws {
        self.system.become(status)
        let (session, transport) = self.session()
        #expect(try await session.response(for: RetryTable.request("GET")).status == .ok)
        #expect(transport.requests.count == 2)
    }

    @Test func `an attempt that was sent does not wait for a route`() async throws {
        let lost = TransportError(.connectionClosed, phase: .responseHead, reason: "cut", isRequestSent: true)
        let (session, transport) = self.session(lost)
        #expect(try await session.response(for: RetryTable.request("GET")).status == .ok)
        #expect(transport.requests.count == 2 && self.system.runCount == 0)
    }

    @Test(.bug(id: "F619"))
    func `the wait for a route leaves half of the time of the call to the attempt`() async throws {
        let (session, transport) = self.session()
        var request = try RetryTable.request("GET")
        request.options.totalTimeout = .seconds(5)
        let task = Task { [request] in try await session.response(for: request) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .milliseconds(2_500))
        #expect(try await task.value.status == .ok)
        #expect(transport.requests.count == 2)
    }

    @Test func `the wait for a route ends with the deadline of the call, and the failure is delivered`() async throws {
        let (session, transport) = self.session()
        var request = try RetryTable.request("GET")
        request.options.totalTimeout = .seconds(5)
        let task = Task { [request] in try await session.response(for: request) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .seconds(5))
        let error = await #expect(throws: SessionError.self) { try await task.value }
        #expect(error?.code == .connectFailed && transport.requests.count == 1)
        #expect(self.events.names.contains("retryRefused deadline"))
    }

    @Test func `a cancellation ends the wait for a route`() async throws {
        let (session, transport) = self.session()
        let task = Task { try await session.response(for: RetryTable.request("GET")) }
        await self.clock.waitForSleeps(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.requests.count == 1)
        while self.system.endedCount < 1 { await Task.yield() }
    }
}
