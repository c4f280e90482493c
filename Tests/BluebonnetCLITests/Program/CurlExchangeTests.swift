// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// Commands of curl that the real program sends to a server.
@Suite(.timeLimit(.minutes(1))) struct CurlExchangeTests {
    private static let missing = ScriptedResponse(status: .notFound, body: "no such page")

    @Test func `curl -f prints no body of an error, and says the status`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.missing)
            let result = try await Program().run("curl", "-f", server.url + "/a")
            #expect(result.ending == .exited(4))
            #expect(result.output.isEmpty, "\(result.output)")
            #expect(result.errors.contains("bluebonnet: error: HTTP 404 Not Found"), "\(result.errors)")
        }
    }

    @Test func `curl -f -i prints the head of an error without its body`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.missing)
            let result = try await Program().run("curl", "-f", "-i", server.url + "/a")
            #expect(result.ending == .exited(4))
            #expect(result.output.hasPrefix("HTTP/1.1 404 Not Found\r\n"), "\(result.output)")
            #expect(!result.output.contains("no such page"))
        }
    }

    @Test func `curl -f -o leaves the file as it was`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.missing)
            let folder = try TemporaryFolder()
            let path = try folder.add("kept", "before")
            let result = try await Program(directory: folder.path).run("curl", "-f", "-o", "kept", server.url + "/a")
            #expect(result.ending == .exited(4), "\(result.errors)")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "before")
            #expect(folder.names == ["kept"])
        }
    }

    @Test(arguments: [["--fail-with-body"], ["-f", "--fail-with-body"]])
    func `curl --fail-with-body prints the body of an error`(_ options: [String]) async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.missing)
            let result = try await Program().run(["curl"] + options + [server.url + "/a"])
            #expect(result.ending == .exited(4), "\(result.errors)")
            #expect(result.output == "no such page")
        }
    }

    @Test func `curl -f prints a response that is no error`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "fine"))
            let result = try await Program().run("curl", "-f", server.url + "/a")
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output == "fine")
        }
    }

    @Test func `curl --anyauth sends credentials only when the server asks for them`() async throws {
        try await TestServer.withServer { server in
            let challenge: HTTPFields = [.wwwAuthenticate: #"Basic realm="r""#]
            server.enqueue(
                ScriptedResponse(status: .unauthorized, headers: challenge, body: "who?"),
                ScriptedResponse(body: "welcome")
            )
            let result = try await Program().run("curl", "--anyauth", "-u", "user:password", server.url + "/a")
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output == "welcome")
            #expect(try await server.takeRequest().headers[.authorization] == nil)
            let expected = "Basic " + Data("user:password".utf8).base64EncodedString()
            #expect(try await server.takeRequest().headers[.authorization] == expected)
        }
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `curl's choice of a version reaches a server without TLS`(_ option: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "fine"))
            let result = try await Program().run("curl", option, "-i", server.url + "/a")
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(result.output)")
            #expect(result.output.hasSuffix("fine"))
        }
    }
}
