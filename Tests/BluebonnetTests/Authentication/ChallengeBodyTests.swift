// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// The body of a challenge: it is not wanted, so its size is no reason to fail.
@Suite(.timeLimit(.minutes(1))) struct ChallengeBodyTests {
    /// Who has the credentials, in a session that has no policy of its own.
    enum Owner: String, CaseIterable, Sendable { case userInformation, request, proxy }

    @Test(arguments: Owner.allCases)
    func `a challenge is answered however large its body is`(_ owner: Owner) async throws {
        try await TestServer.withServer { server in
            let challenge = #"Digest realm="r", nonce="n", qop="auth""#
            server.enqueue(
                ScriptedResponse(
                    status: owner == .proxy ? .proxyAuthenticationRequired : .unauthorized,
                    headers: owner == .proxy ? [.proxyAuthenticate: challenge] : [.wwwAuthenticate: challenge],
                    body: .pattern(200_000)
                )
            )
            server.enqueue(ScriptedResponse(body: .text("yes")))
            var configuration = Session.Configuration()
            configuration.redirects = .none
            configuration.limits.responseByteCount = 100_000
            var request = try Request(parsing: server.url + "/")
            switch owner {
            case .userInformation:
                request = try Request(parsing: "http://ada:s3cret@\(server.host):\(server.port)/")
            case .request: request.authentication = .digest("ada", "s3cret")
            case .proxy:
                request = try Request(parsing: "http://origin.test/")
                let proxy = Proxy(
                    scheme: .http,
                    host: server.host,
                    port: server.port,
                    username: "ada",
                    password: "s3cret"
                )
                configuration.proxy = .fixed(proxy, bypass: try ProxyBypass(""))
            }
            let transport = try server.makeTransport()
            let session = Session(configuration: configuration, transport: transport)
            let response = try? await session.response(for: request)
            await transport.shutdown()
            #expect(response?.body == Data("yes".utf8))
        }
    }
}
