// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// The total limit of a call: what counts against it, and what the error says.
@Suite(.timeLimit(.minutes(1))) struct CallDeadlineTests {
    private struct Custom: Interceptor {
        var body: @Sendable (Request, Chain) async throws -> StreamedResponse

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            try await self.body(request, next)
        }
    }

    private let clock = ManualSessionClock()
    private let request: Request

    init() throws {
        self.request = Request(url: try Peer.url("http://h/"))
    }

    private func session(
        _ transport: StubTransport = StubTransport(),
        _ change: (inout Session.Configuration) -> Void
    ) -> Session {
        var configuration = Session.Configuration()
        configuration.clock = self.clock.clock
        change(&configuration)
        return Session(configuration: configuration, transport: transport)
    }

    @Test func `bounds the wait in the session's queue`() async throws {
        let session = self.session(StubTransport { _ in try await untilCancelled() }) {
            $0.maximumConcurrentRequests = 1
        }
        let first = Task { try await session.response(for: self.request) }
        while session.admission.counts.active != 1 { await Task.yield() }
        var request = self.request
        request.options.totalTimeout = .seconds(2)
        let second = Task { [request] in try await session.response(for: request) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .seconds(2))
        let error = await #expect(throws: SessionError.self) { try await second.value }
        #expect(error?.code == .timedOut)
        #expect(error?.phase == .total)
        #expect(error?.reason.contains("2.0 seconds") == true)
        #expect(error?.reason.contains("maximumConcurrentRequests") == true)
        #expect(error?.isRequestSent == false)
        first.cancel()
        _ = await first.result
    }

    /// What a program may bring that is not an interceptor.
    private static let functions: [(String, @Sendable (inout Session.Configuration) -> Void)] = [
        ("a redirect policy", { $0.redirects = RedirectPolicy { _ in try await untilCancelled() } }),
        ("a challenge handler", { $0.authentication.onChallenge = { _ in try await untilCancelled() } }),
        ("a credential store", { $0.authentication = .stored(in: SlowStore()) }),
        (
            "willCache",
            {
                $0.cache = .memory()
                $0.cache?.willCache = { _ in
                    try? await untilCancelled()
                    return nil
                }
            }
        ),
        ("a cache store", { $0.cache = ResponseCache(store: SlowCacheStore()) }),
    ]

    @Test(.bug(id: "F324"), arguments: functions.indices) func `bounds a function of the program`(
        _ index: Int
    ) async throws {
        let transport = StubTransport { _ in
            switch index {
            case 0: TransportResponse(status: .found, headers: [.location: "/x"])
            case 3: .plain("a", headers: [.cacheControl: "max-age=60"])
            default: TransportResponse(status: .unauthorized, headers: [.wwwAuthenticate: #"Basic realm="r""#])
            }
        }
        let session = self.session(transport, Self.functions[index].1)
        var request = self.request
        request.options.totalTimeout = .seconds(2)
        let call = Task { [request] in try await session.response(for: request) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .seconds(2))
        let error = await #expect(throws: SessionError.self, "\(Self.functions[index].0)") { try await call.value }
        #expect(error?.code == .timedOut)
        #expect(error?.phase == .total)
    }

    @Test func `bounds the queue by its own limit, too`() async throws {
        let session = self.session(StubTransport { _ in try await untilCancelled() }) {
            $0.maximumConcurrentRequests = 1
            $0.timeouts.queue = .seconds(1)
            $0.timeouts.total = .seconds(5)
        }
        let first = Task { try await session.response(for: self.request) }
        while session.admission.counts.active != 1 { await Task.yield() }
        let second = Task { try await session.response(for: self.request) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .seconds(1))
        let error = await #expect(throws: SessionError.self) { try await second.value }
        #expect(error?.phase == .queue)
        first.cancel()
        _ = await first.result
    }

    @Test func `bounds an interceptor that does not return`() async throws {
        let session = self.session { configuration in
            configuration.timeouts.total = .seconds(3)
            configuration.interceptors = [Custom { _, _ in try await untilCancelled() }]
        }
        let call = Task { try await session.response(for: self.request) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .seconds(3))
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .timedOut)
        #expect(error?.reason.contains("interceptor") == true)
        #expect(error?.isRequestSent == false)
    }

    @Test(.bug(id: "F683")) func `an error while a token is fetched says that nothing was sent`() async throws {
        let session = self.session { configuration in
            configuration.timeouts.total = .seconds(3)
            configuration.authentication = .bearer(for: Origin(scheme: .http, host: "h", port: nil)) {
                try await untilCancelled()
            }
        }
        let call = Task { try await session.response(for: self.request) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .seconds(3))
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .timedOut)
        #expect(error?.isRequestSent == false)
    }

    @Test(.bug(id: "F683"))
    func `an error after an interceptor's exchange says that the request was sent`() async throws {
        let session = self.session { configuration in
            configuration.timeouts.total = .seconds(3)
            configuration.interceptors = [
                Custom { request, next in
                    _ = try await next(request)
                    try await untilCancelled()
                }
            ]
        }
        let call = Task { try await session.response(for: self.request) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .seconds(3))
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .timedOut)
        #expect(error?.isRequestSent == true)
    }

    @Test(.bug(id: "F683")) func `a limit that has passed at the beginning says that nothing was sent`() async throws {
        let session = self.session { _ in }
        var request = self.request
        request.options.totalTimeout = .zero
        let call = Task { [request] in try await session.response(for: request) }
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .timedOut)
        #expect(error?.isRequestSent == false)
    }

    @Test(arguments: [0.5, 1.9]) func `keeps the fraction of a second`(_ seconds: Double) async throws {
        let session = self.session { configuration in
            configuration.timeouts.total = .seconds(seconds)
            configuration.interceptors = [Custom { _, _ in try await untilCancelled() }]
        }
        let call = Task { try await session.response(for: self.request) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .seconds(seconds) - .milliseconds(1))
        #expect(self.clock.sleeperCount == 1)
        self.clock.advance(by: .milliseconds(1))
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .timedOut)
    }

    @Test(arguments: [false, true]) func `bounds a body that an interceptor made`(_ isCollected: Bool) async throws {
        let body = ScriptedBody([.bytes(1), .hang])
        let session = self.session { configuration in
            configuration.timeouts.total = .seconds(3)
            configuration.interceptors = [
                Custom { request, next in
                    var response = try await next(request)
                    response.body = ResponseBody(source: body, expectedLength: nil)
                    return response
                }
            ]
        }
        let call = Task {
            if isCollected { return try await session.response(for: self.request).body.count }
            var count = 0
            for try await bytes in try await session.send(self.request).body { count += bytes.readableBytes }
            return count
        }
        while body.readCount < 2 { await Task.yield() }
        self.clock.advance(by: .seconds(3))
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .timedOut)
        #expect(error?.phase == .total)
        #expect(error?.reason.contains("which an interceptor or a cache store takes part in") == true)
    }

    /// How the library, or the program, wraps the body of a server.
    enum Wrapper: String, CaseIterable, Sendable {
        case rate, cache, rateAndCache, cacheStore, rateAndInterceptor

        var isOfLibrary: Bool { self != .cacheStore && self != .rateAndInterceptor }

        func apply(to configuration: inout Session.Configuration) {
            switch self {
            case .rate: configuration.rateLimit = RateLimit(download: 1_000_000)
            case .cache: configuration.cache = .memory()
            case .rateAndCache:
                configuration.rateLimit = RateLimit(download: 1_000_000)
                configuration.cache = .memory()
            case .cacheStore: configuration.cache = ResponseCache(store: OpenCacheStore())
            case .rateAndInterceptor:
                configuration.rateLimit = RateLimit(download: 1_000_000)
                let interceptor = Custom { request, next in
                    var response = try await next(request)
                    let body = response.body
                    response.body = await body.tee(to: IdleSink())
                    return response
                }
                configuration.networkInterceptors = [interceptor]
            }
        }
    }

    @Test(.bug(id: "F387"), arguments: Wrapper.allCases)
    func `a body that is paced or stored is the server's`(_ wrapper: Wrapper) async throws {
        let body = ScriptedBody([.bytes(100), .hang])
        let transport = StubTransport { _ in
            TransportResponse(
                status: .ok,
                headers: [.cacheControl: "max-age=60"],
                body: ResponseBody(source: body, expectedLength: 100_000)
            )
        }
        let session = self.session(transport) { configuration in
            configuration.timeouts.total = .seconds(3)
            wrapper.apply(to: &configuration)
        }
        let call = Task { try await session.response(for: self.request) }
        while body.readCount < 2 { await Task.yield() }
        self.clock.advance(by: .seconds(3))
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .timedOut && error?.phase == .total)
        let text = wrapper.isOfLibrary ? "its exchange with the server was under way" : "takes part in"
        #expect(error?.reason.contains(text) == true, "\(error?.reason ?? "")")
    }

    @Test func `ends a suspended task at once`() async throws {
        let tasks = Recorder<DataTask<Data>>()
        let source = ScriptedBody([.bytes(1), .hang]) { count in
            if count == 1 { tasks.elements.first?.suspend() }
        }
        let transport = StubTransport { _ in
            TransportResponse(status: .ok, body: ResponseBody(source: source, expectedLength: 2))
        }
        let session = self.session(transport) { $0.timeouts.total = .seconds(4) }
        let task = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        tasks.record(task)
        task.resume()
        await self.clock.waitForSleeps(1)
        #expect(task.state == .suspended)
        self.clock.advance(by: .seconds(4))
        let error = await #expect(throws: SessionError.self) { try await task.value }
        #expect(error?.code == .timedOut)
        #expect(error?.reason.contains("suspended") == true)
        #expect(task.state == .completed)
    }

    @Test func `gives each exchange of a call what is left`() async throws {
        let clock = self.clock
        let transport = StubTransport { _ in
            clock.advance(by: .seconds(2))
            return TransportResponse(status: .ok)
        }
        let session = self.session(transport) { configuration in
            configuration.timeouts.total = .seconds(5)
            configuration.interceptors = [
                Custom { request, next in
                    _ = try await next(request)
                    _ = try await next(request)
                    #expect(next.call.remaining == .seconds(1))
                    return try await next(request)
                }
            ]
        }
        _ = try? await session.response(for: self.request)
        #expect(transport.requests.map(\.timeouts.total) == [.seconds(5), .seconds(3), .seconds(1)])
    }

    @Test func `lets a call inside a call through, whatever the limit`() async throws {
        let transport = StubTransport()
        let sessions = Recorder<Session>()
        let session = self.session(transport) { configuration in
            configuration.maximumConcurrentRequests = 1
            configuration.interceptors = [
                Custom { request, next in
                    if request.url.path() == "/", let session = sessions.elements.first {
                        // A token refresh, in a task of its own as an authenticator would make it.
                        let refresh = Request(url: try Peer.url("http://h/refresh"))
                        _ = try await Task { try await session.response(for: refresh) }.value
                    }
                    return try await next(request)
                }
            ]
        }
        sessions.record(session)
        #expect(try await session.response(for: self.request).status == .ok)
        #expect(transport.requests.map(\.target) == ["/refresh", "/"])
        #expect(session.admission.counts == (0, 0))
    }
}

