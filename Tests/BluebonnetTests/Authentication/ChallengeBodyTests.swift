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

    /// Who sends the challenge, and how the response is delivered.
    enum Form: String, CaseIterable, Sendable {
        case collected, streamed, collectedOfProxy, streamedOfProxy

        var isOfProxy: Bool { self == .collectedOfProxy || self == .streamedOfProxy }
        var isCollected: Bool { self == .collected || self == .collectedOfProxy }
    }

    /// What is wrong with the body of the challenge.
    enum Fault: String, CaseIterable, Sendable {
        case cut, coding, stall

        /// The challenge as a server sends it.
        func response(_ status: HTTPResponse.Status, _ headers: HTTPFields) -> ScriptedResponse {
            var headers = headers
            if self == .coding { headers[.contentEncoding] = "gzip" }
            let effect: SocketEffect? =
                switch self {
                case .cut: .close(.afterBody(2))
                case .coding: nil
                case .stall: .stall(.afterBody(2))
                }
            return ScriptedResponse(status: status, headers: headers, body: .text("hello"), effect: effect)
        }
    }

    @Test(.bug(id: "F476"), arguments: Fault.allCases, Form.allCases)
    func `a challenge with a broken body is answered`(_ fault: Fault, _ form: Form) async throws {
        let isProxy = form.isOfProxy
        try await TestServer.withServer { server in
            let status: HTTPResponse.Status = isProxy ? .proxyAuthenticationRequired : .unauthorized
            let field: HTTPField.Name = isProxy ? .proxyAuthenticate : .wwwAuthenticate
            server.enqueue(fault.response(status, [field: #"Basic realm="r""#]))
            server.enqueue(ScriptedResponse(body: .text("yes")))
            var configuration = Session.Configuration()
            var request = try Request(parsing: server.url + "/")
            if isProxy {
                request = try Request(parsing: "http://origin.test/")
                var proxy = Proxy(scheme: .http, host: server.host, port: server.port, username: "ada", password: "x")
                proxy.authentication = .challenged
                configuration.proxy = .fixed(proxy, bypass: try ProxyBypass(""))
            } else {
                request.authentication = .password("ada", "x")
            }
            let transport = try server.makeTransport()
            let session = Session(configuration: configuration, transport: transport)
            if form.isCollected {
                #expect(try await session.response(for: request).body == Data("yes".utf8))
            } else {
                #expect(try await session.send(request).response(upTo: 3).body == Data("yes".utf8))
            }
            await transport.shutdown()
        }
    }

    @Test(.bug(id: "F476")) func `a challenge that is delivered has its body, and what is wrong with it`() async throws
    {
        try await TestServer.withServer { server in
            let headers: HTTPFields = [.wwwAuthenticate: #"Basic realm="r""#]
            server.enqueue(ScriptedResponse(status: .unauthorized, headers: headers, body: .text("hello")))
            server.enqueue(Fault.cut.response(.unauthorized, headers))
            let transport = try server.makeTransport()
            let session = Session(transport: transport)
            let request = try Request(parsing: server.url + "/")
            #expect(try await session.response(for: request).body == Data("hello".utf8))
            let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
            #expect(error?.code == .connectionClosed)
            #expect(error?.status == .unauthorized)
            await transport.shutdown()
        }
    }
}
