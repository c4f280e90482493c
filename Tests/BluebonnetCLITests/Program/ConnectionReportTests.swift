// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import Testing

/// What the real program says about the connection, and how TLS can be chosen.
@Suite(.timeLimit(.minutes(1))) struct ConnectionReportTests {
    @Test(arguments: [
        (["--ciphers=ECDHE-ECDSA-AES256-GCM-SHA384"], "TLS 1.2, TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
        (["--ciphers", "ECDHE-ECDSA-CHACHA20-POLY1305"], "TLS 1.2, TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
        (
            ["--ciphers=ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256"],
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"
        ),
    ])
    func `the cipher suites of TLS 1.2 are those that are named`(_ options: [String], _ security: String) async throws {
        var tls = TestServer.TLS()
        tls.maximumVersion = .tls12
        try await TestServer.withServer(tls: tls) { server in
            let folder = try TemporaryFolder()
            let root = try folder.add("root.pem", String(decoding: server.certificateAuthority.pem, as: UTF8.self))
            let result = try await Program().run(options + ["--cacert", root, "--meta", server.url])
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output.contains(security), "\(result.output)")
        }
    }

    @Test func `cipher suites that the server has not are a failed handshake`() async throws {
        var tls = TestServer.TLS()
        tls.maximumVersion = .tls12
        try await TestServer.withServer(tls: tls) { server in
            let folder = try TemporaryFolder()
            let root = try folder.add("root.pem", String(decoding: server.certificateAuthority.pem, as: UTF8.self))
            let result = try await Program().run("--ciphers=ECDHE-RSA-AES128-GCM-SHA256", "--cacert", root, server.url)
            #expect(result.ending == .exited(2))
            #expect(!result.errors.contains("--trust"), "\(result.errors)")
        }
    }

    @Test(arguments: [
        ("AES", "“AES” is not a cipher suite that is known"), ("TLS_AES_128_GCM_SHA256", "names no suite of TLS 1.2"),
        ("", "names no suite of TLS 1.2"),
    ])
    func `cipher suites that cannot be chosen are explained`(_ names: String, _ text: String) async throws {
        let result = try await Program().run("--ciphers=\(names)", "https://localhost:1")
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains(text), "\(result.errors)")
    }

    @Test func `verbose ends with the times of the phases on a terminal, and not in a pipe`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "done"), ScriptedResponse(body: "done"))
            let terminal = Program(
                environment: ["TERM": "xterm", "LANG": "C.UTF-8", "NO_COLOR": "1"],
                connection: .terminal(columns: 80)
            )
            let shown = try await terminal.run("--verbose", server.url)
            let line = shown.output.split(separator: "\r\n").last ?? ""
            let span = /[0-9]+\.[0-9]+ m?s/
            let phases = ["connect", "send", "wait", "receive"]
            // Waiting for a place and looking up the host stand before, where they took time.
            let parts = line.split(separator: " > ")
            #expect(parts.suffix(4).map { $0.prefix { $0 != " " } } == phases.map { Substring($0) }, "\(line)")
            #expect(line.contains(" = "), "\(line)")
            #expect(line.matches(of: span).count == parts.count + 1, "\(line)")
            let piped = try await Program().run("--verbose", server.url)
            #expect(piped.output.hasSuffix("done"), "\(piped.output)")
        }
    }
}
