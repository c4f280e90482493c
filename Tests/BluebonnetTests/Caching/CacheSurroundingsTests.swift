// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// What the cache has to do with the program's hook, with retries, and with requests of its own.
@Suite(.timeLimit(.minutes(1))) struct CacheSurroundingsTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"a\""]

    private func request() throws -> Request { Request(url: try Peer.url("http://h/")) }

    @Test func `a store in memory holds 64 MiB unless it is given another size`() {
        #expect(MemoryCacheStore().maximumByteCount == 64 << 20)
        #expect(ResponseCache.memory().maximumBodyByteCount == 8 << 20)
    }

    @Test func `a Vary that willCache sets selects`() async throws {
        let transport = StubTransport { .plain($0.headers[.cookie] ?? "", headers: Self.fresh) }
        let (session, _) = cachingSession(transport) { cache in
            cache.willCache = { proposal in
                var proposal = proposal
                proposal.headers[.vary] = "Cookie"
                return proposal
            }
        }
        for user in ["a", "b", "a"] {
            var request = try self.request()
            request.headers[.cookie] = user
            #expect(try await session.response(for: request).body == Data(user.utf8))
        }
        #expect(transport.requests.count == 2)
    }

    @Test(.bug(id: "F282")) func `a task whose redirect leads to a stored response knows the request of that`()
        async throws
    {
        let transport = StubTransport { request in
            guard request.target == "/end" else { return .plain("", status: 302, headers: [.location: "/end"]) }
            return .plain("end", headers: Self.fresh)
        }
        let (session, _) = cachingSession(transport)
        _ = try await session.response(for: Request(url: try Peer.url("http://h/end")))
        let task = session.dataTask(with: try self.request(), serializer: HTTPResponseSerializer())
        task.resume()
        #expect(try await task.value == Data("end".utf8))
        #expect(transport.requests.count == 2)
        #expect(task.currentRequest.url.absoluteString == "http://h/end")
        #expect(task.response?.request?.url.absoluteString == "http://h/end")
    }

    @Test func `what willCache forbids is not stored`() async throws {
        for directive in ["no-store", "private, max-age=60"] {
            let transport = StubTransport { _ in .plain("a", headers: Self.fresh) }
            let (session, store) = cachingSession(transport) { cache in
                cache.isShared = true
                cache.willCache = { proposal in
                    var proposal = proposal
                    proposal.headers[.cacheControl] = directive
                    return proposal
                }
            }
            _ = try await session.response(for: self.request())
            #expect(store.count == 0)
        }
    }

    @Test func `a stored error is not asked for again by a retry`() async throws {
        let transport = StubTransport { _ in .plain("", status: 503, headers: [.cacheControl: "max-age=60"]) }
        var configuration = Session.Configuration()
        configuration.cache = ResponseCache(store: MemoryCacheStore(maximumByteCount: 1 << 20))
        configuration.retries = .idempotent(attempts: 1)
        let first = Session(configuration: configuration, transport: transport)
        _ = try await first.response(for: self.request())
        configuration.retries = .idempotent(attempts: 4)
        configuration.retries.backoff = .init(initial: .seconds(3600), maximum: .seconds(3600))
        let response = try await Session(configuration: configuration, transport: transport)
            .response(for: self.request())
        #expect(response.status == .serviceUnavailable && response.cacheStatus?.isHit == true)
        #expect(transport.requests.count == 1)
    }

    @Test func `the cache's own 504 is no hit, and is not asked for again by a retry`() async throws {
        let transport = StubTransport { _ in .plain("") }
        let (_, store) = cachingSession(transport)
        var configuration = Session.Configuration()
        configuration.cache = ResponseCache(store: store)
        configuration.retries = .idempotent(attempts: 4)
        configuration.retries.backoff = .none
        var request = try self.request()
        request.headers[.cacheControl] = "only-if-cached"
        let response = try await Session(configuration: configuration, transport: transport).response(for: request)
        #expect(response.status == .gatewayTimeout && response.cacheStatus?.isHit == false)
        #expect(response.failedAttempts.isEmpty && transport.requests.isEmpty)
    }

    /// A response whose body the cache drops, because the caller gets another one.
    enum Dropped: Int, CaseIterable, Sendable {
        case confirmation = 304
        case misfit = 416
        case error = 503
    }

    @Test(.bug(id: "F240"), arguments: Dropped.allCases)
    func `a body that does not come and is not delivered is given up after a second`(_ dropped: Dropped) async throws {
        let clock = ManualSessionClock()
        let transport = StubTransport { request in
            guard request.headers[.ifNoneMatch] != nil || request.headers[.range] != nil else {
                let body = ScriptedBody([.bytes(10), .bytes(10)])
                return TransportResponse(
                    status: .ok,
                    headers: [
                        .cacheControl: "max-age=0, stale-if-error=60", .eTag: "\"a\"", .contentLength: "20",
                    ],
                    body: ResponseBody(source: body, expectedLength: 20)
                )
            }
            let body = ResponseBody(source: ScriptedBody([.bytes(1), .hang]), expectedLength: 1_000)
            return TransportResponse(status: .init(code: dropped.rawValue), body: body)
        }
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        configuration.cache = ResponseCache(store: MemoryCacheStore(maximumByteCount: 1 << 20))
        let session = Session(configuration: configuration, transport: transport)
        let request = try self.request()
        let first = try await session.send(request)
        var iterator = first.body.makeAsyncIterator()
        _ = try await iterator.next()
        // The beginning of a body is completed by a range, which does not fit here.
        if dropped == .misfit { first.body.abandon() } else { while try await iterator.next() != nil {} }
        let call = Task { try await session.response(for: request) }
        await clock.waitForSleeps(1)
        clock.advance(by: .milliseconds(999))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .milliseconds(1))
        let response = try await call.value
        #expect(response.status == .ok && response.body.count == 20)
        #expect(transport.requests.count == (dropped == .misfit ? 3 : 2))
    }

    /// What makes the cache send a request for which it has a fresh response.
    enum Sent: String, CaseIterable, Sendable {
        case reload, ifMatch, ifUnmodifiedSince, ranges

        func set(in request: inout Request) {
            switch self {
            case .reload: request.options.cachePolicy = .reloadIgnoringLocalCacheData
            case .ifMatch: request.headers[.ifMatch] = "\"a\""
            case .ifUnmodifiedSince: request.headers[.ifUnmodifiedSince] = "Sun, 06 Nov 1994 08:49:37 GMT"
            case .ranges: request.headers[.range] = "bytes=0-0,0-0"
            }
        }
    }

    @Test(.bug(id: "F238"), .bug(id: "F590"), arguments: Sent.allCases)
    func `a response that arrives after the clock was set back is stored`(_ sent: Sent) async throws {
        let now = Mutex<Int64>(1_000_000)
        let count = Mutex(0)
        let transport = StubTransport { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .plain("\(number)", headers: Self.fresh)
        }
        let (session, store) = cachingSession(transport) { $0.wallClock = WallClock { now.withLock { $0 } } }
        var request = try self.request()
        // A response to a request for ranges is not decoded either.
        request.options.decodesContent = false
        _ = try await session.response(for: request)
        now.withLock { $0 -= 10 }
        var second = request
        sent.set(in: &second)
        #expect(try await session.response(for: second).body == Data("2".utf8))
        let again = try await session.response(for: request)
        #expect(again.body == Data("2".utf8) && again.cacheStatus?.isHit == true)
        #expect(store.count == 1)
    }

    @Test(.bug(id: "F781")) func `a clock that was ahead for a moment keeps no response fresh`() async throws {
        let now = Mutex<Int64>(784_111_777)
        let count = Mutex(0)
        let transport = StubTransport { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .plain("\(number)", headers: [.cacheControl: "max-age=60"])
        }
        let (session, _) = cachingSession(transport) { $0.wallClock = WallClock { now.withLock { $0 } } }
        func body() async throws -> String {
            String(decoding: try await session.response(for: self.request()).body, as: UTF8.self)
        }
        now.withLock { $0 += 86_400 }
        #expect(try await body() == "1")
        now.withLock { $0 -= 86_400 }
        #expect(try await body() == "2")
        // A clock that is corrected by a few seconds costs nothing.
        now.withLock { $0 -= 5 }
        #expect(try await body() == "2")
    }

    @Test(.bug(id: "F472")) func `a reload after the clock was set back replaces what has the same variant`()
        async throws
    {
        let now = Mutex<Int64>(784_111_777)
        let count = Mutex(0)
        let transport = StubTransport { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            var headers = Self.fresh
            // The second one is for every language, and is the latest by its Date.
            headers[.vary] = number == 2 ? nil : "Accept-Language"
            headers[.date] = number == 2 ? "Sun, 06 Nov 1994 08:49:38 GMT" : "Sun, 06 Nov 1994 08:49:37 GMT"
            return .plain("\(number)", headers: headers)
        }
        let (session, store) = cachingSession(transport) { $0.wallClock = WallClock { now.withLock { $0 } } }
        func response(_ language: String, isReload: Bool = false) async throws -> Response {
            var request = try self.request()
            request.headers[.acceptLanguage] = language
            if isReload { request.options.cachePolicy = .reloadIgnoringLocalCacheData }
            return try await session.response(for: request)
        }
        _ = try await response("en")
        _ = try await response("de")
        now.withLock { $0 -= 10 }
        #expect(try await response("en", isReload: true).body == Data("3".utf8))
        let again = try await response("en")
        #expect(again.body == Data("3".utf8) && again.cacheStatus?.isHit == true)
        #expect(store.count == 1)
    }

    /// What of the program a refresh waits for.
    enum Waiting: String, CaseIterable, Sendable {
        case interceptor, store, bodyOfInterceptor
    }

    @Test(.bug(id: "F390"), arguments: Waiting.allCases)
    func `a refresh whose interceptor or store does not return ends after five minutes`(
        _ waiting: Waiting
    ) async throws {
        let seconds = Mutex<Int64>(1_000_000)
        let (isWaiting, clock) = (Latch(), ManualSessionClock())
        let transport = StubTransport { _ in
            .plain("a", headers: [.cacheControl: "max-age=10, stale-while-revalidate=100", .eTag: "\"a\""])
        }
        let wait: @Sendable () async throws -> Void = {
            guard seconds.withLock({ $0 }) > 1_000_000 else { return }
            isWaiting.open()
            try await untilCancelled()
        }
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        let store = MemoryCacheStore(maximumByteCount: 1 << 20)
        switch waiting {
        case .store: configuration.cache = ResponseCache(store: WaitingCacheStore(base: store, wait: wait))
        case .interceptor, .bodyOfInterceptor:
            configuration.cache = ResponseCache(store: store)
            configuration.networkInterceptors = [WaitingInterceptor(isInBody: waiting != .interceptor, wait: wait)]
        }
        configuration.cache?.wallClock = WallClock { seconds.withLock { $0 } }
        let session = Session(configuration: configuration, transport: transport)
        _ = try await session.response(for: self.request())
        seconds.withLock { $0 += 50 }
        #expect(try await session.response(for: self.request()).cacheStatus?.isHit == true)
        await isWaiting.wait()
        await clock.waitForSleeps(1)
        let stages = session.stages.interceptors.lazy.compactMap { $0 as? CacheStage }
        let refreshes = try #require(stages.first?.refreshes)
        clock.advance(by: .seconds(299))
        #expect(refreshes.count == 1)
        clock.advance(by: .seconds(1))
        while refreshes.count > 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// The body of a refresh has no reader: what is not stored, or too large to be, is given up.
    @Test(arguments: ["max-age=10", "no-store"]) func `a refresh does not read without an end`(
        _ directives: String
    ) async throws {
        let now = Mutex<Int64>(1_000_000)
        let endless = EndlessBody()
        let transport = StubTransport { request in
            guard request.headers[.ifNoneMatch] == nil else {
                return TransportResponse(
                    status: .ok,
                    headers: [.cacheControl: directives],
                    body: ResponseBody(source: endless, expectedLength: nil)
                )
            }
            return TransportResponse(
                status: .ok,
                headers: [.cacheControl: "max-age=10, stale-while-revalidate=100", .eTag: "\"a\""]
            )
        }
        let (session, _) = cachingSession(transport) { $0.wallClock = WallClock { now.withLock { $0 } } }
        _ = try await session.response(for: self.request())
        now.withLock { $0 += 50 }
        _ = try await session.response(for: self.request())
        await endless.abandoned.wait()
        #expect(endless.byteCount <= 1 << 20)
    }
}

