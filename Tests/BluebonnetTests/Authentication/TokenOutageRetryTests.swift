// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// A token server that is away for a moment, and those that wait for a server that is away.
@Suite(.timeLimit(.minutes(1))) struct TokenOutageRetryTests {
    private struct Failure: Error {}

    /// Why a refresh fails, and whether that may pass.
    enum Outage: String, CaseIterable, Sendable {
        case refused, limit, slow, busy, revoked, untrusted, other

        var isTransient: Bool {
            switch self {
            case .refused, .limit, .slow, .busy: true
            case .revoked, .untrusted, .other: false
            }
        }

        var error: any Error {
            switch self {
            case .refused: SessionError(.connectFailed, reason: "it is down")
            case .limit: SessionError(.timedOut, reason: "it is slow", phase: .total)
            case .slow: SessionError(.timedOut, reason: "the refresh did not end")
            case .busy: OAuth2Error(.invalidResponse, reason: "no document", status: .serviceUnavailable)
            case .revoked: OAuth2Error(.invalidGrant, reason: "revoked", status: .badRequest)
            case .untrusted: SessionError(.untrustedCertificate, reason: "another authority")
            case .other: Failure()
            }
        }
    }

    /// A source whose first refreshes fail.
    private static func tokens(
        failing count: Int,
        _ outage: Outage = .refused
    ) -> (source: TokenSource, authenticator: FakeAuthenticator) {
        let authenticator = FakeAuthenticator { call, _ in
            if call <= count { throw outage.error }
            return AccessToken("fresh")
        }
        return (TokenSource(authenticator), authenticator)
    }

    private static func configuration(_ tokens: TokenSource, for origin: Origin) -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.authentication = .tokens(tokens, for: origin)
        return configuration
    }

    @Test(.bug(id: "F808"), arguments: Outage.allCases, ["GET", "POST"])
    func `a request is tried again if its token could not be refreshed for a reason that may pass`(
        _ outage: Outage,
        _ method: String
    ) async throws {
        let (source, authenticator) = Self.tokens(failing: 2, outage)
        var configuration = Self.configuration(source, for: AuthenticationStageTests.home)
        configuration.retries = .immediate()
        let transport = TokenServer("fresh").transport
        let session = Session(configuration: configuration, transport: transport)
        let request = try RetryTable.request(method)
        guard outage.isTransient else {
            let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
            #expect(error?.code == .authenticationFailed && error?.failedAttempts.isEmpty == true)
            return #expect(authenticator.calls.elements.count == 1)
        }
        let response = try await session.response(for: request)
        #expect(response.status == .ok)
        #expect(response.failedAttempts.map(\.error?.code) == [.authenticationFailed, .authenticationFailed])
        #expect(transport.requests.count == 1)
    }

    @Test(.bug(id: "F808")) func `the limit of refreshes is no other failure than that of the refreshes`() async throws
    {
        let (source, authenticator) = Self.tokens(failing: 100)
        var configuration = Self.configuration(source, for: AuthenticationStageTests.home)
        configuration.retries = .immediate(attempts: 8)
        let session = Session(configuration: configuration, transport: StubTransport())
        let error = await #expect(throws: SessionError.self) {
            try await session.response(for: AuthenticationStageTests.request())
        }
        #expect(error?.failedAttempts.count == 7)
        #expect((error?.underlying as? SessionError)?.code == .connectFailed)
        #expect(authenticator.calls.elements.count == 5)
    }

    @Test(.bug(id: "F808"), arguments: [Outage.refused, .limit, .slow, .revoked, .other])
    func `an event stream waits for a token server that is away`(_ outage: Outage) async throws {
        let (source, _) = Self.tokens(failing: 2, outage)
        let transport = StubTransport { _ in .text("data: a\n\n", type: "text/event-stream") }
        let session = Session(
            configuration: Self.configuration(source, for: AuthenticationStageTests.home),
            transport: transport
        )
        let options = EventSourceTests.options { $0.reconnectionTime = .zero }
        let read = { @Sendable () async throws -> String? in
            for try await event in session.events(for: try AuthenticationStageTests.request(), reconnecting: options) {
                return event.data
            }
            return nil
        }
        guard outage.isTransient else {
            let error = await #expect(throws: SessionError.self) { try await read() }
            return #expect(error?.code == .authenticationFailed)
        }
        #expect(try await read() == "a")
    }

    @Test(.bug(id: "F808"), arguments: [Outage.refused, .busy, .revoked])
    func `a transfer of a queue waits for a token server that is away`(_ outage: Outage) async throws {
        try await TransferQueueScene.run { scene in
            scene.server.respond(to: "/file") { request in
                let isLetIn = request.headers[.authorization] == "Bearer fresh"
                return ScriptedResponse(status: isLetIn ? .ok : .unauthorized, body: .text("content"))
            }
            let (source, _) = Self.tokens(failing: 3, outage)
            let session = Session(
                configuration: Self.configuration(source, for: try Origin(scene.url())),
                transport: scene.transport
            )
            let queue = try await TransferQueue(at: scene.folder, session: session, options: .quick)
            let id = try await queue.add(scene.download())
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == (outage.isTransient ? .finished : .failed))
            #expect(queue[id]?.failure?.code == (outage.isTransient ? nil : .authenticationFailed))
            await queue.shutdown()
        }
    }
}
