// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct CacheStageTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"a\""]

    private func request(_ path: String = "/") throws -> Request { Request(url: try Peer.url("http://h\(path)")) }

    private static func streaming(_ steps: [ScriptedBody.Step], _ headers: HTTPFields = Self.fresh) -> StubTransport {
        StubTransport { _ in
            TransportResponse(
                status: .ok,
                headers: headers,
                body: ResponseBody(source: ScriptedBody(steps), expectedLength: nil)
            )
        }
    }

    // MARK: Bodies

    @Test func `a body reaches the reader as it comes, and the store with its end`() async throws {
        let (session, store) = cachingSession(Self.streaming([.text("one"), .text("two")]))
        let response = try await session.send(self.request())
        var iterator = response.body.makeAsyncIterator()
        #expect(try await iterator.next().map { String(buffer: $0) } == "one")
        #expect(store.count == 0)
        #expect(try await iterator.next().map { String(buffer: $0) } == "two")
        #expect(store.count == 0)
        #expect(try await iterator.next() == nil)
        #expect(store.count == 1)
        let stored = try await session.response(for: self.request())
        #expect(String(decoding: stored.body, as: UTF8.self) == "onetwo")
        #expect(stored.cacheStatus?.isHit == true)
    }

    @Test func `a body that its reader gives up is not stored`() async throws {
        let (session, store) = cachingSession(Self.streaming([.text("one"), .text("two")]))
        let response = try await session.send(self.request())
        for try await _ in response.body { break }
        response.body.abandon()
        #expect(store.count == 0 && store.byteCount == 0)
    }

    @Test func `a body that is cut short is not stored`() async throws {
        let fault = TransportError(.connectionClosed, phase: .responseBody, reason: "cut", isRequestSent: true)
        let (session, store) = cachingSession(Self.streaming([.text("one"), .fail(fault)]))
        await #expect(throws: SessionError.self) { try await session.response(for: self.request()) }
        #expect(store.count == 0)
    }

    @Test func `a body over the limit is delivered and not stored`() async throws {
        let (session, store) = cachingSession(Self.streaming([.bytes(600), .bytes(600)])) {
            $0.maximumBodyByteCount = 1000
        }
        #expect(try await session.response(for: self.request()).body.count == 1200)
        #expect(store.count == 0)
    }

    @Test func `the store stays within its bound, and forgets what was not used for longest`() async throws {
        let transport = StubTransport { _ in
            TransportResponse(
                status: .ok,
                headers: Self.fresh,
                body: ResponseBody(ByteBuffer(repeating: 1, count: 100_000))
            )
        }
        let (session, store) = cachingSession(transport)
        for index in 0..<50 {
            _ = try await session.response(for: self.request("/\(index)"))
            #expect(try await session.response(for: self.request("/0")).cacheStatus?.isHit == true)
            #expect(store.byteCount <= 1 << 20)
        }
        #expect(store.count == 10)
        #expect(try await session.response(for: self.request("/1")).cacheStatus?.forward == .uriMiss)
    }

    @Test func `of one URL there are 64 variants at most`() async throws {
        var headers = Self.fresh
        headers[.vary] = "User-Agent"
        let (session, store) = cachingSession(Self.streaming([], headers))
        for index in 0..<200 {
            var request = try self.request()
            request.headers[.userAgent] = "\(index)"
            _ = try await session.response(for: request)
        }
        #expect(store.count == 64)
    }

    @Test func `what answers with its head alone counts as used`() async throws {
        let transport = StubTransport { _ in
            TransportResponse(
                status: .ok,
                headers: Self.fresh,
                body: ResponseBody(ByteBuffer(repeating: 1, count: 100_000))
            )
        }
        let (session, _) = cachingSession(transport)
        var (conditional, head) = (try self.request("/0"), try self.request("/1"))
        conditional.headers[.ifNoneMatch] = "\"a\""
        head.method = .head
        for index in 0..<50 {
            _ = try await session.response(for: self.request("/\(index)"))
            guard index > 0 else { continue }
            #expect(try await session.response(for: conditional).status == .notModified)
            #expect(try await session.response(for: head).cacheStatus?.isHit == true)
        }
        #expect(transport.requests.count == 50)
    }

    @Test func `bodies that are being written count against the bound, and each is delivered whole`() async throws {
        let transport = StubTransport { _ in
            TransportResponse(
                status: .ok,
                headers: Self.fresh,
                body: ResponseBody(source: ScriptedBody([.bytes(100_000), .text("end")]), expectedLength: nil)
            )
        }
        let (session, store) = cachingSession(transport)
        var bodies: [ResponseBody.AsyncIterator] = []
        for index in 0..<30 {
            let response = try await session.send(self.request("/\(index)"))
            var body = response.body.makeAsyncIterator()
            #expect(try await body.next()?.readableBytes == 100_000)
            bodies.append(body)
            #expect(store.byteCount == min(index + 1, 10) * 100_000)
        }
        for var body in bodies {
            #expect(try await body.next()?.readableBytes == 3)
            #expect(try await body.next() == nil)
        }
        #expect(store.count == 10 && store.byteCount <= 1 << 20)
    }

    // MARK: Hooks and stores

    @Test func `willCache can refuse a response`() async throws {
        let (session, store) = cachingSession(Self.streaming([.text("x")])) { $0.willCache = { _ in nil } }
        #expect(try await session.response(for: self.request()).cacheStatus?.isStored == false)
        #expect(store.count == 0)
    }

    @Test func `willCache can change what is stored, and nothing else`() async throws {
        let (session, _) = cachingSession(Self.streaming([.text("x")], [.cacheControl: "max-age=0"])) { cache in
            cache.willCache = { proposal in
                var proposal = proposal
                proposal.headers[.cacheControl] = "max-age=60"
                return proposal
            }
        }
        #expect(try await session.response(for: self.request()).headers[.cacheControl] == "max-age=0")
        let stored = try await session.response(for: self.request())
        #expect(stored.headers[.cacheControl] == "max-age=60" && stored.cacheStatus?.isHit == true)
    }

    @Test func `a store that fails costs nothing but speed`() async throws {
        let transport = Self.streaming([.text("x")])
        var configuration = Session.Configuration()
        configuration.cache = ResponseCache(store: FailingStore())
        let session = Session(configuration: configuration, transport: transport)
        for _ in 0..<3 {
            #expect(String(decoding: try await session.response(for: self.request()).body, as: UTF8.self) == "x")
        }
        #expect(transport.requests.count == 3)
    }

    // MARK: The session around it

    @Test func `a stored redirect is followed without asking`() async throws {
        let transport = StubTransport { request in
            request.target.utf8.elementsEqual("/a".utf8)
                ? TransportResponse(status: .movedPermanently, headers: [.location: "/b", .cacheControl: "max-age=60"])
                : TransportResponse(status: .ok, headers: Self.fresh, body: ResponseBody(ByteBuffer(string: "b")))
        }
        let (session, _) = cachingSession(transport)
        for _ in 0..<2 {
            let response = try await session.response(for: self.request("/a"))
            #expect(String(decoding: response.body, as: UTF8.self) == "b" && response.history.count == 1)
        }
        #expect(transport.requests.count == 2)
    }

    @Test func `network interceptors are not called for a stored response, and others are`() async throws {
        let calls = Recorder<String>()
        let store = MemoryCacheStore(maximumByteCount: 1 << 20)
        var configuration = Session.Configuration()
        configuration.cache = ResponseCache(store: store)
        configuration.interceptors = [NotingInterceptor(name: "outer", calls: calls)]
        configuration.networkInterceptors = [NotingInterceptor(name: "network", calls: calls)]
        let session = Session(configuration: configuration, transport: Self.streaming([.text("x")]))
        for _ in 0..<2 { _ = try await session.response(for: self.request()) }
        #expect(calls.elements == ["outer", "network", "outer"])
    }

    @Test func `a task that is answered from the store knows its response`() async throws {
        let (session, _) = cachingSession(Self.streaming([.text("x")]))
        _ = try await session.response(for: self.request())
        let task = session.dataTask(with: try self.request(), serializer: .string)
        task.resume()
        #expect(try await task.value == "x")
        #expect(task.response?.status == .ok && task.response?.headers[.age] != nil)
    }

    @Test func `hundreds of calls at once`() async throws {
        let (session, store) = cachingSession(Self.streaming([.text("one"), .text("two")]))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<400 {
                group.addTask {
                    var request = try self.request("/\(index % 5)")
                    if index % 40 == 39 { request.method = .post }
                    let response = try await session.response(for: request)
                    #expect(String(decoding: response.body, as: UTF8.self) == "onetwo")
                }
            }
            try await group.waitForAll()
        }
        #expect(store.count <= 5)
    }

    @Test func `a request that brings a stored response up to date ends with its session`() async throws {
        let (began, ended) = (Latch(), Latch())
        let now = Mutex<Int64>(1_000_000)
        let transport = StubTransport { request in
            guard request.headers[.ifNoneMatch] == nil else {
                began.open()
                defer { ended.open() }
                try await untilCancelled()
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
        await began.wait()
        await session.shutdown()
        await ended.wait()
    }

    @Test func `a stale response is refreshed once, however many ask for it`() async throws {
        let now = Mutex<Int64>(1_000_000)
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let transport = StubTransport { request in
            if request.headers[.ifNoneMatch] != nil { for await _ in gate {} }
            return TransportResponse(
                status: .ok,
                headers: [.cacheControl: "max-age=10, stale-while-revalidate=100", .eTag: "\"a\""]
            )
        }
        let (session, _) = cachingSession(transport) { $0.wallClock = WallClock { now.withLock { $0 } } }
        _ = try await session.response(for: self.request())
        now.withLock { $0 += 50 }
        for _ in 0..<20 {
            #expect(try await session.response(for: self.request()).cacheStatus?.isHit == true)
        }
        opening.finish()
        #expect(transport.requests.count <= 2)
    }

    @Test(.bug(id: "F681")) func `the largest estimated lifetime may be any duration`() async throws {
        let transport = StubTransport { _ in
            .plain("a", headers: [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"])
        }
        let (session, _) = cachingSession(transport) { $0.maximumHeuristicLifetime = .seconds(Int64.max) * 10 }
        _ = try await session.response(for: self.request())
        let second = try await session.response(for: self.request())
        #expect(second.cacheStatus?.isHit == true)
        #expect(second.cacheStatus?.timeToLive ?? .zero > .seconds(86_400))
    }

    @Test(.bug(id: "F682"), arguments: [1_000, 1_001])
    func `a stale response is renewed by a streamed body of the largest size`(_ largest: Int) async throws {
        let now = Mutex<Int64>(1_000_000)
        let (session, _) = cachingSession(
            StubTransport { _ in
                TransportResponse(
                    status: .ok,
                    headers: [.cacheControl: "max-age=1000, stale-while-revalidate=9999", .contentLength: "1000"],
                    body: ResponseBody(source: ScriptedBody([.bytes(600), .bytes(400)]), expectedLength: 1_000)
                )
            }
        ) {
            $0.wallClock = WallClock { now.withLock { $0 } }
            $0.maximumBodyByteCount = largest
        }
        _ = try await session.response(for: self.request())
        now.withLock { $0 += 2000 }
        // The first use is answered by the stale response; one after it by the new one.
        while try await session.response(for: self.request()).cacheStatus?.timeToLive ?? .zero <= .zero {
            await Task.yield()
        }
    }

    @Test func `over real sockets a response is stored, validated, and taken from the store`() async throws {
        try await TestServer.withServer { server in
            server.respond(to: "/file") { request in
                request.headers[.ifNoneMatch] == "\"a\""
                    ? ScriptedResponse(status: .notModified, headers: [.eTag: "\"a\""])
                    : ScriptedResponse(status: .ok, headers: Self.fresh, body: .pattern(300_000))
            }
            let (session, _) = cachingSession(try server.makeTransport())
            let request = Request(url: try Peer.url("\(server.url)/file"))
            let bytes = Data(PatternBytes.bytes(300_000))
            // An eighth of the store is less than this body.
            #expect(try await session.response(for: request).body == bytes)
            #expect(try await session.response(for: request).cacheStatus?.forward == .uriMiss)
            let (large, _) = cachingSession(session.transport) { $0.maximumBodyByteCount = 1 << 19 }
            #expect(try await large.response(for: request).body == bytes)
            #expect(try await large.response(for: request).cacheStatus?.isHit == true)
            var reload = request
            reload.options.cachePolicy = .reloadRevalidatingCacheData
            let confirmed = try await large.response(for: reload)
            #expect(confirmed.body == bytes && confirmed.cacheStatus?.forwardStatus == 304)
            var part = request
            part.headers[.range] = "bytes=100-199"
            let middle = try await large.response(for: part)
            #expect(middle.status == .partialContent && middle.body == bytes[100..<200])
            await session.transport.shutdown()
        }
    }
}

/// Notes that it is called.
private struct NotingInterceptor: Interceptor {
    var name: String
    var calls: Recorder<String>

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        self.calls.record(self.name)
        return try await next(request)
    }
}

/// A store whose every function fails.
private struct FailingStore: CacheStore {
    struct Failure: Error {}

    var maximumByteCount: Int { 1 << 20 }

    func responses(for key: CacheKey) async throws -> [StoredResponse] { throw Failure() }
    func body(of response: StoredResponse, range: Range<Int64>?) async throws -> ResponseBody? { throw Failure() }
    func makeWriter(for response: StoredResponse) async throws -> any CacheWriter { FailingWriter() }
    func update(_ response: StoredResponse) async throws { throw Failure() }
    func remove(_ response: StoredResponse) async throws { throw Failure() }
    func removeAll(for key: CacheKey) async throws { throw Failure() }
    func removeAll() async throws { throw Failure() }
}

private struct FailingWriter: CacheWriter {
    func write(_ bytes: ByteBuffer) async throws { throw FailingStore.Failure() }
    func commit() async throws { throw FailingStore.Failure() }
    func discard() {}
}
