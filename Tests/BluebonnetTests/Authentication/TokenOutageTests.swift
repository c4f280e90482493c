// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// A token server that fails or hangs while the token is still good, and sessions that end meanwhile.
@Suite(.timeLimit(.minutes(1))) struct TokenOutageTests {
    typealias Stage = AuthenticationStageTests

    private let clock = ManualSessionClock()
    private let server = TokenServer("old")

    private func tokens(_ authenticator: FakeAuthenticator) -> TokenSource {
        TokenSource(authenticator, token: AccessToken("old", lifetime: .seconds(100), clock: self.clock.clock))
    }

    private func status(_ session: Session) async throws -> Int {
        try await session.response(for: Stage.request()).status.code
    }

    @Test(.bug(id: "F720")) func `a token is sent until it expires while a refresh ahead of time fails`() async throws {
        let authenticator = FakeAuthenticator { _, _ in throw SessionError(.connectFailed, reason: "it is down") }
        let events = AuthenticationEvents()
        var configuration = Session.Configuration()
        configuration.authentication = .tokens(self.tokens(authenticator), for: Stage.home)
        configuration.clock = self.clock.clock
        configuration.observers = [events]
        let session = Session(configuration: configuration, transport: self.server.transport)
        self.clock.advance(by: .seconds(75))
        for _ in 0..<7 { #expect(try await self.status(session) == 200) }
        // The limit of refreshes within 30 seconds; the last two calls are sent without one.
        #expect(authenticator.calls.elements == Array(repeating: "old", count: 5))
        #expect(events.calls.first == ["refresh", "not refreshed authenticationFailed", "exchange", "200", "ended"])
        #expect(events.calls.last == ["exchange", "200", "ended"])
        self.clock.advance(by: .seconds(25))
        let error = await #expect(throws: SessionError.self) { try await self.status(session) }
        #expect(error?.code == .authenticationFailed)
    }

    @Test(.bug(id: "F720")) func `a token server that is back is asked by the next call`() async throws {
        let authenticator = FakeAuthenticator { count, _ in
            if count == 1 { throw SessionError(.timedOut, reason: "it is slow") }
            return AccessToken("fresh")
        }
        let session = self.server.session(self.tokens(authenticator), self.clock.clock)
        self.clock.advance(by: .seconds(75))
        #expect(try await self.status(session) == 200)
        self.server.accept("fresh")
        #expect(try await self.status(session) == 200)
        #expect(self.server.transport.requests.count == 2)
    }

    @Test(.bug(id: "F720"), arguments: [true, false])
    func `a refresh that fails for good, or of a token that a server has refused, fails the call`(
        _ isRefused: Bool
    ) async throws {
        struct Failure: Error {}
        let authenticator = FakeAuthenticator { _, _ in
            throw isRefused ? SessionError(.connectFailed, reason: "it is down") : Failure()
        }
        let session = self.server.session(self.tokens(authenticator), self.clock.clock)
        if isRefused { self.server.accept("another") } else { self.clock.advance(by: .seconds(75)) }
        for _ in 0..<2 {
            let error = await #expect(throws: SessionError.self) { try await self.status(session) }
            #expect(error?.code == .authenticationFailed)
        }
        #expect(authenticator.calls.elements == ["old", isRefused ? "old" : nil])
    }

    @Test(.bug(id: "F721")) func `a session that is shut down ends its waits for a token, and not those of another`()
        async throws
    {
        let gate = Recorder<Bool>()
        // It ignores its cancellation, like a vault that does not respond.
        let authenticator = FakeAuthenticator { _, _ in
            while gate.elements.isEmpty { await Task.yield() }
            return AccessToken("old")
        }
        let tokens = TokenSource(authenticator)
        let (ending, other) = (self.server.session(tokens), self.server.session(tokens))
        let failing = Task { try await self.status(ending) }
        while tokens.waiterCount < 1 { await Task.yield() }
        let waiting = Task { try await self.status(other) }
        while tokens.waiterCount < 2 { await Task.yield() }
        await ending.shutdown()
        let error = await #expect(throws: SessionError.self) { try await failing.value }
        #expect(error?.code == .shutDown)
        gate.record(true)
        #expect(try await waiting.value == 200)
        #expect(authenticator.calls.elements.count == 1)
    }
}
