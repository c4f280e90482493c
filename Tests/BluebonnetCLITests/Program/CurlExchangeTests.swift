// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Crypto
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

    /// The strongest way of those that the server offers, as curl chooses.
    @Test(arguments: [
        [#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#, #"Basic realm="r""#],
        [#"Basic realm="r", Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#],
    ])
    func `curl --anyauth answers with Digest where the server offers it`(_ challenges: [String]) async throws {
        try await TestServer.withServer { server in
            var headers = HTTPFields()
            for challenge in challenges { headers.append(HTTPField(name: .wwwAuthenticate, value: challenge)) }
            server.enqueue(
                ScriptedResponse(status: .unauthorized, headers: headers),
                ScriptedResponse(body: "welcome")
            )
            let result = try await Program().run("curl", "--anyauth", "-u", "ada:secret", server.url + "/a")
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output == "welcome")
            #expect(try await server.takeRequest().headers[.authorization] == nil)
            let answer = try #require(try await server.takeRequest().headers[.authorization])
            #expect(answer.hasPrefix("Digest "))
            func value(_ name: String) throws -> String {
                let match = try #require(answer.range(of: "\\b\(name)=\"?([^\",]*)", options: .regularExpression))
                return answer[match].split(separator: "=", maxSplits: 1)[1].trimmingCharacters(in: ["\""])
            }
            // RFC 7616, 3.4.1.
            func hash(_ text: String) -> String {
                SHA256.hash(data: Data(text.utf8)).map { String(format: "%02x", $0) }.joined()
            }
            let words = [try value("nonce"), try value("nc"), try value("cnonce"), try value("qop")]
            let expected = hash(([hash("ada:r:secret")] + words + [hash("GET:/a")]).joined(separator: ":"))
            #expect(try value("response") == expected, "\(answer)")
        }
    }

    @Test(arguments: [("--http1.1", "HTTP/1.1 200 OK\r\n"), ("--http2", "HTTP/2 200\r\n")])
    func `curl's choice of a version decides over TLS`(_ option: String, _ head: String) async throws {
        var configuration = TestServer.Configuration()
        configuration.http2 = .init()
        try await TestServer.withServer(tls: TestServer.TLS(), configuration: configuration) { server in
            server.enqueue(ScriptedResponse(body: "fine"))
            let folder = try TemporaryFolder()
            let root = try folder.add("root.pem", String(decoding: server.certificateAuthority.pem, as: UTF8.self))
            let result = try await Program().run("curl", option, "--cacert", root, "-i", server.url + "/a")
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output.hasPrefix(head), "\(result.output)")
            #expect(result.output.hasSuffix("fine"))
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
