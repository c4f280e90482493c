// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Redirects that ask to wait (RFC 9110 section 10.2.3).
@Suite(.timeLimit(.minutes(1))) struct RedirectWaitTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var values: [String]
        var limit: Duration? = .seconds(60)
        var deadline: Duration?
        /// The time that the redirect is followed after; nil if it is delivered.
        var delay: Duration?
        var testDescription: String { "\(self.values) within \(String(describing: self.limit))" }
    }

    private let clock = ManualSessionClock()
    private let events = RetryEvents()

    /// A session whose server redirects its first request with some `Retry-After` fields.
    private func session(
        _ values: [String],
        _ change: (inout RedirectPolicy) -> Void = { _ in }
    ) -> (
        Session, StubTransport
    ) {
        var headers: HTTPFields = [.location: "/end"]
        for value in values { headers.append(HTTPField(name: .retryAfter, value: value)) }
        let transport = StubTransport { [headers] request in
            request.target == "/end" ? .plain("end") : TransportResponse(status: .found, headers: headers)
        }
        var configuration = Session.Configuration()
        configuration.clock = self.clock.clock
        configuration.observers = [self.events]
        // 6 November 1994, 08:49:37 GMT.
        configuration.redirects.wallClock = WallClock { 784_111_777 }
        change(&configuration.redirects)
        return (Session(configuration: configuration, transport: transport), transport)
    }

    private func request(deadline: Duration? = nil) throws -> Request {
        var request = Request(url: try Peer.url("http://h/start"))
        request.options.totalTimeout = deadline
        return request
    }

    @Test(arguments: [
        Case(values: ["5"], delay: .seconds(5)),
        Case(values: ["60"], delay: .seconds(60)),
        Case(values: ["2", "7"], delay: .seconds(7)),
        Case(values: ["Sun, 06 Nov 1994 08:49:47 GMT"], delay: .seconds(10)),
        Case(values: ["5"], limit: .seconds(5), deadline: .seconds(6), delay: .seconds(5)),
        Case(values: ["86400"], limit: .seconds(86_400), delay: .seconds(86_400)),
    ])
    func `a redirect is followed after the time that it asks for, and no earlier`(_ row: Case) async throws {
        let delay = try #require(row.delay)
        let (session, transport) = self.session(row.values) { $0.retryAfterLimit = row.limit }
        let request = try self.request(deadline: row.deadline)
        let call = Task { try await session.response(for: request) }
        await self.clock.waitForSleeps(1)
        #expect(self.events.names.contains("redirected"))
        self.clock.advance(by: delay - .nanoseconds(1))
        #expect(transport.requests.count == 1)
        self.clock.advance(by: .nanoseconds(1))
        let response = try await call.value
        #expect(response.body == Data("end".utf8) && response.history.count == 1)
    }

    @Test(arguments: [
        Case(values: []), Case(values: ["0"]), Case(values: ["0"], limit: .zero), Case(values: ["soon"]),
        Case(values: ["-5"]), Case(values: ["5"], limit: nil), Case(values: ["99999999999999999999"], limit: nil),
        Case(values: ["Sun, 06 Nov 1994 08:49:00 GMT"]),
    ])
    func `a redirect that does not ask for a time is followed at once`(_ row: Case) async throws {
        let (session, transport) = self.session(row.values) { $0.retryAfterLimit = row.limit }
        #expect(try await session.response(for: self.request()).body == Data("end".utf8))
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: [
        Case(values: ["61"]), Case(values: ["1"], limit: .zero), Case(values: ["1"], limit: .seconds(-1)),
        Case(values: ["99999999999999999999"]), Case(values: ["Mon, 07 Nov 1994 08:49:37 GMT"]),
        Case(values: ["5"], deadline: .seconds(5)), Case(values: ["50"], deadline: .seconds(5)),
    ])
    func `a redirect that asks for too long a time is delivered`(_ row: Case) async throws {
        let (session, transport) = self.session(row.values) { $0.retryAfterLimit = row.limit }
        let response = try await session.response(for: self.request(deadline: row.deadline))
        #expect(response.status == .found && response.history.isEmpty)
        #expect(transport.requests.count == 1 && !self.events.names.contains("redirected"))
    }

    @Test func `the end of the task ends the wait of a redirect`() async throws {
        let (session, transport) = self.session(["30"])
        let request = try self.request()
        let call = Task { try await session.response(for: request) }
        await self.clock.waitForSleeps(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(transport.requests.count == 1 && self.clock.sleeperCount == 0)
    }

    @Test func `the deadline counts the wait of a redirect`() async throws {
        let transport = StubTransport { request in
            let field: HTTPFields = [.location: request.target + "x", .retryAfter: "4"]
            return TransportResponse(status: .found, headers: field)
        }
        var configuration = Session.Configuration()
        configuration.clock = self.clock.clock
        let session = Session(configuration: configuration, transport: transport)
        let request = try self.request(deadline: .seconds(10))
        let call = Task { try await session.response(for: request) }
        // Two waits fit into ten seconds, the third one does not.
        for number in 1...2 {
            while transport.requests.count < number || self.clock.sleeperCount < 1 { await Task.yield() }
            await self.clock.waitForSleeps(number)
            self.clock.advance(by: .seconds(4))
        }
        let response = try await call.value
        #expect(response.status == .found && response.history.count == 2)
        #expect(transport.requests.count == 3)
    }

    @Test func `a policy knows how long a redirect asks to wait`() async throws {
        let (session, transport) = self.session(["30"]) {
            $0 = RedirectPolicy { redirect in redirect.retryAfter == .seconds(30) ? nil : redirect.proposedRequest }
        }
        #expect(try await session.response(for: self.request()).status == .found)
        #expect(transport.requests.count == 1)
    }

    @Test func `a redirect from the cache is followed at once`() async throws {
        let transport = StubTransport { request in
            guard request.target == "/start" else { return .plain("end") }
            return TransportResponse(
                status: .permanentRedirect,
                headers: [.location: "/end", .retryAfter: "5", .cacheControl: "max-age=1000"]
            )
        }
        var configuration = Session.Configuration()
        configuration.clock = self.clock.clock
        configuration.cache = .memory()
        let session = Session(configuration: configuration, transport: transport)
        let request = try self.request()
        let first = Task { try await session.response(for: request) }
        await self.clock.waitForSleeps(1)
        self.clock.advance(by: .seconds(5))
        #expect(try await first.value.status == .ok)
        #expect(try await session.response(for: request).status == .ok)
        #expect(transport.requests.filter { $0.target == "/start" }.count == 1)
    }
}
