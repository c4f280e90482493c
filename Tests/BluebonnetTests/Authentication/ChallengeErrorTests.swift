// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// The errors of answering a challenge: the challenged request has been sent.
@Suite(.timeLimit(.minutes(1))) struct ChallengeErrorTests {
    private struct FailingStore: CredentialStore {
        struct Failure: Error {}

        func credential(for space: ProtectionSpace) async throws -> Credential? { throw Failure() }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var policy: AuthenticationPolicy
        var challenge = "Basic realm=\"r\""
        var isSent = true
    }

    private static let home = AuthenticationStageTests.home

    static let cases: [Case] = [
        Case(testDescription: "a user name that Basic cannot send", policy: .basic("a:b", "p", for: home)),
        Case(
            testDescription: "a user name that Digest cannot send",
            policy: .digest("a\n", "p", for: home),
            challenge: "Digest realm=\"r\", nonce=\"n\", qop=auth"
        ),
        Case(testDescription: "a store that fails", policy: .stored(in: FailingStore())),
        Case(
            testDescription: "preemptive Basic",
            policy: .basic("a:b", "p", for: home, isPreemptive: true),
            isSent: false
        ),
    ]

    @Test(.bug(id: "F249"), arguments: Self.cases)
    func `an error after a challenge says that the request was sent`(_ one: Case) async throws {
        let transport = AuthenticationStageTests.guarded(one.challenge) { _ in true }
        let session = AuthenticationStageTests.session(transport, one.policy)
        let error = await #expect(throws: SessionError.self) {
            try await session.response(for: AuthenticationStageTests.request())
        }
        #expect(error?.code == .authenticationFailed)
        #expect(error?.isRequestSent == one.isSent)
        let status: HTTPResponse.Status? = one.isSent ? .unauthorized : nil
        #expect(error?.status == status)
        #expect(transport.requests.count == (one.isSent ? 1 : 0))
    }
}
