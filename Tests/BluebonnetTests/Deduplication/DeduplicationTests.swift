// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Identical requests under way share one exchange.
@Suite(.timeLimit(.minutes(1))) struct DeduplicationTests: DeduplicationSupport {
    let latch = Latch()

    @Test func `a hundred identical requests make one exchange`() async throws {
        let transport = self.waiting { .plain("answer \($0)", headers: [.eTag: "\"1\""]) }
        let events = RetryEvents()
        let session = self.session(transport) { $0.observers = [events] }
        let request = try self.request()
        let calls = (0..<100).map { _ in Task { try await session.response(for: request) } }
        try await self.wait(100, in: session)
        self.latch.open()
        for call in calls {
            let response = try await call.value
            #expect(response.body == Data("answer 1".utf8))
            #expect(response.headers[.eTag] == "\"1\"")
        }
        #expect(transport.requests.count == 1)
        #expect(events.names.filter { $0 == "exchangeShared" }.count == 99)
        #expect(events.names.filter { $0 == "callEnded" }.count == 100)
        #expect(try self.exchanges(of: session).count == 0)
        // What has ended is not a cache.
        #expect(try await session.response(for: request).body == Data("answer 2".utf8))
    }

    /// RFC 9111 section 4.4: what was asked for before a change is no answer to who asks after it.
    @Test(arguments: ["POST", "DELETE"]) func `a request that follows a change does not join one from before it`(
        _ method: String
    ) async throws {
        let transport = StubTransport { [latch] request in
            if request.method != .get { return .plain("changed") }
            if request.headers[.ifMatch] == nil { await latch.wait() }
            return .plain("answer")
        }
        let session = self.session(transport)
        let request = try self.request()
        let before = (0..<2).map { _ in Task { try await session.response(for: request).body } }
        try await self.wait(2, in: session)
        _ = try await session.response(for: self.request(method))
        let after = (0..<2).map { _ in Task { try await session.response(for: request).body } }
        try await self.wait(4, in: session)
        #expect(try self.exchanges(of: session).count == 2)
        self.latch.open()
        for call in before + after { #expect(try await call.value == Data("answer".utf8)) }
        #expect(transport.requests.count { $0.method == .get } == 2)
        #expect(try self.exchanges(of: session).count == 0)
    }

    struct Difference: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var change: @Sendable (inout Request) -> Void

        init(_ name: String, _ change: @escaping @Sendable (inout Request) -> Void) {
            self.testDescription = name
            self.change = change
        }
    }

    @Test(arguments: [
        Difference("credentials") { $0.headers[.authorization] = "Bearer other" },
        Difference("cookies") { $0.headers[.cookie] = "a=2" },
        Difference("a field of the program") { $0.headers[.acceptLanguage] = "de" },
        Difference("one more field") { $0.headers[.ifNoneMatch] = "\"1\"" },
        Difference("the case of a value") { $0.headers[.accept] = "Text/plain" },
        Difference("the method") { $0.method = .head },
        Difference("the query") { $0.url = URL(string: "http://h/?a=1") ?? $0.url },
        Difference("the spelling of the URL") { $0.url = URL(string: "http://H/") ?? $0.url },
        Difference("the user information") { $0.url = URL(string: "http://u:p@h/") ?? $0.url },
        Difference("a method that is not safe") { $0.method = .post },
        Difference("a method of its own") { $0.method = .delete },
        Difference("a body") { $0.body = .data(Data("x".utf8)) },
        Difference("options") { $0.options.timeoutInterval = .seconds(1) },
        Difference("a rate of its own") { $0.rateLimit = RateLimit(download: 1_000_000) },
        Difference("options of the transport") { $0.transportOptions.unixSocketPath = "/run/other" },
        Difference("the origin of the session's secrets") { request in
            request.context[HomeOrigin.self] = HomeOrigin(origin: Origin(scheme: .http, host: "home"))
        },
    ])
    func `requests that differ make exchanges of their own`(_ difference: Difference) async throws {
        let transport = self.waiting { .plain("answer \($0)") }
        let session = self.session(transport)
        var base = try self.request()
        base.headers = [.accept: "text/plain", .cookie: "a=1"]
        base.headers[.authorization] = "Bearer one"
        var other = base
        difference.change(&other)
        let calls = [base, other].map { request in Task { try await session.response(for: request) } }
        while transport.requests.count < 2 { await Task.yield() }
        self.latch.open()
        for call in calls { _ = try await call.value }
        #expect(transport.requests.count == 2)
    }

    @Test func `values that differ in a byte that is not UTF-8 make exchanges of their own`() async throws {
        let transport = self.waiting { .plain("answer \($0)") }
        let session = self.session(transport)
        let calls = try [UInt8(0xE8), 0xE9].map { byte in
            var request = try self.request()
            request.headers.append(HTTPField(name: .cookie, lenientValue: Array("a=".utf8) + [byte]))
            return Task { [request] in try await session.response(for: request) }
        }
        try await self.wait(2, in: session)
        self.latch.open()
        for call in calls { _ = try await call.value }
        #expect(transport.requests.count == 2)
    }

    @Test func `the fields of trace contexts may differ, and others that the policy names`() async throws {
        let transport = self.waiting { .plain("answer \($0)") }
        let name = try #require(HTTPField.Name("X-Request-ID"))
        let trace = try #require(HTTPField.Name("traceparent"))
        let session = self.session(transport) { $0.deduplication.ignoredFields.insert(name) }
        let calls = try (0..<3).map { number in
            var request = try self.request()
            request.headers = [name: "\(number)", trace: "00-\(number)"]
            return Task { [request] in try await session.response(for: request) }
        }
        try await self.wait(3, in: session)
        self.latch.open()
        for call in calls { #expect(try await call.value.body == Data("answer 1".utf8)) }
    }

    @Test func `streams, tasks and calls with a monitor are not shared`() async throws {
        self.latch.open()
        let transport = self.waiting { .plain("answer \($0)") }
        let session = self.session(transport)
        let request = try self.request()
        async let stream = session.send(request)
        async let watched = session.response(for: request, monitor: TransferMonitor())
        let task = session.dataTask(with: request, serializer: .string)
        task.resume()
        _ = try await (stream, watched, task.value)
        #expect(transport.requests.count == 3)
    }

    @Test func `a session that shares nothing makes an exchange for each call`() async throws {
        let transport = self.waiting { .plain("answer \($0)") }
        let session = self.session(transport) { $0.deduplication = .none }
        let request = try self.request()
        let calls = (0..<5).map { _ in Task { try await session.response(for: request) } }
        while transport.requests.count < 5 { await Task.yield() }
        self.latch.open()
        for call in calls { _ = try await call.value }
    }
}
