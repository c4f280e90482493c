// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import Logging
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct AuthenticationEventTests {
    struct Failure: Error {}

    private let events = AuthenticationEvents()

    private func session(_ transport: StubTransport, _ policy: AuthenticationPolicy) -> Session {
        var configuration = Session.Configuration()
        configuration.authentication = policy
        configuration.observers = [self.events]
        return Session(configuration: configuration, transport: transport)
    }

    private func send(_ session: Session, _ url: String = "http://h/a") async throws {
        _ = try await session.response(for: AuthenticationStageTests.request(url))
    }

    // MARK: Challenges

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var challenges: [String]
        var policy: AuthenticationPolicy
        var isRight = true
        var names: [String]
    }

    static let home = Origin(scheme: .http, host: "h")

    static let cases: [Case] = [
        Case(
            testDescription: "Basic",
            challenges: ["Basic realm=r"],
            policy: .password("ada", "s3cret", for: home),
            names: ["exchange", "401", "answered basic http://h (r)", "exchange", "200", "ended"]
        ),
        Case(
            testDescription: "Digest",
            challenges: ["Digest realm=r, nonce=n0nce, qop=auth", "Basic realm=r"],
            policy: .password("ada", "s3cret", for: home),
            names: ["exchange", "401", "answered digest http://h (r)", "exchange", "200", "ended"]
        ),
        Case(
            testDescription: "a wrong password",
            challenges: ["Basic realm=r"],
            policy: .password("ada", "s3cret", for: home),
            isRight: false,
            names: [
                "exchange", "401", "answered basic http://h (r)", "exchange", "401",
                "refused credentialRefused http://h", "ended",
            ]
        ),
        Case(
            testDescription: "no credential of the kind",
            challenges: ["Negotiate"],
            policy: .password("ada", "s3cret", for: home),
            names: ["exchange", "401", "refused noCredential http://h", "ended"]
        ),
        Case(
            testDescription: "no policy",
            challenges: ["Basic realm=r"],
            policy: .anonymous,
            names: ["exchange", "401", "refused noCredential http://h", "ended"]
        ),
        Case(
            testDescription: "always stale",
            challenges: ["Digest realm=r, nonce=n0nce, qop=auth, stale=true"],
            policy: .digest("ada", "s3cret", for: home),
            isRight: false,
            names: ["exchange", "401"]
                // The third request is sent without an answer, to get a nonce of its own.
                + (0..<5).flatMap { ($0 == 2 ? [] : ["answered digest http://h (r)"]) + ["exchange", "401"] }
                + ["refused tooManyChallenges http://h", "ended"]
        ),
        Case(
            testDescription: "a token that cannot be replaced",
            challenges: ["Bearer"],
            policy: .bearer("0ld", for: home),
            isRight: false,
            names: ["exchange", "401", "refused credentialRefused http://h", "ended"]
        ),
        Case(
            testDescription: "a token",
            challenges: ["Bearer"],
            policy: .tokens(TokenSource(FakeAuthenticator(), token: AccessToken("s3cret")), for: home),
            names: ["exchange", "401", "refresh", "refreshed", "replaced http://h", "exchange", "200", "ended"]
        ),
        Case(
            testDescription: "a token that is wrong when it is new",
            challenges: ["Bearer"],
            policy: .tokens(TokenSource(FakeAuthenticator()), for: home),
            isRight: false,
            names: [
                "refresh", "refreshed", "exchange", "401", "refused credentialRefused http://h", "ended",
            ]
        ),
        Case(
            testDescription: "a refresh that fails",
            challenges: ["Bearer"],
            policy: .tokens(
                TokenSource(FakeAuthenticator { _, _ in throw Failure() }, token: AccessToken("s3cret")),
                for: home
            ),
            names: [
                "exchange", "401", "refresh", "not refreshed authenticationFailed", "failed authenticationFailed",
            ]
        ),
    ]

    @Test(arguments: cases) func `a challenge and a refresh are told inside the call, without secrets`(
        _ one: Case
    ) async throws {
        let transport = StubTransport { request in
            let field = request.headers[.authorization]
            if one.isRight, let field, field != "Bearer s3cret" { return .plain("in") }
            var response = TransportResponse.plain("out", status: 401)
            for challenge in one.challenges {
                response.headers.append(HTTPField(name: .wwwAuthenticate, value: challenge))
            }
            return response
        }
        try? await self.send(self.session(transport, one.policy))
        #expect(self.events.names == one.names)
        for secret in ["s3cret", "YWRhOnMzY3JldA", "fresh1", "n0nce", "ada"] {
            #expect(!self.events.text.contains(secret), "\(secret)")
        }
    }

    @Test func `a body that is gone and a handler that cancels are refusals`() async throws {
        let transport = AuthenticationStageTests.guarded("Basic realm=r") { _ in false }
        let session = self.session(transport, .password("ada", "s3cret", for: Self.home))
        var request = try AuthenticationStageTests.request("http://h/a")
        request.method = .post
        request.body = .stream(length: 4, isReplayable: false) { AuthenticationStageTests.Bytes() }
        _ = try? await session.response(for: request)
        var cancelled = try AuthenticationStageTests.request("http://h/a")
        cancelled.onAuthenticationChallenge = { _ in .cancel }
        _ = try? await session.response(for: cancelled)
        #expect(
            self.events.calls == [
                ["exchange", "401", "refused bodyIsGone http://h", "failed authenticationFailed"],
                ["exchange", "401", "refused cancelled http://h", "failed authenticationCancelled"],
            ]
        )
    }

    @Test func `each call that waits for a refresh is told, and one of them that it has begun it`() async throws {
        let server = TokenServer("fresh1", holding: 20)
        var configuration = Session.Configuration()
        configuration.authentication = .tokens(
            TokenSource(FakeAuthenticator(), token: AccessToken("old")),
            for: Self.home
        )
        configuration.observers = [self.events]
        let session = Session(configuration: configuration, transport: server.transport)
        let results = try await TokenSourceTests.send(20, session)
        #expect(results.allSatisfy { (try? $0.get()) == 200 })
        let names = self.events.names
        #expect(names.count { $0 == "refresh" } == 1)
        #expect(names.count { $0 == "refreshed" } == 1 + names.count { $0 == "joined" })
        #expect(names.count { $0 == "replaced http://h" } == 20)
        for call in self.events.calls { #expect(call.last == "ended" && call.first == "exchange") }
    }

    // MARK: Log

    @Test func `the log has a record for each event, where exchanges are logged, and no secret`() async throws {
        for (style, count) in [(LoggingObserver.Style.line, 0), (.headers, 4), (.cURL, 4)] {
            let records = Recorder<RecordingLogHandler.Record>()
            var configuration = Session.Configuration()
            configuration.observers = [.logging(records.logger(level: .trace), style: style)]
            configuration.authentication = [
                .tokens(TokenSource(FakeAuthenticator(), token: AccessToken("s3cret")), for: Self.home),
                .password("ada", "s3cret", for: Origin(scheme: .http, host: "other")),
            ]
            let transport = StubTransport { request in
                if let field = request.headers[.authorization], field != "Bearer s3cret" { return .plain("in") }
                return .plain("", status: 401, headers: [.wwwAuthenticate: "Basic realm=\"a\tb\""])
            }
            let session = Session(configuration: configuration, transport: transport)
            for url in ["http://h/", "http://other/"] { try await self.send(session, url) }
            let found = records.elements.filter { $0.message.contains("oken") || $0.message.contains("challenge") }
            #expect(found.count == count)
            for record in found {
                #expect(record["call-id"]?.hasPrefix("#") == true)
                for secret in ["s3cret", "fresh1", "YWRhOnMzY3JldA"] { #expect(!"\(record)".contains(secret)) }
            }
            guard count > 0 else { continue }
            #expect(
                found.map(\.message) == [
                    "Token refresh started", "Token refresh ended", "HTTP token replaced", "HTTP challenge answered",
                ]
            )
            #expect(found.last?["scheme"] == "basic" && found.last?["origin"] == "http://other")
        }
    }
}