/// A body that goes on until its reader gives it up.
private final class EndlessBody: ResponseBody.Source {
    let abandoned = Latch()
    private let count = Mutex(0)

    var byteCount: Int { self.count.withLock { $0 } }
    var trailers: HTTPFields? { nil }
    var metrics: ExchangeMetrics? { nil }

    func next() async throws -> ByteBuffer? {
        try Task.checkCancellation()
        self.count.withLock { $0 += 4096 }
        return ByteBuffer(repeating: 0x61, count: 4096)
    }

    func abandon() { self.abandoned.open() }
}

/// Waits before a request is sent, or before its body is read.
private struct WaitingInterceptor: Interceptor {
    let isInBody: Bool
    let wait: @Sendable () async throws -> Void

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        if !self.isInBody { try await self.wait() }
        var response = try await next(request)
        guard self.isInBody, let bytes = response.body.collectedBytes else { return response }
        response.status = .ok
        response.body = ResponseBody(source: Body(bytes: bytes, wait: self.wait), expectedLength: nil)
        return response
    }

    final class Body: ResponseBody.Source {
        private let bytes: Mutex<ByteBuffer?>
        private let wait: @Sendable () async throws -> Void

        init(bytes: ByteBuffer, wait: @escaping @Sendable () async throws -> Void) {
            self.bytes = Mutex(bytes)
            self.wait = wait
        }

        func next() async throws -> ByteBuffer? {
            try await self.wait()
            return self.bytes.withLock { $0.take() }
        }
    }
}

/// A store of the program that waits before it makes room for a response.
private struct WaitingCacheStore: CacheStore {
    let base: MemoryCacheStore
    let wait: @Sendable () async throws -> Void

    var maximumByteCount: Int { self.base.maximumByteCount }

    func responses(for key: CacheKey) async throws -> [StoredResponse] { try await self.base.responses(for: key) }
    func body(of response: StoredResponse, range: Range<Int64>?) async throws -> ResponseBody? {
        try await self.base.body(of: response, range: range)
    }
    func makeWriter(for response: StoredResponse) async throws -> any CacheWriter {
        try await self.wait()
        return try await self.base.makeWriter(for: response)
    }
    func update(_ response: StoredResponse) async throws { try await self.base.update(response) }
    func remove(_ response: StoredResponse) async throws { try await self.base.remove(response) }
    func removeAll(for key: CacheKey) async throws { try await self.base.removeAll(for: key) }
    func removeAll() async throws { try await self.base.removeAll() }
}
