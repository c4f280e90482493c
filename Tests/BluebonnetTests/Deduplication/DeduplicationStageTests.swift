// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Shared exchanges under hedging, retries, redirects and rate limits.
@Suite(.timeLimit(.minutes(1))) struct DeduplicationStageTests: DeduplicationSupport {
    let latch = Latch()

    /// The attempt that closes the exchanges is the second one, whose request the first has not closed them for.
    @Test(.bug(id: "F386")) func `a request that follows a hedged change does not join one from before it`()
        async throws
    {
        let (firstGate, secondGate, clock) = (Latch(), Latch(), ManualSessionClock())
        let (deletions, events) = (Recorder<Int>(), RetryEvents())
        let transport = StubTransport { [latch] request in
            guard request.method == .delete else {
                await latch.wait()
                return .plain("answer")
            }
            deletions.record(1)
            if deletions.elements.count == 1 {
                await firstGate.wait()
                return .plain("", status: 503)
            }
            await secondGate.wait()
            return .plain("", status: 204)
        }
        let session = self.session(transport) { configuration in
            configuration.clock = clock.clock
            configuration.observers = [events]
            configuration.retries = .immediate(attempts: 2)
            configuration.retries.hedgingDelay = .milliseconds(100)
        }
        let (get, delete) = (try self.request(), try self.request("DELETE"))
        let change = Task { try await session.response(for: delete).status }
        await clock.waitForSleeps(1)
        clock.advance(by: .milliseconds(100))
        while deletions.elements.count < 2 { await Task.yield() }
        firstGate.open()
        // The end of the first attempt has closed the exchanges by then.
        while !events.names.contains("responseReceived 503") { await Task.yield() }
        let before = Task { try await session.response(for: get).body }
        try await self.wait(1, in: session)
        secondGate.open()
        #expect(try await change.value == .noContent)
        let after = Task { try await session.response(for: get).body }
        try await self.wait(2, in: session)
        #expect(try self.exchanges(of: session).count == 2)
        self.latch.open()
        for call in [before, after] { #expect(try await call.value == Data("answer".utf8)) }
    }

    @Test func `calls that share an exchange retry and follow redirects by themselves`() async throws {
        let count = Recorder<String>()
        let transport = StubTransport { request in
            count.record(request.target)
            for _ in 0..<50 { await Task.yield() }
            switch request.target {
            case "/": return TransportResponse(status: .found, headers: [.location: "/end"])
            default: return count.elements.filter { $0 == "/end" }.count == 1 ? .plain("", status: 503) : .plain("done")
            }
        }
        let session = self.session(transport) { $0.retries = .immediate() }
        let request = try self.request()
        let calls = (0..<10).map { _ in Task { try await session.response(for: request) } }
        for call in calls { #expect(try await call.value.body == Data("done".utf8)) }
        #expect(transport.requests.count < 30)
    }

    @Test(.bug(id: "F326"), arguments: [true, false])
    func `calls under a download rate share one exchange`(_ isOfSession: Bool) async throws {
        let transport = self.waiting { number in
            let body = ScriptedBody([.text("answer "), .text("\(number)")])
            return TransportResponse(status: .ok, body: ResponseBody(source: body, expectedLength: nil))
        }
        let rate = RateLimit(download: 1_000_000)
        let session = self.session(transport) { if isOfSession { $0.rateLimit = rate } }
        var request = try self.request()
        if !isOfSession { request.rateLimit = rate }
        let calls = (0..<100).map { _ in Task { [request] in try await session.response(for: request) } }
        try await self.wait(100, in: session)
        self.latch.open()
        for call in calls { #expect(try await call.value.body == Data("answer 1".utf8)) }
        #expect(transport.requests.count == 1)
    }

    @Test(.bug(id: "F326")) func `a shared exchange keeps the download rate and the limit of a response`() async throws
    {
        let clock = ManualSessionClock()
        let transport = self.waiting { _ in
            let body = ScriptedBody([.bytes(100_000), .bytes(1)])
            return TransportResponse(status: .ok, body: ResponseBody(source: body, expectedLength: nil))
        }
        let session = self.session(transport) { configuration in
            configuration.clock = clock.clock
            configuration.rateLimit = RateLimit(download: 50_000)
            configuration.limits.responseByteCount = 100_000
        }
        let request = try self.request()
        let calls = (0..<3).map { _ in Task { try await session.response(for: request) } }
        try await self.wait(3, in: session)
        self.latch.open()
        // A second's bytes may come at once.
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(1))
        for call in calls {
            let error = await #expect(throws: SessionError.self) { try await call.value }
            #expect(error?.code == .responseTooLarge)
            #expect(error?.isRequestSent == true)
        }
        #expect(transport.requests.count == 1)
    }

    @Test(.bug(id: "F326"), arguments: [nil, 1_000_000_000] as [Int64?])
    func `one request reaches a real server`(_ rate: Int64?) async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.respond(to: "/any") { _ in
                ScriptedResponse(body: .pattern(100_000), effect: .hold(.beforeResponse, until: gate))
            }
            let transport = try server.makeTransport()
            let session = self.session(transport) { $0.rateLimit = rate.map { RateLimit(download: $0) } }
            let request = Request(url: try Peer.url("\(server.url)/any"))
            let calls = (0..<20).map { _ in Task { try await session.response(for: request) } }
            try await self.wait(20, in: session)
            gate.open()
            for call in calls { #expect(try await call.value.body == Data(PatternBytes.bytes(100_000))) }
            #expect(server.untakenRequestCount == 1)
            await transport.shutdown()
        }
    }
}
