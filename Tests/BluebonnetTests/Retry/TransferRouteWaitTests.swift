// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Downloads and resumable uploads that wait for a route before they go on.
@Suite(.timeLimit(.minutes(1))) struct TransferRouteWaitTests {
    private static let offline = TransportError(.connectFailed, phase: .connect, reason: "no route")
    private static let cut = TransportError(.connectionClosed, phase: .responseBody, reason: "cut", isRequestSent: true)

    private let clock = ManualSessionClock()
    private let system = FakeSystem(.notReachable)
    private let events = RetryEvents()

    private func policy(attempts: Int = 3) -> RetryPolicy {
        var policy = RetryPolicy.immediate(attempts: attempts)
        policy.routeWait = RetryPolicy.RouteWait(
            ReachabilityMonitor(.network, probe: self.system),
            limit: .seconds(10)
        )
        return policy
    }

    private func session(_ transport: StubTransport, attempts: Int = 3) -> Session {
        var configuration = Session.Configuration.retrying(self.policy(attempts: attempts))
        configuration.clock = self.clock.clock
        configuration.observers = [self.events]
        return Session(configuration: configuration, transport: transport)
    }

    // MARK: Downloads

    /// A response with a body that ends early.
    private static func begun(_ error: any Error) -> TransportResponse {
        let body = ScriptedBody([.text("0123"), .fail(error)])
        return TransportResponse(
            status: .ok,
            headers: [.eTag: "\"a\"", .contentLength: "10"],
            body: ResponseBody(source: body, expectedLength: 10)
        )
    }

    /// The rest of it, or the whole.
    private static func rest(_ request: TransportRequest) -> TransportResponse {
        guard request.headers[.range] == "bytes=4-" else { return .plain("0123456789", headers: [.eTag: "\"a\""]) }
        return .plain("456789", status: 206, headers: [.eTag: "\"a\"", .contentRange: "bytes 4-9/10"])
    }

    @Test(arguments: [true, false])
    func `a download that breaks off goes on when there is a route, or at the end of the wait`(
        _ hasRoute: Bool
    ) async throws {
        let directory = try TemporaryDirectory()
        let count = Recorder<String?>()
        let transport = StubTransport { request in
            count.record(request.headers[.range])
            switch count.elements.count {
            case 1: return Self.begun(Self.cut)
            case 2: throw Self.offline
            default: return Self.rest(request)
            }
        }
        let session = self.session(transport)
        let request = try RetryTable.request("GET")
        let task = Task { try await session.download(request, to: directory.file("a"), policy: .resuming) }
        await self.clock.waitForSleeps(1)
        #expect(count.elements == [nil, "bytes=4-"] && self.system.runCount == 1)
        if hasRoute { self.system.become(.reachableViaWiFi) } else { self.clock.advance(by: .seconds(10)) }
        _ = try await task.value
        #expect(try directory.contents("a") == Data("0123456789".utf8))
        #expect(count.elements == [nil, "bytes=4-", "bytes=4-"])
        while self.system.endedCount < 1 { await Task.yield() }
    }

    @Test func `a body that fails before anything was sent waits for a route, too`() async throws {
        let directory = try TemporaryDirectory()
        let transport = StubTransport { request in
            request.headers[.range] == nil ? Self.begun(Self.offline) : Self.rest(request)
        }
        let session = self.session(transport)
        let request = try RetryTable.request("GET")
        let task = Task { try await session.download(request, to: directory.file("a"), policy: .resuming) }
        await self.clock.waitForSleeps(1)
        #expect(transport.requests.count == 1 && self.system.runCount == 1)
        self.system.become(.reachableViaWWAN)
        _ = try await task.value
        #expect(try directory.contents("a") == Data("0123456789".utf8))
    }

    // MARK: Uploads

    @Test func `an upload waits for a route`() async throws {
        let directory = try TemporaryDirectory()
        let count = Recorder<String>()
        let transport = StubTransport { request in
            count.record(request.method.rawValue)
            guard count.elements.count > 1 else { throw Self.offline }
            return TransportResponse(status: .internalServerError)
        }
        let session = self.session(transport, attempts: 2)
        try Data("0123456789".utf8).write(to: directory.file("a"))
        let request = try RetryTable.request("POST")
        let task = Task {
            try await session.upload(directory.file("a"), with: request, resuming: .tus())
        }
        await self.clock.waitForSleeps(1)
        #expect(count.elements.count == 1 && self.system.runCount == 1)
        self.system.become(.reachableViaWiFi)
        let error = await #expect(throws: SessionError.self) { try await task.value }
        #expect(error?.status == .internalServerError && count.elements.count > 1)
    }

    // MARK: The rules

    private func patience(_ policy: RetryPolicy, deadline: Duration? = nil) throws -> (TransferPatience, Request) {
        let request = try RetryTable.request("GET")
        let environment = CallEnvironment(clock: self.clock.clock, observers: [self.events])
        let call = Call(request, CallHandling(), environment, totalTimeout: deadline)
        return (TransferPatience(policy, call, nil), request)
    }

    private static let failed = SessionError(.connectFailed, reason: "no route")

    enum Reason: Sendable, CaseIterable {
        /// Some bytes were sent.
        case sent
        /// The rules do not repeat after this error.
        case permanent
        /// There is no other attempt.
        case attempts
        /// The deadline has passed.
        case deadline
    }

    @Test(arguments: Reason.allCases)
    func `what is not sent again, or was sent, does not wait for a route`(_ reason: Reason) async throws {
        var error = reason == .permanent ? SessionError(.invalidRequest, reason: "no") : Self.failed
        error.isRequestSent = reason == .sent
        if reason == .sent { error.code = .connectionClosed }
        var (patience, request) = try self.patience(
            self.policy(attempts: reason == .attempts ? 1 : 3),
            deadline: reason == .deadline ? .zero : nil
        )
        if reason == .sent {
            try await patience.wait(after: error, request)
        } else {
            let thrown = await #expect(throws: SessionError.self) { try await patience.wait(after: error, request) }
            #expect(thrown?.code == error.code)
        }
        #expect(self.system.runCount == 0)
        #expect(self.events.names.contains("retryRefused deadline") == (reason == .deadline))
    }

    @Test(.bug(id: "F619")) func `a transfer's wait for a route leaves half of its time to the attempt`() async throws {
        let (patience, request) = try self.patience(self.policy(), deadline: .seconds(5))
        let task = Task {
            var patience = patience
            try await patience.wait(after: Self.failed, request)
        }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .milliseconds(2_500))
        try await task.value
        #expect(!self.events.names.contains("retryRefused deadline"))
    }

    @Test func `a transfer's wait for a route ends with the deadline, and the failure is thrown`() async throws {
        let (patience, request) = try self.patience(self.policy(), deadline: .seconds(5))
        let task = Task {
            var patience = patience
            try await patience.wait(after: Self.failed, request)
        }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .seconds(5))
        let error = await #expect(throws: SessionError.self) { try await task.value }
        #expect(error?.code == .connectFailed && self.events.names == ["retryRefused deadline"])
    }

    @Test func `a cancellation ends a transfer's wait for a route`() async throws {
        let (patience, request) = try self.patience(self.policy())
        let task = Task {
            var patience = patience
            try await patience.wait(after: Self.failed, request)
        }
        await self.clock.waitForSleeps(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        while self.system.endedCount < 1 { await Task.yield() }
    }
}
