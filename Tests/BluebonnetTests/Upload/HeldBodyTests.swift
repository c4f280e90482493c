// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// Bodies that can be read only once and are held back for 100 (Continue): they are whole until they have been begun.
@Suite(.timeLimit(.minutes(1)), .bug(id: "F856")) struct HeldBodyTests {
    /// Why a request is sent again.
    enum Reason: String, CaseIterable, Sendable {
        case challenge, proxyChallenge, token, redirect, retry

        var response: ScriptedResponse {
            var response =
                switch self {
                case .challenge:
                    ScriptedResponse(status: .unauthorized, headers: [.wwwAuthenticate: #"Basic realm="r""#])
                case .proxyChallenge:
                    ScriptedResponse(
                        status: .proxyAuthenticationRequired,
                        headers: [.proxyAuthenticate: #"Digest realm="r", nonce="n", qop="auth""#]
                    )
                case .token: ScriptedResponse(status: .unauthorized)
                case .redirect: ScriptedResponse(status: .temporaryRedirect, headers: [.location: "/there"])
                case .retry: ScriptedResponse(status: .serviceUnavailable)
                }
            response.isEarly = true
            return response
        }
    }

    private static func send(_ reason: Reason, to server: TestServer) async throws -> Response {
        var configuration = Session.Configuration()
        var request = try Request(parsing: server.url + "/")
        switch reason {
        case .challenge: request.authentication = .password("ada", "s3cret")
        case .proxyChallenge:
            request = try Request(parsing: "http://origin.test/")
            var proxy = Proxy(scheme: .http, host: server.host, port: server.port, username: "ada", password: "s3cret")
            proxy.authentication = .challenged
            configuration.proxy = .fixed(proxy, bypass: try ProxyBypass(""))
        case .token:
            request.authentication = .tokens(TokenSource(FakeAuthenticator(), token: AccessToken("old")))
        case .redirect: break
        case .retry:
            configuration.retries = .idempotent()
            configuration.retries.backoff = .none
        }
        request.method = .put
        let pieces = Mutex(1)
        request.body = .stream(length: 4, isReplayable: false) {
            // Another reader would find nothing.
            Once(
                isLeft: pieces.withLock { pieces in
                    defer { pieces = 0 }
                    return pieces > 0
                }
            )
        }
        request.transportOptions.continueTimeout = .seconds(50)
        let transport = try server.makeTransport()
        let session = Session(configuration: configuration, transport: transport)
        do {
            let response = try await session.response(for: request)
            await transport.shutdown()
            return response
        } catch {
            await transport.shutdown()
            throw error
        }
    }

    /// Each reason over plain HTTP, and over TLS all but the challenge of a proxy that forwards.
    private static let cases: [(Reason, Bool)] =
        Reason.allCases.map { ($0, false) } + Reason.allCases.filter { $0 != .proxyChallenge }.map { ($0, true) }

    @Test(arguments: cases)
    func `a body that nobody has begun is sent with the next request`(_ reason: Reason, _ isSecure: Bool) async throws {
        try await TestServer.withServer(tls: isSecure ? TestServer.TLS() : nil) { server in
            server.enqueue(reason.response)
            server.enqueue(ScriptedResponse(body: .text("yes")))
            #expect(try await Self.send(reason, to: server).body == Data("yes".utf8))
            _ = try await server.takeRequest()
            #expect(try await server.takeRequest().body == Array("aaaa".utf8))
        }
    }

    @Test func `a body that must be hashed first cannot answer a challenge`() async throws {
        try await TestServer.withServer { server in
            var response = ScriptedResponse(
                status: .unauthorized,
                headers: [.wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth-int""#]
            )
            response.isEarly = true
            server.enqueue(response)
            let error = await #expect(throws: SessionError.self) { try await Self.send(.challenge, to: server) }
            #expect(error?.code == .authenticationFailed)
        }
    }

    @Test(arguments: [Reason.challenge, .redirect]) func `a body that was begun is not sent again`(
        _ reason: Reason
    ) async throws {
        try await TestServer.withServer { server in
            var response = reason.response
            response.isEarly = false
            server.enqueue(response)
            let error = await #expect(throws: SessionError.self) {
                try await Self.send(reason, to: server)
            }
            #expect(error?.reason.contains("read only once") == true)
        }
    }

    private struct Once: BodyReader {
        var isLeft: Bool

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            guard self.isLeft else { return 0 }
            self.isLeft = false
            for index in 0..<4 { buffer[index] = 0x61 }
            return 4
        }
    }
}
