// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Testing

@testable import BluebonnetCLI

/// Files of certificates that cannot be used are named, before a connection is made.
@Suite(.timeLimit(.minutes(1))) struct CertificateFileTests {
    @Test(
        .bug(id: "F95"),
        .bug(id: "F288"),
        .bug(id: "F745"),
        arguments: [
            (
                ["--cert", "cert.pem"],
                "cert.pem” of --cert holds a certificate without its private key: add --cert-key FILE"
            ),
            (["--cert", "cert.pem", "--cert-key", "cert.pem"], "cert.pem” of --cert-key holds no private key in PEM"),
            (["--cert", "key.pem"], "key.pem” of --cert holds no certificate in PEM"),
            (["--cert", "cert.pem", "--cert-key", "broken.pem"], "broken.pem” cannot be used: no private key"),
            (
                ["--cert", "cert.pem", "--cert-key", "other.pem"],
                "other.pem” cannot be used: the client certificate and the private key do not belong together"
            ),
        ]
    )
    func `a client certificate that cannot be used is a mistake in the command`(
        _ options: [String],
        _ explanation: String
    ) async throws {
        try await TestServer.withServer(tls: TestServer.TLS()) { server in
            let folder = try TemporaryFolder()
            let identity = try server.certificateAuthority.makeClientIdentity()
            _ = try folder.add("cert.pem", String(decoding: identity.certificatePEM, as: UTF8.self))
            _ = try folder.add("key.pem", String(decoding: identity.privateKeyPEM, as: UTF8.self))
            let other = try server.certificateAuthority.makeClientIdentity(commonName: "Other")
            _ = try folder.add("other.pem", String(decoding: other.privateKeyPEM, as: UTF8.self))
            _ = try folder.add("broken.pem", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
            let console = TestConsole()
            let words = options.map { $0.hasSuffix(".pem") ? folder.path + "/" + $0 : $0 }
            #expect(await console.run(words + [server.url]) == .usage)
            #expect(console.errors.text.contains(explanation), "\(console.errors.text)")
            // Nothing is wrong with a passphrase.
            #expect(!console.errors.text.contains("--cert-key-pass"), "\(console.errors.text)")
            #expect(server.untakenRequestCount == 0)
        }
    }

    @Test(
        .bug(id: "F95"),
        arguments: [("/nonexistent/roots.pem", "No such file"), ("/etc/hostname", "no certificate")]
    )
    func `a wrong SSL_CERT_FILE is named, where TLS is spoken`(_ path: String, _ explanation: String) async throws {
        let console = TestConsole(environment: ["SSL_CERT_FILE": path])
        #expect(await console.run("https://127.0.0.1:1") == .usage)
        #expect(console.errors.text.contains("the variable SSL_CERT_FILE: "), "\(console.errors.text)")
        #expect(console.errors.text.contains(explanation), "\(console.errors.text)")
        #expect(await console.run("http://127.0.0.1:1") == .transport)
    }

    @Test(.bug(id: "F289")) func `a pipe as SSL_CERT_FILE is a mistake, and nothing waits for its writer`() async throws
    {
        let folder = try TemporaryFolder()
        let pipe = folder.path + "/pipe"
        let program = Program(
            environment: ["SSL_CERT_FILE": pipe],
            path: "/usr/bin/timeout",
            preparation: "mkfifo '\(pipe)'"
        )
        let result = try await program.run("20", Program.path, "--max-time=1", "https://127.0.0.1:1")
        #expect(result.ending == .exited(1), "\(result.errors)")
        #expect(result.errors.contains("the variable SSL_CERT_FILE: “\(pipe)” is a pipe"), "\(result.errors)")
    }

    @Test func `the root of --cacert may come from a pipe`() async throws {
        try await TestServer.withServer(tls: TestServer.TLS()) { server in
            let folder = try TemporaryFolder()
            let root = try folder.add("root.pem", String(decoding: server.certificateAuthority.pem, as: UTF8.self))
            let pipe = folder.path + "/pipe"
            let program = Program(preparation: "mkfifo '\(pipe)'; (cat '\(root)' > '\(pipe)' &)")
            let result = try await program.run("--check-status", "--cacert", pipe, server.url)
            #expect(result.ending == .exited(0), "\(result.errors)")
        }
    }
}
