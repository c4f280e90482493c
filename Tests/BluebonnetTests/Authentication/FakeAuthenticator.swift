// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes

@testable import Bluebonnet

/// An authenticator that does what a test says, and counts.
struct FakeAuthenticator: Authenticator {
    /// The token that each refresh was begun with.
    let calls = Recorder<String?>()
    let action: @Sendable (Int, RefreshContext) async throws -> AccessToken

    init(_ action: @escaping @Sendable (Int, RefreshContext) async throws -> AccessToken) {
        self.action = action
    }

    /// Numbers its tokens.
    init() {
        self.init { count, _ in AccessToken("fresh\(count)") }
    }

    func refresh(_ token: AccessToken?, _ context: RefreshContext) async throws -> AccessToken {
        self.calls.record(token?.value)
        return try await self.action(self.calls.elements.count, context)
    }
}

/// A server that lets one token in at a time.
final class TokenServer: Sendable {
    let accepted: Recorder<String>
    let transport: StubTransport

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - first: The token that it lets in.
    ///   - count: It answers nobody before so many requests have come.
    init(_ first: String, holding count: Int = 0) {
        let arrived = Recorder<Bool>()
        let accepted = Recorder<String>()
        accepted.record("Bearer \(first)")
        self.accepted = accepted
        self.transport = StubTransport { request in
            arrived.record(true)
            while arrived.elements.count < count { await Task.yield() }
            let isLetIn = request.headers[.authorization] == accepted.elements.last
            return .plain("", status: isLetIn ? 200 : 401)
        }
    }

    func accept(_ token: String) { self.accepted.record("Bearer \(token)") }

    /// A session that uses a source, and a clock if there is one.
    func session(_ tokens: TokenSource, _ clock: SessionClock = .system, limit: Int? = nil) -> Session {
        var configuration = Session.Configuration()
        configuration.authentication = .tokens(tokens, for: AuthenticationStageTests.home)
        configuration.clock = clock
        configuration.maximumConcurrentRequests = limit
        return Session(configuration: configuration, transport: self.transport)
    }
}
