// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// Requests that change something, beside requests whose responses are stored (RFC 9111 section 4.4).
@Suite(.timeLimit(.minutes(1))) struct CacheChangesTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"a\""]

    private let store = MemoryCacheStore(maximumByteCount: 1 << 20)
    private let getGate = Latch()
    private let postGate = Latch()

    /// Answers GET and POST when their gates are open; POST with what a function says.
    private func transport(
        _ post: @escaping @Sendable () throws -> TransportResponse = { .plain("changed") }
    ) -> StubTransport {
        StubTransport { request in
            if request.method == .post {
                await self.postGate.wait()
                return try post()
            }
            await self.getGate.wait()
            if request.headers[.ifNoneMatch] == "\"a\"" {
                return TransportResponse(status: .notModified, headers: Self.fresh)
            }
            return .plain("body", headers: Self.fresh)
        }
    }

    private func session(_ transport: StubTransport) -> Session {
        var configuration = Session.Configuration()
        configuration.cache = ResponseCache(store: self.store)
        return Session(configuration: configuration, transport: transport)
    }

    private func request(_ method: HTTPRequest.Method = .get, _ path: String = "/") throws -> Request {
        Request(method: method, url: try Peer.url("http://h\(path)"))
    }

    private func waitForRequests(_ count: Int, _ transport: StubTransport) async {
        while transport.requests.count < count { await Task.yield() }
    }

    // MARK: What is stored

    @Test func `a response that was asked for before a change is not stored after it`() async throws {
        let transport = self.transport()
        let session = self.session(transport)
        let get = Task { try await session.response(for: self.request()) }
        await self.waitForRequests(1, transport)
        self.postGate.open()
        _ = try await session.response(for: self.request(.post))
        self.getGate.open()
        #expect(try await get.value.body == Data("body".utf8))
        #expect(self.store.count == 0)
        #expect(try await session.response(for: self.request()).cacheStatus?.isStored == true)
        #expect(self.store.count == 1)
    }

    @Test func `a response whose body ends after a change is not stored`() async throws {
        self.postGate.open()
        let transport = StubTransport { request in
            if request.method == .post { return .plain("changed") }
            let body = ScriptedBody([.text("bo"), .text("dy")])
            return TransportResponse(
                status: .ok,
                headers: Self.fresh,
                body: ResponseBody(source: body, expectedLength: nil)
            )
        }
        let session = self.session(transport)
        let response = try await session.send(self.request())
        _ = try await session.response(for: self.request(.post))
        #expect(try await response.body.collect(upTo: 10) == ByteBuffer(string: "body"))
        #expect(self.store.count == 0)
    }

    @Test func `a response that was asked for while a change was under way is not stored after it`() async throws {
        let transport = self.transport()
        let session = self.session(transport)
        let post = Task { try await session.response(for: self.request(.post)) }
        await self.waitForRequests(1, transport)
        let get = Task { try await session.response(for: self.request()) }
        await self.waitForRequests(2, transport)
        self.postGate.open()
        _ = try await post.value
        self.getGate.open()
        _ = try await get.value
        #expect(self.store.count == 0)
    }

    @Test func `a change of another URL is none of its business, but for what Location names`() async throws {
        for (location, expected) in [(nil, 1), ("/", 0), ("http://other/", 1)] as [(String?, Int)] {
            let (store, gate) = (MemoryCacheStore(maximumByteCount: 1 << 20), Latch())
            let transport = StubTransport { request in
                guard request.method == .post else {
                    await gate.wait()
                    return .plain("body", headers: Self.fresh)
                }
                return .plain("changed", headers: location.map { [.location: $0] } ?? [:])
            }
            var configuration = Session.Configuration()
            configuration.cache = ResponseCache(store: store)
            let session = Session(configuration: configuration, transport: transport)
            let get = Task { try await session.response(for: self.request()) }
            await self.waitForRequests(1, transport)
            _ = try await session.response(for: self.request(.post, "/other"))
            gate.open()
            _ = try await get.value
            #expect(store.count == expected, "\(location ?? "none")")
        }
    }

    @Test func `sessions with copies of one cache know of each other`() async throws {
        let transport = self.transport()
        var configuration = Session.Configuration()
        configuration.cache = ResponseCache(store: self.store)
        let (one, other) = (
            Session(configuration: configuration, transport: transport),
            Session(configuration: configuration, transport: transport)
        )
        let get = Task { try await one.response(for: self.request()) }
        await self.waitForRequests(1, transport)
        self.postGate.open()
        _ = try await other.response(for: self.request(.post))
        self.getGate.open()
        _ = try await get.value
        #expect(self.store.count == 0)
    }

    @Test(.bug(id: "F385"), arguments: [false, true])
    func `a request after a change of another session does not join one from before it`(
        _ isSameSession: Bool
    ) async throws {
        let numbers = Recorder<Int>()
        let transport = StubTransport { request in
            guard request.method == .get else { return .plain("changed") }
            numbers.record(1)
            let number = numbers.elements.count
            if number == 1 { await self.getGate.wait() }
            return .plain("body \(number)", headers: Self.fresh)
        }
        var configuration = Session.Configuration()
        configuration.cache = ResponseCache(store: self.store)
        configuration.deduplication = .identical
        let one = Session(configuration: configuration, transport: transport)
        let other = isSameSession ? one : Session(configuration: configuration, transport: transport)
        let before = Task { try await one.response(for: self.request()) }
        await self.waitForRequests(1, transport)
        _ = try await other.response(for: self.request(.post))
        let after = Task { try await one.response(for: self.request()) }
        // It joins nothing, or it waits with the other one: both are certain after this.
        let exchanges = try #require(one.sharedExchanges)
        while exchanges.waiterCount < 2, self.store.count == 0 { await Task.yield() }
        self.getGate.open()
        #expect(try await after.value.body == Data("body 2".utf8))
        #expect(try await before.value.body == Data("body 1".utf8))
        #expect(transport.requests.count { $0.method == .get } == 2)
        let stored = try await one.response(for: self.request())
        #expect(stored.cacheStatus?.isHit == true && stored.body == Data("body 2".utf8))
    }

    // MARK: What is reused

    @Test func `while a change is under way a fresh response is validated`() async throws {
        self.getGate.open()
        let transport = self.transport()
        let session = self.session(transport)
        _ = try await session.response(for: self.request())
        #expect(try await session.response(for: self.request()).cacheStatus?.isHit == true)
        let post = Task { try await session.response(for: self.request(.post)) }
        await self.waitForRequests(2, transport)
        let validated = try await session.response(for: self.request())
        #expect(validated.cacheStatus?.forward == .request && validated.cacheStatus?.forwardStatus == 304)
        #expect(validated.body == Data("body".utf8))
        var quiet = try self.request()
        quiet.headers[.cacheControl] = "only-if-cached"
        #expect(try await session.response(for: quiet).status == .gatewayTimeout)
        // A program that asks for what is stored, whatever it is, gets it.
        quiet.headers[.cacheControl] = nil
        quiet.options.cachePolicy = .returnCacheDataDontLoad
        #expect(try await session.response(for: quiet).cacheStatus?.isHit == true)
        self.postGate.open()
        _ = try await post.value
        #expect(self.store.count == 0)
    }

    @Test func `a stale response does not stand in for an error while a change is under way`() async throws {
        let fails = Latch()
        let isFailing = Recorder<Bool>()
        let transport = StubTransport { request in
            if request.method == .post {
                await fails.wait()
                return .plain("changed")
            }
            guard isFailing.elements.isEmpty else { return .plain("busy", status: 503) }
            return .plain("body", headers: [.cacheControl: "max-age=0, stale-if-error=600"])
        }
        let session = self.session(transport)
        _ = try await session.response(for: self.request())
        isFailing.record(true)
        #expect(try await session.response(for: self.request()).status == .ok)
        let post = Task { try await session.response(for: self.request(.post)) }
        await self.waitForRequests(3, transport)
        #expect(try await session.response(for: self.request()).status == .serviceUnavailable)
        fails.open()
        _ = try await post.value
    }

    // MARK: Changes that fail

    @Test(arguments: [
        ("200", 0), ("302", 0), ("404", 1), ("500", 1), ("not sent", 1), ("sent", 0), ("unknown", 0),
    ])
    func `a change without a response may have been carried out`(_ end: String, _ expected: Int) async throws {
        self.getGate.open()
        self.postGate.open()
        let transport = self.transport {
            switch end {
            case "not sent": throw TransportError(.connectFailed, phase: .connect, reason: "test")
            case "sent":
                throw TransportError(.connectionClosed, phase: .responseHead, reason: "test", isRequestSent: true)
            case "unknown": throw CancellationError()
            default: return .plain("", status: Int(end) ?? 0)
            }
        }
        let session = self.session(transport)
        _ = try await session.response(for: self.request())
        #expect(self.store.count == 1)
        _ = try? await session.response(for: self.request(.post))
        #expect(self.store.count == expected)
    }

    @Test func `a cancelled change removes what is stored`() async throws {
        self.getGate.open()
        let transport = StubTransport { request in
            if request.method == .post { try await untilCancelled() }
            return .plain("body", headers: Self.fresh)
        }
        let session = self.session(transport)
        _ = try await session.response(for: self.request())
        let post = Task { try await session.response(for: self.request(.post)) }
        await self.waitForRequests(2, transport)
        post.cancel()
        await #expect(throws: CancellationError.self) { try await post.value }
        #expect(self.store.count == 0)
    }

    // MARK: The record itself

    @Test func `a response that is stored while a change ends is removed before anyone finds it`() async {
        let changes = CacheChanges()
        let key = CacheKey(text: "http://h/")
        var fetch: CacheChanges.Fetch? = changes.beginFetch(of: key)
        let removed = Recorder<Bool>()
        changes.begin(for: key)
        let isKept = await fetch?.commit {
            changes.invalidate(key)
            changes.end(for: key)
            #expect(changes.isUnderWay(for: key))
        } remove: {
            #expect(changes.isUnderWay(for: key))
            removed.record(true)
        }
        #expect(isKept == false && removed.elements == [true])
        #expect(!changes.isUnderWay(for: key))
        fetch = nil
        #expect(changes.count == 0)
    }

    @Test func `the first of two changes does not end the other`() {
        let changes = CacheChanges()
        let key = CacheKey(text: "http://h/")
        changes.begin(for: key)
        changes.begin(for: key)
        changes.end(for: key)
        #expect(changes.isUnderWay(for: key))
        changes.end(for: key)
        #expect(!changes.isUnderWay(for: key) && changes.count == 0)
    }

    @Test func `nothing is remembered of requests that have ended, however they did`() async throws {
        let cache = ResponseCache(store: self.store)
        var configuration = Session.Configuration()
        configuration.cache = cache
        let transport = StubTransport { request in
            switch request.target.utf8.count % 3 {
            case 0: throw TransportError(.connectionClosed, phase: .responseHead, reason: "", isRequestSent: true)
            case 1: return .plain("body", headers: Self.fresh)
            default:
                let body = ScriptedBody([.bytes(10), .hang])
                return TransportResponse(
                    status: .ok,
                    headers: Self.fresh,
                    body: ResponseBody(source: body, expectedLength: nil)
                )
            }
        }
        let session = Session(configuration: configuration, transport: transport)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let path = "/" + String(repeating: "x", count: index % 7)
                    let method: HTTPRequest.Method = index % 5 == 0 ? .put : .get
                    guard let request = try? self.request(method, path) else { return }
                    let call = Task { _ = try await session.send(request).body.collect(upTo: 100) }
                    if index % 3 == 0 { await Task.yield() }
                    call.cancel()
                    _ = try? await call.value
                }
            }
        }
        #expect(cache.changes.count == 0)
    }
}
