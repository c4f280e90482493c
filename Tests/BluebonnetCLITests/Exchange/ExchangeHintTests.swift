// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import Testing

@testable import BluebonnetCLI

/// What is advised where the server or a proxy has not sent a usable response.
@Suite(.timeLimit(.minutes(1))) struct ExchangeHintTests {
    static let closed = ScriptedResponse(effect: .close(.beforeResponse))

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var response: ScriptedResponse
        /// The end of the line; “response” stands for a line without any advice.
        var ending: String

        init(_ name: String, _ response: ScriptedResponse, _ ending: String) {
            (self.testDescription, self.response, self.ending) = (name, response, ending)
        }
    }

    static let cases = [
        Case("nothing", closed, "; check that the port speaks http and not https\n"),
        Case("another protocol", .raw("220 ready\r\n"), "; check that the port speaks http\n"),
        Case(
            "two lengths",
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
            " conflicting Content-Length values\n"
        ),
        Case("a wrong name", .raw("HTTP/1.1 200 OK\r\nA b: c\r\n\r\n"), " no valid field name\n"),
    ]

    @Test(.bug(id: "F745"), arguments: Self.cases)
    func `the port is doubted only if the server may not speak HTTP`(_ example: Case) async throws {
        try await TestServer.withServer { server in
            server.respond(to: "/a") { _ in example.response }
            let console = TestConsole()
            #expect(await console.run(server.url + "/a") == .transport)
            #expect(console.errors.text.hasSuffix(example.ending), "\(console.errors.text)")
        }
    }

    @Test(.bug(id: "F745"), arguments: [false, true])
    func `a port that has spoken TLS is not doubted`(_ isHTTP2: Bool) async throws {
        var configuration = TestServer.Configuration()
        if isHTTP2 { configuration.http2 = .init() }
        try await TestServer.withServer(tls: TestServer.TLS(), configuration: configuration) { server in
            server.respond(to: "/a") { _ in
                var response = isHTTP2 ? ScriptedResponse() : Self.closed
                response.http2Faults = [.resetStream(.beforeResponse, .protocolError)]
                return response
            }
            let folder = try TemporaryFolder()
            let root = try folder.add("root.pem", String(decoding: server.certificateAuthority.pem, as: UTF8.self))
            let console = TestConsole()
            #expect(await console.run("--cacert", root, server.url + "/a") == .transport)
            #expect(!console.errors.text.contains("check that the port"), "\(console.errors.text)")
            #expect(console.errors.text.contains("; try again"), "\(console.errors.text)")
        }
    }

    @Test(
        .bug(id: "F821"),
        arguments: [
            (["--max-redirects=1", "--follow"], "/loop", "--max-redirects COUNT"),
            (["curl", "--max-redirs", "1", "-L"], "/loop", "--max-redirs COUNT"),
            (["--timeout=1"], "/silence", "--timeout SECONDS"),
            (["curl", "-y", "1"], "/silence", "--speed-time SECONDS"),
            (["--max-time=1"], "/silence", "--max-time SECONDS"),
            (["curl", "-m", "1"], "/silence", "--max-time SECONDS"),
            (["--bench=1", "curl", "-y", "1"], "/silence", "--speed-time SECONDS"),
        ]
    )
    func `advice names the options of the command that was written`(
        _ words: [String],
        _ path: String,
        _ advice: String
    ) async throws {
        try await TestServer.withServer { server in
            server.respond(to: "/loop") { _ in ScriptedResponse(status: .found, headers: [.location: "/loop"]) }
            server.respond(to: "/silence") { _ in ScriptedResponse(effect: .hold(.beforeResponse, until: Gate())) }
            let console = TestConsole()
            #expect(await console.run(words + [server.url + path]) == .transport)
            let text = console.errors.text + console.output.text
            #expect(text.contains(" allow more with \(advice)\n"), "\(text)")
        }
    }

    @Test(
        .bug(id: "F821"),
        arguments: [
            (["--timeout=0.05"], "--timeout"), (["curl", "--connect-timeout", "0.05"], "--connect-timeout"),
        ]
    )
    func `advice names the limit of the handshake`(_ words: [String], _ option: String) async throws {
        let listener = try RawListener()
        let console = TestConsole()
        #expect(await console.run(words + ["https://127.0.0.1:\(listener.port)/"]) == .transport)
        #expect(console.errors.text.hasSuffix(", or allow more with \(option) SECONDS\n"), "\(console.errors.text)")
        withExtendedLifetime(listener) {}
    }

    @Test(
        .bug(id: "F820"),
        arguments: [
            (.tlsFailed, .notTLS, "; check that the port speaks https"), (.tlsFailed, nil, ""),
            (.tlsFailed, .clientCertificateMissing, "; give one with --cert FILE"),
            (.tlsFailed, .clientCertificateRefused, ""),
            (.tlsFailed, .handshakeRefused, "; if none was given, give one with --cert FILE"),
            (.protocolViolation, .notHTTP, "; check that the port speaks http"), (.protocolViolation, nil, ""),
            (.proxyAuthenticationRequired, .proxySchemesUnsupported, ""),
            (
                .proxyAuthenticationRequired, .proxyCredentialsRefused,
                "; check the user name and the password in the proxy's URL"
            ),
            (.connectFailed, .descriptorsExhausted, ""), (.connectFailed, .unixSocketUnreachable, ""),
            (.connectFailed, nil, "; check that the server is running and that host and port are right"),
        ] as [(SessionError.Code, TransportError.Cause?, String)]
    )
    func `advice follows the cause of a failure, whatever its reason says`(
        _ code: SessionError.Code,
        _ cause: TransportError.Cause?,
        _ advice: String
    ) {
        var error = SessionError(code, reason: "a reason")
        error.cause = cause
        #expect(CommandFailure(describing: error).message == "a reason" + advice)
    }

    @Test(
        .bug(id: "F745"),
        arguments: [
            ("", "; write them before the host of its URL: name, colon, password, @\n"),
            ("ada:secret@", "; check the user name and the password in the proxy's URL\n"),
        ]
    )
    func `a proxy that wants credentials gets advice that can be followed`(
        _ userInfo: String,
        _ advice: String
    ) async throws {
        try await TestServer.withServer { proxy in
            let challenge = "Proxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n"
            for _ in 0..<2 { proxy.enqueue(.raw("HTTP/1.1 407 Proxy Authentication Required\r\n\(challenge)")) }
            let console = TestConsole()
            let address = proxy.url.split(separator: "//")[1]
            #expect(await console.run("--proxy", "http://\(userInfo)\(address)", "https://h.test/") == .transport)
            #expect(console.errors.text.hasSuffix(advice), "\(console.errors.text)")
            #expect(!console.errors.text.contains("secret"))
        }
    }
}
