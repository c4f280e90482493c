// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Bluebonnet

/// What a session may still send after its end.
@Suite(.timeLimit(.minutes(1))) struct SessionEndExchangeTests {
    private let clock = ManualSessionClock()
    private let request: Request

    init() throws {
        self.request = Request(url: try Peer.url("http://h/"))
    }

    /// What would begin another exchange.
    enum Further: String, CaseIterable, CustomTestStringConvertible {
        case retry, redirect, challenge

        var testDescription: String { self.rawValue }

        var first: TransportResponse {
            switch self {
            case .retry: TransportResponse(status: .serviceUnavailable)
            case .redirect: TransportResponse(status: .found, headers: [.location: "/next"])
            case .challenge: TransportResponse(status: .unauthorized, headers: [.wwwAuthenticate: #"Basic realm="r""#])
            }
        }
    }

    @Test(.bug(id: "F474"), arguments: Further.allCases, [false, true])
    func `no exchange begins after the end, on any transport`(_ further: Further, _ isGraceful: Bool) async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Void.self)
        let transport = StubTransport { _ in
            for await _ in answers { break }
            return further.first
        }
        var configuration = Session.Configuration()
        configuration.clock = self.clock.clock
        configuration.retries = .idempotent(attempts: 3)
        var request = self.request
        request.authentication = .password("ada", "x")
        let session = Session(configuration: configuration, transport: transport)
        let call = Task { [request] in try await session.response(for: request) }
        while transport.requests.isEmpty { await Task.yield() }
        await session.shutdown(isGraceful, self.clock)
        continuation.yield()
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .shutDown)
        #expect(error?.isRequestSent == true)
        #expect(transport.requests.count == 1)
        #expect(session.admission.counts == (0, 0))
    }

    @Test(.bug(id: "F474")) func `the end of a session on the shared engine ends its waits and its retries`()
        async throws
    {
        try await TestServer.withServer { server in
            server.respond { _ in ScriptedResponse(status: 503, headers: [.retryAfter: "30"]) }
            var configuration = Session.Configuration()
            configuration.clock = self.clock.clock
            configuration.retries = .idempotent(attempts: 3)
            let session = Session(configuration: configuration)
            let request = Request(url: try Peer.url("\(server.url)/"))
            let call = Task { try await session.response(for: request) }
            await self.clock.waitForSleeps(1)
            await session.shutdown()
            await #expect(throws: SessionError(.shutDown, reason: "")) { try await call.value }
        }
    }
}

extension Session {
    /// Ends the session at once, or after a limit that has passed.
    fileprivate func shutdown(_ isGraceful: Bool, _ clock: ManualSessionClock) async {
        guard isGraceful else { return await self.shutdown() }
        let end = Task { await self.shutdown(within: .seconds(10)) }
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(10))
        await end.value
    }
}
