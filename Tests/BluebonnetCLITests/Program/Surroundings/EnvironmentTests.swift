// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import Testing

/// The real program in a real environment: what is in it reaches the engine.
@Suite(.timeLimit(.minutes(1))) struct EnvironmentTests {
    @Test(.bug(id: "F1"), arguments: ["http_proxy", "all_proxy", "ALL_PROXY"])
    func `a proxy variable of the process is used`(_ name: String) async throws {
        try await TestServer.withServer { proxy in
            proxy.enqueue(ScriptedResponse(body: "through the proxy"))
            let result = try await Program(environment: [name: proxy.url]).run("http://origin.invalid/x?y=1")
            #expect(result.output == "through the proxy")
            #expect(result.errors == "")
            #expect(result.ending == .exited(0))
            #expect(try await proxy.takeRequest().target == "http://origin.invalid/x?y=1")
        }
    }

    @Test(.bug(id: "F1")) func `a dead proxy is an error, and the origin is not asked`() async throws {
        try await TestServer.withServer { server in
            let result = try await Program(environment: ["http_proxy": "http://127.0.0.1:1"]).run(server.url)
            #expect(result.ending == .exited(2))
            #expect(result.errors.contains("proxy"), "\(result.errors)")
            #expect(server.untakenRequestCount == 0)
        }
    }

    @Test(.bug(id: "F1")) func `no_proxy leaves a host out`() async throws {
        try await TestServer.withServer { server in
            let environment = ["http_proxy": "http://127.0.0.1:1", "no_proxy": "127.0.0.1"]
            let result = try await Program(environment: environment).run("--check-status", server.url)
            #expect(result.ending == .exited(0), "\(result.errors)")
        }
    }

    @Test(.bug(id: "F1")) func `SSL_CERT_FILE is trusted and SSLKEYLOGFILE is written`() async throws {
        try await TestServer.withServer(tls: TestServer.TLS()) { server in
            let folder = try TemporaryFolder()
            let root = try folder.add("root.pem", String(decoding: server.certificateAuthority.pem, as: UTF8.self))
            let log = folder.path + "/keys.log"
            let program = Program(environment: ["SSL_CERT_FILE": root, "SSLKEYLOGFILE": log])
            let result = try await program.run("--check-status", server.url)
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(folder.text("keys.log")?.contains("CLIENT_TRAFFIC_SECRET_0 ") == true)
        }
    }

    /// What tells other programs and libraries not to verify.
    @Test func `no variable of the environment switches the verification off`() async throws {
        try await TestServer.withServer(tls: TestServer.TLS()) { server in
            let environment = [
                "URLSessionCertificateAuthorityInfoFile": "INSECURE_SSL_NO_VERIFY",
                "NODE_TLS_REJECT_UNAUTHORIZED": "0", "PYTHONHTTPSVERIFY": "0", "GIT_SSL_NO_VERIFY": "1",
                "SSL_NO_VERIFY": "1", "CURL_INSECURE": "1", "REQUESTS_CA_BUNDLE": "",
            ]
            let result = try await Program(environment: environment).run(server.url)
            #expect(result.ending == .exited(2))
            #expect(server.untakenRequestCount == 0)
        }
    }

    @Test(
        arguments: ["26", "20", "1", "0", "-5", ""],
        [["--help"], ["help"], ["serve", "--help"], ["demo", "--help"], ["help", "serve"], ["--version"]]
    )
    func `help is printed for a terminal of any width`(_ columns: String, _ words: [String]) async throws {
        let result = try await Program(environment: ["COLUMNS": columns]).run(words)
        #expect(result.ending == .exited(0))
        #expect(result.output == (try await Program().run(words).output))
    }

    @Test(arguments: [["--help"], ["--version"], ["--generate-completion-script", "bash"], ["manual"]])
    func `a text that cannot be written is an error`(_ words: [String]) async throws {
        let result = try await Program(preparation: "exec > /dev/full").run(words)
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("error: cannot write to standard output: "), "\(result.errors)")
    }

    @Test func `an argument that is not UTF-8 is an error`() async throws {
        let result = try await Program().start(bytes: [Array("localhost:1".utf8), [0x61, 0x3D, 0xFF]]).result()
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("word 2 of the command line is not UTF-8"), "\(result.errors)")
    }

    @Test(
        .bug(id: "F13"),
        .bug(id: "F361"),
        arguments: [
            ["http://user:password/x@host/"], ["http://user:password#x@host/"], ["http://user:x/password?@host"],
            ["user:password/x@host/"], ["http:/user:password/x@host"],
            ["user:password@host:x/?u=http://x"], ["http://user:99999/password@host"], ["::password/x@host"],
            ["http://user:x@password:x/y@host"], ["[::1]:password/x@host"], ["curl", "http://user:password/x@host/"],
            ["--as", "curl", "http://user:password?x@host/"], ["--proxy", "http://user:password/x@host", "localhost"],
            ["localhost", "http://user:password/x@host"],
            ["--timeout", "http://user:x/password@host", "localhost"], ["user:x/password@host x", "blank"],
            ["http://user:password@exa mple.org/"], ["http://user:password@[::1"], ["htp://user:password@host/"],
            ["http:/user:password@host/"], ["user:password@host:99999"], ["http://user:password@:80/"],
            ["user:password@host with", "blank"], ["http://user:password@host/", "no-item"],
            ["localhost", "--proxy", "ftp://user:password@host"],
            ["localhost", "--timeout", "http://user:password@host"],
        ]
    )
    func `a mistake in the command line does not print the user information`(_ arguments: [String]) async throws {
        let result = try await Program().run(arguments)
        #expect(result.ending == .exited(1))
        #expect(!result.errors.isEmpty)
        #expect(!result.errors.contains("password"), "\(result.errors)")
    }
}
