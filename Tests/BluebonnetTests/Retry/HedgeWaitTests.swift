// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Attempts that do not wait for the server when a second one would be due.
@Suite(.timeLimit(.minutes(1))) struct HedgeWaitTests {
    private let clock = ManualSessionClock()
    private let events = RetryEvents()

    /// What the first attempt waits for.
    enum Wait: String, CaseIterable, Sendable {
        case handler, redirectPolicy, redirectTime, token
    }

    @Test(.bug(id: "F812"), arguments: Wait.allCases)
    func `an attempt that waits for something else than the server is not hedged`(_ wait: Wait) async throws {
        let (began, gate, asked) = (Latch(), Latch(), Recorder<Bool>())
        let decide: @Sendable () async -> Void = {
            asked.record(true)
            began.open()
            await gate.wait()
        }
        var policy = RetryPolicy.immediate()
        policy.hedgingDelay = .milliseconds(100)
        var configuration = Session.Configuration.retrying(policy, clock: self.clock)
        configuration.observers = [self.events]
        switch wait {
        case .handler:
            configuration.authentication.onChallenge = { _ in
                await decide()
                return .use(.password("ada", "s3cret"))
            }
        case .redirectPolicy:
            configuration.redirects = RedirectPolicy { redirect in
                await decide()
                return redirect.proposedRequest
            }
        case .token:
            let tokens = TokenSource(
                FakeAuthenticator { _, _ in
                    await decide()
                    return AccessToken("fresh")
                }
            )
            configuration.authentication = .tokens(tokens, for: AuthenticationStageTests.home)
        case .redirectTime: break
        }
        let transport = StubTransport { request in
            switch wait {
            case .handler where request.headers[.authorization] == nil:
                .plain("", status: 401, headers: [.wwwAuthenticate: "Basic realm=\"r\""])
            case .redirectPolicy where request.path == "/":
                .plain("", status: 302, headers: [.location: "/next"])
            case .redirectTime where request.path == "/":
                .plain("", status: 302, headers: [.location: "/next", .retryAfter: "1"])
            default: .plain("done")
            }
        }
        let session = Session(configuration: configuration, transport: transport)
        let call = Task { try await session.response(for: RetryTable.request("GET")) }
        if wait == .redirectTime {
            // The delay of the second attempt, and the time that the redirect asks for.
            await self.clock.waitForSleeps(2)
        } else {
            await began.wait()
            await self.clock.waitForSleeps(1)
        }
        self.clock.advance(by: .milliseconds(100))
        for _ in 0..<1_000 { await Task.yield() }
        #expect(transport.requests.count == (wait == .token ? 0 : 1))
        gate.open()
        self.clock.advance(by: .seconds(1))
        #expect(try await call.value.body == Data("done".utf8))
        #expect(asked.elements.count == (wait == .redirectTime ? 0 : 1))
        #expect(!self.events.names.contains("hedged"))
    }
}
