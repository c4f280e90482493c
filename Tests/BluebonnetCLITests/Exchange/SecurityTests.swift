// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import Testing

@testable import BluebonnetCLI

@Suite(.timeLimit(.minutes(1))) struct SecurityTests {
    private static func withServer(
        _ tls: TestServer.TLS,
        _ body: (TestServer, TemporaryFolder, _ trusting: [String]) async throws -> Void
    ) async throws {
        let server = try await TestServer.start(tls: tls)
        let folder = try TemporaryFolder()
        let root = try folder.add("root.pem", String(decoding: server.certificateAuthority.pem, as: UTF8.self))
        do {
            try await body(server, folder, ["--cacert", root])
        } catch {
            await server.shutdown()
            throw error
        }
        await server.shutdown()
    }

    @Test func `a client certificate is shown, its key in the same file or in another`() async throws {
        var tls = TestServer.TLS()
        tls.clientCertificates = .required
        try await Self.withServer(tls) { server, folder, trusting in
            let identity = try server.certificateAuthority.makeClientIdentity()
            let certificate = String(decoding: identity.certificatePEM, as: UTF8.self)
            let key = String(decoding: identity.privateKeyPEM, as: UTF8.self)
            let files = try [
                folder.add("a:b.pem", certificate), folder.add("key.pem", key), folder.add("c.pem", certificate + key),
            ]
            let first = files[0].replacing(":", with: "\\:")
            for options in [
                ["--cert", first, "--key", files[1]], ["--cert", files[2]], ["--cert", files[2] + ":unused"],
            ] {
                let console = TestConsole()
                #expect(
                    await console.run(trusting + options + [server.url + "/status/200"]) == .success,
                    "\(console.errors.text)"
                )
                #expect(try await server.takeRequest().clientCertificate != nil)
            }
            let console = TestConsole()
            #expect(await console.run(trusting + [server.url]) == .transport)
            #expect(console.errors.text.contains("--cert FILE"), "\(console.errors.text)")
        }
    }

    @Test(arguments: [
        (["--key", "/dev/null"], "--cert FILE"), (["--cert", "/nonexistent/c.pem"], "No such file"),
        (["--tls-min", "1.1"], "--tls-min"), (["--tls-min", "1.3", "--ssl", "tls1.2"], "leaves no version"),
    ]) func `options that make no sense are refused`(_ options: [String], _ explanation: String) async {
        let console = TestConsole()
        #expect(await console.run(options + ["https://localhost:1"]) == .usage)
        #expect(console.errors.text.contains(explanation), "\(console.errors.text)")
    }

    @Test func `a lowest version is asked for`() async throws {
        var tls = TestServer.TLS()
        tls.maximumVersion = .tls12
        try await Self.withServer(tls) { server, _, trusting in
            let console = TestConsole()
            #expect(await console.run(trusting + ["--tls-min", "1.2", server.url]) == .success)
            #expect(await console.run(trusting + ["--tls-min", "1.3", server.url]) == .transport)
            #expect(console.errors.text.contains("no version of TLS"), "\(console.errors.text)")
        }
    }

    @Test func `the timing names what protects the connection`() async throws {
        try await Self.withServer(TestServer.TLS()) { server, _, trusting in
            let console = TestConsole()
            #expect(await console.run(trusting + ["--print", "m", server.url]) == .success)
            #expect(console.output.text.contains("security TLS 1.3, TLS_AES_"), "\(console.output.text)")
        }
    }

    @Test func `secrets are written where SSLKEYLOGFILE says`() async throws {
        try await Self.withServer(TestServer.TLS()) { server, folder, trusting in
            let path = try folder.add("keys.log", "")
            var test = TestConsole()
            test.console.environment["SSLKEYLOGFILE"] = path
            #expect(await test.run(trusting + [server.url]) == .success)
            let text = String(decoding: try LocalFile.bytes(path), as: UTF8.self)
            #expect(text.contains("CLIENT_TRAFFIC_SECRET_0 "))
        }
    }

    @Test(.bug(id: "F548")) func `the secrets of the connection to an https proxy are written, too`() async throws {
        try await Self.withServer(TestServer.TLS()) { proxy, folder, trusting in
            let path = try folder.add("keys.log", "")
            var test = TestConsole()
            test.console.environment["SSLKEYLOGFILE"] = path
            #expect(await test.run(trusting + ["--proxy", proxy.url, "http://origin.invalid/"]) == .success)
            let text = String(decoding: try LocalFile.bytes(path), as: UTF8.self)
            #expect(text.contains("CLIENT_TRAFFIC_SECRET_0 "), "\(test.errors.text)")
        }
    }

    @Test(
        .bug(id: "F548"),
        arguments: [
            ([], .success), (["--tls-min", "1.3"], .transport), (["--ssl", "tls1.3"], .transport),
            // The certificate of the proxy has no RSA key.
            (["--ciphers", "ECDHE-RSA-AES128-GCM-SHA256"], .transport),
        ] as [([String], CommandStatus)]
    )
    func `an https proxy has to agree to the versions and cipher suites`(
        _ options: [String],
        _ status: CommandStatus
    ) async throws {
        var tls = TestServer.TLS()
        tls.maximumVersion = .tls12
        try await Self.withServer(tls) { proxy, _, trusting in
            let console = TestConsole()
            let words = trusting + options + ["--proxy", proxy.url, "http://origin.invalid/"]
            #expect(await console.run(words) == status, "\(console.errors.text)")
            _ = proxy.takeFailures()
        }
    }

    @Test(.bug(id: "F549"), arguments: [(["--follow"], false), (["curl", "--location"], true)])
    func `a client certificate stays on its origin, except for curl`(
        _ words: [String],
        _ isShown: Bool
    ) async throws {
        var tls = TestServer.TLS()
        tls.clientCertificates = .optional
        try await Self.withServer(tls) { other, _, _ in
            try await Self.withServer(tls) { server, folder, trusting in
                let identity = try server.certificateAuthority.makeClientIdentity()
                let pem = String(decoding: identity.certificatePEM + identity.privateKeyPEM, as: UTF8.self)
                let certificate = try folder.add("client.pem", pem)
                server.enqueue(ScriptedResponse(status: .found, headers: [.location: other.url + "/status/200"]))
                let console = TestConsole()
                let all = words + trusting + ["--cert", certificate, server.url + "/a"]
                #expect(await console.run(all) == .success, "\(console.errors.text)")
                #expect(try await server.takeRequest().clientCertificate != nil)
                #expect(try await (other.takeRequest().clientCertificate != nil) == isShown)
            }
        }
    }
}
