// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import Testing

/// How the real program names a status: HTTP/2 has no reason phrases.
@Suite(.timeLimit(.minutes(1))) struct StatusTextTests {
    @Test(arguments: [
        (["--download"], [], "the server answered 403, so nothing was saved"),
        (["--check-status"], [], "warning: HTTP 403\n"), (["--retry=1"], [], "attempt 1: HTTP 503;"),
        (["--sse"], [], "answered with HTTP 403, and not with events"),
        (["--resumable=draft"], ["@f"], "the server answered 403, and the upload ended there"),
    ])
    func `a status without a reason phrase is its code`(
        _ options: [String],
        _ items: [String],
        _ text: String
    ) async throws {
        var configuration = TestServer.Configuration()
        configuration.http2 = .init()
        try await TestServer.withServer(tls: TestServer.TLS(), configuration: configuration) { server in
            let isRetry = text.contains("503")
            server.respond { _ in ScriptedResponse(status: isRetry ? .serviceUnavailable : .forbidden) }
            let folder = try TemporaryFolder()
            _ = try folder.add("f", "text")
            let root = try folder.add("root.pem", String(decoding: server.certificateAuthority.pem, as: UTF8.self))
            let result = try await Program(directory: folder.path)
                .run(options + ["--cacert", root, server.url + "/x"] + items)
            #expect(result.errors.contains(text), "\(result.errors)")
        }
    }

    @Test func `a reason phrase stands behind the code`() async throws {
        try await TestServer.withServer { server in
            server.respond { _ in ScriptedResponse(status: .forbidden) }
            let folder = try TemporaryFolder()
            let result = try await Program(directory: folder.path).run("--download", server.url + "/x")
            #expect(result.errors.contains("the server answered 403 Forbidden, so"), "\(result.errors)")
        }
    }
}
