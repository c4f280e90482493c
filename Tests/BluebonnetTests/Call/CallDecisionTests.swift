// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Functions of the program that decide, for example by asking a person, and do not end when their task is cancelled.
@Suite(.timeLimit(.minutes(1))) struct CallDecisionTests {
    enum Function: CaseIterable, Sendable {
        case challengeHandler, redirectPolicy, retryPolicy
    }

    enum End: CaseIterable, Sendable { case deadline, cancellation }

    private let clock = ManualSessionClock()
    private let asked = Latch()
    private let answered = Recorder<Bool>()

    private func ask() async {
        self.asked.open()
        while self.answered.elements.isEmpty { await Task.yield() }
    }

    private func session(_ function: Function) -> Session {
        var configuration = Session.Configuration()
        configuration.clock = self.clock.clock
        let response: TransportResponse
        switch function {
        case .challengeHandler:
            response = .plain("", status: 401, headers: [.wwwAuthenticate: #"Basic realm="r""#])
            configuration.authentication.onChallenge = { _ in
                await self.ask()
                return .performDefaultHandling
            }
        case .redirectPolicy:
            response = .plain("", status: 302, headers: [.location: "/x"])
            configuration.redirects = RedirectPolicy { _ in
                await self.ask()
                return nil
            }
        case .retryPolicy:
            response = .plain("", status: 503)
            configuration.retries = RetryPolicy { _ in
                await self.ask()
                return .stop
            }
        }
        return Session(configuration: configuration, transport: StubTransport { _ in response })
    }

    @Test(.bug(id: "F722"), arguments: Function.allCases, End.allCases)
    func `a decision that does not come is waited for until the call ends`(
        _ function: Function,
        _ end: End
    ) async throws {
        let session = self.session(function)
        var request = Request(url: try Peer.url("http://h/"))
        if end == .deadline { request.options.totalTimeout = .seconds(2) }
        let call = Task { [request] in try await session.response(for: request) }
        await self.asked.wait()
        switch end {
        case .deadline:
            self.clock.advance(by: .seconds(2))
            let error = await #expect(throws: SessionError.self) { try await call.value }
            #expect(error?.code == .timedOut && error?.phase == .total && error?.isRequestSent == true)
            #expect(error?.reason.contains("had not decided") == true)
        case .cancellation:
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        #expect(session.admission.counts == (0, 0))
        self.answered.record(true)
    }

    @Test(.bug(id: "F722"), arguments: Function.allCases)
    func `a decision that takes its time is used`(_ function: Function) async throws {
        let session = self.session(function)
        var request = Request(url: try Peer.url("http://h/"))
        request.options.totalTimeout = .seconds(2)
        let call = Task { [request] in try await session.response(for: request).status.code }
        await self.asked.wait()
        self.clock.advance(by: .seconds(1))
        self.answered.record(true)
        let code = try await call.value
        #expect(code == (function == .challengeHandler ? 401 : function == .redirectPolicy ? 302 : 503))
    }
}
