// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct ChallengeHandlerTests {
    typealias Decision = AuthenticationChallenge.Decision
    typealias Stage = AuthenticationStageTests

    struct Failure: Error {}

    private static let right = Credential.password("ada", "s3cret")

    private func transport() -> StubTransport {
        Stage.guarded("Digest realm=\"r\", nonce=\"n\", qop=auth", "Basic realm=\"r\"") { $0 == Stage.basicField }
    }

    @Test(arguments: [true, false])
    func `1.3.6 a credential of a handler is used, and remembered if the handler is the session's`(
        _ isSessions: Bool
    ) async throws {
        let transport = self.transport()
        let asked = Recorder<AuthenticationChallenge>()
        let handler: AuthenticationChallenge.Handler = { challenge in
            asked.record(challenge)
            return challenge.scheme == .basic ? .use(Self.right) : .rejectProtectionSpace
        }
        var policy = AuthenticationPolicy.anonymous
        if isSessions { policy.onChallenge = handler }
        let session = Stage.session(transport, policy)
        var request = try Stage.request()
        if !isSessions { request.onAuthenticationChallenge = handler }
        #expect(try await session.response(for: request).status == .ok)
        #expect(asked.elements.map(\.scheme) == [.digest, .basic])
        #expect(asked.elements.allSatisfy { $0.space == ProtectionSpace(origin: Stage.home, realm: "r") })
        #expect(asked.elements.allSatisfy { $0.previousFailureCount == 0 && $0.response.status == .unauthorized })
        #expect(try await session.response(for: request).status == .ok)
        #expect(asked.elements.count == (isSessions ? 2 : 4))
        #expect(try await session.response(for: Stage.request()).status == (isSessions ? .ok : .unauthorized))
    }

    @Test func `1.3.7 the request's handler is asked before the session's, and both before the rules`() async throws {
        let asked = Recorder<String>()
        var policy = AuthenticationPolicy.basic("ada", "s3cret", for: Stage.home)
        policy.onChallenge = { _ in
            asked.record("session")
            return .performDefaultHandling
        }
        let session = Stage.session(self.transport(), policy)
        var request = try Stage.request()
        request.onAuthenticationChallenge = { _ in
            asked.record("request")
            return .performDefaultHandling
        }
        #expect(try await session.response(for: request).status == .ok)
        #expect(asked.elements == ["request", "session", "request", "session"])
    }

    @Test(arguments: [
        AuthenticationPolicy.anonymous, .password("bob", "wrong"), .basic("bob", "wrong", isPreemptive: true),
    ])
    func `a request's own policy replaces the session's handler, and what that has answered before`(
        _ own: AuthenticationPolicy
    ) async throws {
        let transport = self.transport()
        var policy = AuthenticationPolicy.anonymous
        policy.onChallenge = { $0.scheme == .basic ? .use(Self.right) : .rejectProtectionSpace }
        let session = Stage.session(transport, policy)
        var request = try Stage.request()
        #expect(try await session.response(for: request).status == .ok)
        let before = transport.requests.count
        request.authentication = own
        #expect(try await session.response(for: request).status == .unauthorized)
        let fields = Stage.fields(transport)[before...]
        #expect(!fields.isEmpty && !fields.contains(Stage.basicField))
        if own.isNone { #expect(fields.elementsEqual([nil])) }
    }

    @Test func `the handler of a request's own policy is asked after the request's, for that request alone`()
        async throws
    {
        let asked = Recorder<String>()
        var policy = AuthenticationPolicy.anonymous
        policy.onChallenge = { challenge in
            asked.record("policy")
            return challenge.scheme == .basic ? .use(Self.right) : .rejectProtectionSpace
        }
        let session = Stage.session(self.transport(), .anonymous)
        var request = try Stage.request()
        request.authentication = policy
        request.onAuthenticationChallenge = { _ in
            asked.record("request")
            return .performDefaultHandling
        }
        for _ in 0..<2 { #expect(try await session.response(for: request).status == .ok) }
        let once = ["request", "policy", "request", "policy"]
        #expect(asked.elements == once + once)
        #expect(try await session.response(for: Stage.request()).status == .unauthorized)
    }

    @Test func `1.3.7 a handler is told how often it was wrong, and the same answer is not sent twice`() async throws {
        let counts = Recorder<Int>()
        let transport = Stage.guarded("Basic realm=\"r\"") { $0 == Stage.basicField }
        let session = Stage.session(transport, .anonymous)
        var request = try Stage.request()
        request.onAuthenticationChallenge = { challenge in
            counts.record(challenge.previousFailureCount)
            return .use(challenge.previousFailureCount < 2 ? .password("ada", "\(counts.elements.count)") : Self.right)
        }
        #expect(try await session.response(for: request).status == .ok)
        #expect(counts.elements == [0, 1, 2])
        request.onAuthenticationChallenge = { _ in .use(.password("ada", "wrong")) }
        let before = transport.requests.count
        #expect(try await session.response(for: request).status == .unauthorized)
        #expect(transport.requests.count == before + 2)
    }

    /// A token, and what is sent with tokens that are refreshed before the handler is asked.
    @Test(arguments: [
        (AuthenticationPolicy.bearer("old", for: Stage.home), ["Bearer old"]),
        (
            .tokens(TokenSource(FakeAuthenticator(), token: AccessToken("old")), for: Stage.home),
            ["Bearer old", "Bearer fresh1"]
        ),
    ])
    func `a handler is asked about the 401 that refuses a token for good`(
        _ policy: AuthenticationPolicy,
        _ tokens: [String]
    ) async throws {
        let transport = self.transport()
        let session = Stage.session(transport, policy)
        let counts = Recorder<Int>()
        var request = try Stage.request()
        request.onAuthenticationChallenge = { challenge in
            counts.record(challenge.previousFailureCount)
            return challenge.scheme == .basic ? .use(Self.right) : .rejectProtectionSpace
        }
        #expect(try await session.response(for: request).status == .ok)
        #expect(Stage.fields(transport) == tokens + [Stage.basicField])
        #expect(counts.elements == [1, 1])
    }

    @Test func `1.3.7 rejecting every space delivers the response`() async throws {
        let transport = self.transport()
        var policy = AuthenticationPolicy.password("ada", "s3cret", for: Stage.home)
        policy.onChallenge = { _ in .rejectProtectionSpace }
        #expect(try await Stage.session(transport, policy).response(for: Stage.request()).status == .unauthorized)
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [true, false]) func `1.3.7 cancelling and throwing end the call`(_ isThrowing: Bool) async throws {
        var policy = AuthenticationPolicy.anonymous
        policy.onChallenge = { _ in
            if isThrowing { throw Failure() }
            return .cancel
        }
        let session = Stage.session(self.transport(), policy)
        let error = await #expect(throws: SessionError.self) { try await session.response(for: Stage.request()) }
        #expect(error?.code == .authenticationCancelled)
        #expect((error?.underlying is Failure) == isThrowing)
        #expect(error?.status == .unauthorized)
    }

    @Test func `a credential of the wrong kind answers nothing`() async throws {
        let transport = self.transport()
        var policy = AuthenticationPolicy.anonymous
        policy.onChallenge = { _ in .use(.bearer("t")) }
        #expect(try await Stage.session(transport, policy).response(for: Stage.request()).status == .unauthorized)
        #expect(transport.requests.count == 1)
    }
}
