// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SessionEndTests {
    private let clock = ManualSessionClock()
    private let request: Request

    init() throws {
        self.request = Request(url: try Peer.url("http://h/"))
    }

    @Test func `a graceful end waits for calls under way`() async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Void.self)
        let transport = StubTransport { _ in
            for await _ in answers { break }
            return TransportResponse(status: .accepted)
        }
        let session = self.clock.session(transport)
        let call = Task { try await session.response(for: self.request) }
        while transport.requests.isEmpty { await Task.yield() }
        let end = Task { await session.shutdown(within: .seconds(10)) }
        await self.clock.waitForSleeps(1)
        await #expect(throws: SessionError(.shutDown, reason: "")) { try await session.response(for: self.request) }
        continuation.yield()
        #expect(try await call.value.status == .accepted)
        await end.value
        #expect(session.admission.counts == (0, 0))
    }

    @Test(.bug(id: "F780")) func `a graceful end gives the calls in the queue their turn`() async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Void.self)
        let transport = StubTransport { request in
            if request.target == "/" { for await _ in answers { break } }
            return TransportResponse(status: .accepted)
        }
        var configuration = Session.Configuration()
        configuration.maximumConcurrentRequests = 1
        let session = Session(configuration: configuration, transport: transport)
        let first = Task { try await session.response(for: self.request) }
        while transport.requests.isEmpty { await Task.yield() }
        let next = Request(url: try Peer.url("http://h/next"))
        let waiting = (0..<3).map { _ in Task { try await session.response(for: next) } }
        while session.admission.counts.waiting < 3 { await Task.yield() }
        session.invalidate(cancellingTasks: false)
        continuation.yield()
        for call in waiting + [first] { #expect(try await call.value.status == .accepted) }
        #expect(session.admission.counts == (0, 0))
    }

    @Test func `a graceful end waits no longer than its limit`() async throws {
        let transport = StubTransport { _ in try await untilCancelled() }
        let session = self.clock.session(transport)
        let task = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        let idle = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        task.resume()
        while transport.requests.isEmpty { await Task.yield() }
        let end = Task { await session.shutdown(within: .seconds(10)) }
        await self.clock.waitForSleeps(1)
        await #expect(throws: CancellationError.self) { try await idle.value }
        #expect(task.state == .running)
        self.clock.advance(by: .seconds(10))
        await end.value
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(.bug(id: "F384"), arguments: NestedCallTests.Place.allCases, [nil, 1])
    func `a graceful end lets a call under way make the calls that it waits for`(
        _ place: NestedCallTests.Place,
        _ limit: Int?
    ) async throws {
        let sessions = Recorder<Session>()
        let statuses = Recorder<HTTPResponse.Status>()
        let inner = Request(url: try Peer.url("http://h/inner"))
        let makeCall: @Sendable (Request) async throws -> Void = { request in
            guard request.url.path() != "/inner", let session = sessions.elements.first else { return }
            session.invalidate(cancellingTasks: false)
            statuses.record(try await session.response(for: inner).status)
        }
        var configuration = Session.Configuration()
        configuration.maximumConcurrentRequests = limit
        var request = self.request
        NestedCallTests.install(makeCall, at: place, in: &configuration, &request)
        let session = Session(configuration: configuration, transport: NestedCallTests.transport(for: place))
        sessions.record(session)
        #expect(try await NestedCallTests.send(request, over: session, place, makeCall) == "end")
        #expect(statuses.elements == [.ok])
        await session.admission.drain()
        // After that call nobody waits for another one.
        await #expect(throws: SessionError(.shutDown, reason: "")) { try await session.response(for: inner) }
        #expect(session.admission.counts == (0, 0))
    }

    @Test(.bug(id: "F384"), arguments: [false, true])
    func `the end waits for an upload that a call under way has begun, and refuses one that nobody waits for`(
        _ isNested: Bool
    ) async throws {
        let (directory, sessions) = (try TemporaryDirectory(), Recorder<Session>())
        try Data(repeating: 1, count: 100).write(to: directory.file("a"))
        let transport = StubTransport { request in
            switch request.method {
            case .post: TransportResponse(status: .created, headers: [.location: "/u"])
            case .patch: TransportResponse(status: .noContent, headers: .having(100))
            default: TransportResponse(status: .noContent)
            }
        }
        let upload = Request(method: .post, url: try Peer.url("http://h/files"))
        var configuration = Session.Configuration()
        let send: @Sendable (Session) async throws -> Void = { session in
            session.invalidate(cancellingTasks: false)
            _ = try await session.upload(directory.file("a"), with: upload, resuming: .tus())
        }
        configuration.interceptors = [
            PathInterceptor(path: "/outer") { if let session = sessions.elements.first { try await send(session) } }
        ]
        let session = Session(configuration: configuration, transport: transport)
        sessions.record(session)
        if isNested {
            #expect(try await session.response(for: Request(url: Peer.url("http://h/outer"))).status == .noContent)
        } else {
            await #expect(throws: SessionError(.shutDown, reason: "")) { try await send(session) }
        }
    }

    @Test func `an upload in pieces goes on when no new call is let in, and the end waits for it`() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let pieces = Recorder<Int>()
        let transport = StubTransport { request in
            switch request.method {
            case .post: return TransportResponse(status: .created, headers: [.location: "/u"])
            case .patch:
                let offset = min(1000, (Int(request.headers[.offset] ?? "") ?? 0) + 100)
                pieces.record(offset)
                begin.yield()
                await Task.yield()
                return TransportResponse(status: .noContent, headers: .having(offset))
            default: return TransportResponse(status: .noContent)
            }
        }
        let directory = try TemporaryDirectory()
        try Data(repeating: 1, count: 1000).write(to: directory.file("a"))
        var upload = ResumableUpload.tus()
        upload.pieceSize = .fixed(100)
        let session = self.clock.session(transport)
        let request = Request(method: .post, url: try Peer.url("http://h/files"))
        async let file = session.upload(directory.file("a"), with: request, resuming: upload)
        for await _ in begun { break }
        await session.shutdown(within: .seconds(60))
        #expect(pieces.elements.count == 10)
        #expect(try await file.byteCount == 1000)
    }

    /// What a call waits for between two exchanges.
    enum Wait: String, CaseIterable, CustomTestStringConvertible {
        case backOff, redirect, rate, route

        var testDescription: String { self.rawValue }

        func apply(to configuration: inout Session.Configuration) {
            switch self {
            case .backOff: configuration.retries = .idempotent(attempts: 3)
            case .redirect: configuration.redirects = .follow()
            case .rate: configuration.rateLimit = RateLimit(download: 1)
            case .route:
                configuration.retries = .idempotent(attempts: 3)
                let monitor = ReachabilityMonitor(.network, probe: FakeSystem(.notReachable))
                configuration.retries.routeWait = RetryPolicy.RouteWait(monitor)
                // Nobody listens there, so that nothing is sent.
                configuration.unixSocketPath = "/dev/null/missing"
            }
        }

        /// Whether the request was sent before the wait.
        var isRequestSent: Bool { self != .route }

        /// What the server answers first.
        var response: ScriptedResponse {
            switch self {
            case .backOff: ScriptedResponse(status: 503, headers: [.retryAfter: "30"])
            case .redirect: ScriptedResponse(status: 302, headers: [.retryAfter: "30", .location: "/next"])
            case .route: ScriptedResponse()
            case .rate: ScriptedResponse(body: .text(String(repeating: "x", count: 1_000_000)))
            }
        }
    }

    @Test(.bug(id: "F319"), .bug(id: "F325"), arguments: Wait.allCases, [false, true])
    func `the end of its engine ends a call's waits`(_ wait: Wait, _ isGraceful: Bool) async throws {
        try await TestServer.withServer { server in
            server.respond { _ in wait.response }
            var configuration = Session.Configuration()
            configuration.clock = self.clock.clock
            configuration.engine = NIOTransport.Configuration()
            wait.apply(to: &configuration)
            let session = Session(configuration: configuration)
            let request = Request(url: try Peer.url("\(server.url)/"))
            let call = Task { try await session.response(for: request) }
            await self.clock.waitForSleeps(1)
            if isGraceful {
                let end = Task { await session.shutdown(within: .seconds(10)) }
                await self.clock.waitForSleeps(2)
                self.clock.advance(by: .seconds(10))
                await end.value
            } else {
                await session.shutdown()
            }
            let error = await #expect(throws: SessionError.self) { try await call.value }
            #expect(error?.code == .shutDown)
            #expect(error?.isRequestSent == wait.isRequestSent)
        }
    }

    @Test(.bug(id: "F319"), .bug(id: "F474"))
    func `a call on a transport that the session does not own continues`() async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Void.self)
        let transport = StubTransport { _ in
            for await _ in answers { break }
            return TransportResponse(status: .accepted)
        }
        let session = self.clock.session(transport)
        let call = Task { try await session.response(for: self.request) }
        while transport.requests.isEmpty { await Task.yield() }
        await session.shutdown()
        continuation.yield()
        #expect(try await call.value.status == .accepted)
    }
}

/// Runs a function before the requests for one path.
private struct PathInterceptor: Interceptor {
    let path: String
    let work: @Sendable () async throws -> Void

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        if request.url.path() == self.path { try await self.work() }
        return try await next(request)
    }
}
