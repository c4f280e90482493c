// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Testing

@testable import BluebonnetCLI

@Suite(.timeLimit(.minutes(1))) struct ExitCodeTests {
    /// A command line against the test server, and how it ends.
    struct Case: CustomTestStringConvertible, Sendable {
        var arguments: [String]
        var status: CommandStatus
        var explanation = ""

        var testDescription: String { self.arguments.joined(separator: " ") }
    }

    @Test(arguments: [
        Case(arguments: ["/status/200"], status: .success),
        Case(arguments: ["/status/404"], status: .success),
        Case(arguments: ["--check-status", "/status/204"], status: .success),
        Case(arguments: ["--check-status", "/status/301"], status: .redirection, explanation: "warning: HTTP 301"),
        Case(arguments: ["--check-status", "/status/404"], status: .clientError, explanation: "warning: HTTP 404"),
        Case(arguments: ["--check-status", "/status/503"], status: .serverError, explanation: "warning: HTTP 503"),
        Case(arguments: ["--check-status", "/status/999"], status: .success),
        Case(arguments: ["--download", "/status/404"], status: .clientError, explanation: "nothing was saved"),
        Case(arguments: ["--timeout", "0.2", "/delay/30"], status: .transport, explanation: "--timeout"),
        Case(
            arguments: ["--max-time", "0.2", "/drip?duration=30&bytes=100"],
            status: .transport,
            explanation: "allow more with --max-time"
        ),
        Case(arguments: ["--auth", "a:b", "--check-status", "/basic-auth/a/b"], status: .success),
        Case(arguments: ["--auth", "a:c", "--check-status", "/basic-auth/a/b"], status: .clientError),
        Case(arguments: ["-A", "bearer", "-a", "t", "--check-status", "/bearer/t"], status: .success),
    ])
    func `ends with the documented code`(_ test: Case) async throws {
        try await TestServer.withServer { server in
            let console = TestConsole()
            let arguments = test.arguments.map { $0.hasPrefix("/") ? server.url + $0 : $0 }
            #expect(await console.run(arguments) == test.status)
            #expect(console.errors.text.contains(test.explanation), "\(console.errors.text)")
            #expect(console.errors.text.count { $0 == "\n" } <= 1)
        }
    }

    @Test(arguments: [
        ("SSH-2.0-OpenSSH_9.2\r\n", "status line"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", ""),
        ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", "before the response's body was complete"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", ""),
        ("", ""),
    ])
    func `a broken response is one line, exit code 2 and no file`(
        _ response: String,
        _ explanation: String
    ) async throws {
        try await TestServer.withServer { server in
            for option in ["--download", "--output=out.bin"] {
                server.enqueue(.raw(response))
                let folder = try TemporaryFolder()
                let console = TestConsole(directory: folder.path)
                #expect(await console.run(option, server.url + "/file.bin") == .transport)
                #expect(console.errors.text.contains(explanation), "\(console.errors.text)")
                #expect(console.errors.text.hasPrefix("bluebonnet: error: "))
                #expect(console.errors.text.count { $0 == "\n" } == 1)
                #expect(folder.names.isEmpty)
            }
        }
    }

    @Test(arguments: [
        (["127.0.0.1:1"], "refused"), (["nosuchhost.invalid"], "no address"),
    ])
    func `a peer that is not there is explained`(_ arguments: [String], _ explanation: String) async {
        let console = TestConsole()
        #expect(await console.run(arguments) == .transport)
        #expect(console.errors.text.lowercased().contains(explanation), "\(console.errors.text)")
    }

    @Test func `an unknown root is refused and an added one is trusted`() async throws {
        let server = try await TestServer.start(tls: TestServer.TLS())
        let folder = try TemporaryFolder()
        let root = try folder.add("root.pem", String(decoding: server.certificateAuthority.pem, as: UTF8.self))
        let refused = TestConsole()
        #expect(await refused.run(server.url + "/json") == .transport)
        #expect(refused.errors.text.contains("--cacert FILE"), "\(refused.errors.text)")
        let trusted = TestConsole()
        #expect(await trusted.run("--cacert", root, server.url + "/json") == .success)
        #expect(trusted.output.text.contains("bluebonnet"))
        let broken = try folder.add("broken.pem", "not a certificate")
        let unreadable = TestConsole()
        #expect(await unreadable.run("--cacert", broken, server.url) == .usage)
        #expect(unreadable.errors.text.count { $0 == "\n" } == 1)
        await server.shutdown()
    }

    @Test(arguments: [
        (CertificateKind.expired, "check the clock"), (.notYetValid, "check the clock"), (.wrongHost, "check the host"),
        (.selfSigned, "--cacert FILE"), (.unknownRoot, "--cacert FILE"), (.weakKey, "needs another certificate"),
    ])
    func `a certificate that is refused comes with advice that helps`(
        _ kind: CertificateKind,
        _ advice: String
    ) async throws {
        let server = try await TestServer.start(tls: TestServer.TLS(certificate: kind))
        let folder = try TemporaryFolder()
        let root = try folder.add("root.pem", String(decoding: server.certificateAuthority.pem, as: UTF8.self))
        let console = TestConsole()
        #expect(await console.run("--cacert", root, server.url) == .transport)
        #expect(console.errors.text.contains(advice), "\(console.errors.text)")
        await server.shutdown()
    }

    @Test func `TLS against a server that speaks plain HTTP is explained in words`() async throws {
        // Not within withServer, which would raise what the server thinks of a TLS greeting.
        let server = try await TestServer.start()
        let console = TestConsole()
        #expect(await console.run(server.url.replacing("http://", with: "https://")) == .transport)
        #expect(console.errors.text.contains("does not speak TLS"), "\(console.errors.text)")
        #expect(!console.errors.text.contains("SSL"))
        await server.shutdown()
    }

    @Test func `cancelling leaves no file and ends with 130`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "0123456789", effect: .throttle(byteCount: 1, every: .seconds(5))))
            let folder = try TemporaryFolder()
            let console = TestConsole(directory: folder.path)
            let task = Task { await console.run("--download", server.url + "/slow.bin") }
            _ = try await server.takeRequest()
            task.cancel()
            #expect(await task.value == .interrupted)
            #expect(folder.names.isEmpty)
            #expect(console.errors.text.isEmpty)
        }
    }
}