private struct SlowStore: CredentialStore {
    func credential(for space: ProtectionSpace) async throws -> Credential? { try await untilCancelled() }
}

private struct SlowCacheStore: CacheStore {
    var maximumByteCount: Int { 1 << 20 }

    func responses(for key: CacheKey) async throws -> [StoredResponse] { try await untilCancelled() }
    func body(of response: StoredResponse, range: Range<Int64>?) async throws -> ResponseBody? { nil }
    func makeWriter(for response: StoredResponse) async throws -> any CacheWriter { try await untilCancelled() }
    func update(_ response: StoredResponse) async throws {}
    func remove(_ response: StoredResponse) async throws {}
    func removeAll(for key: CacheKey) async throws {}
    func removeAll() async throws {}
}

/// A store of the program that takes bytes and keeps none.
private struct OpenCacheStore: CacheStore {
    struct Writer: CacheWriter {
        func write(_ bytes: ByteBuffer) async throws {}
        func commit() async throws {}
        func discard() {}
    }

    var maximumByteCount: Int { 1 << 20 }

    func responses(for key: CacheKey) async throws -> [StoredResponse] { [] }
    func body(of response: StoredResponse, range: Range<Int64>?) async throws -> ResponseBody? { nil }
    func makeWriter(for response: StoredResponse) async throws -> any CacheWriter { Writer() }
    func update(_ response: StoredResponse) async throws {}
    func remove(_ response: StoredResponse) async throws {}
    func removeAll(for key: CacheKey) async throws {}
    func removeAll() async throws {}
}

private struct IdleSink: ResponseBodySink {
    func write(_ bytes: ByteBuffer) async throws {}
    func finish(trailers: HTTPFields?, metrics: ExchangeMetrics?) async {}
    func abort(_ error: any Error) {}
}
