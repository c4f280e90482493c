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

    static let disposition = #"attachment; filename="named.bin""#

    @Test(arguments: [
        (["-O"], "/a/b.txt?q=1#f", "b.txt"), (["--remote-name"], "/a%20b", "a%20b"), (["-sO"], "/-", "-"),
        (["-JO"], "/a/b.txt", "named.bin"), (["-O"], "/a/./b", "b"),
    ])
    func `curl -O saves under the name in the URL, and -J under the server's`(
        _ options: [String],
        _ path: String,
        _ name: String
    ) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(headers: [.contentDisposition: Self.disposition], body: "fine"))
            let folder = try TemporaryFolder()
            // The file of an earlier run is replaced, as in curl.
            if !options.contains("-J"), !options.contains("-JO") { _ = try folder.add(name, "before") }
            let result = try await Program(directory: folder.path).run(["curl"] + options + [server.url + path])
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output.isEmpty, "\(result.output)")
            #expect(result.errors.isEmpty == options.contains("-sO"), "\(result.errors)")
            #expect(folder.names == [name])
            #expect(folder.text(name) == "fine")
        }
    }

    @Test func `curl -C - goes on with what the last run has left`() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let program = Program(directory: folder.path)
            let words = ["curl", "-LO", "-C", "-", server.url + "/f"]
            server.enqueue(TransferOptionTests.broken)
            #expect(try await program.run(words).ending == .exited(2))
            _ = try await server.takeRequest()
            server.enqueue(TransferOptionTests.rest)
            let done = try await program.run(words)
            #expect(done.ending == .exited(0), "\(done.errors)")
            #expect(try await server.takeRequest().headers[.range] == "bytes=4000-")
            #expect(folder.names == ["f"])
            #expect(folder.text("f") == TransferOptionTests.whole)
        }
    }

    @Test(arguments: [["-r", "0-3"], ["--range", "0-3", "-O"], ["-r0-3", "-o", "f"]])
    func `curl -r asks for a part`(_ options: [String]) async throws {
        try await TestServer.withServer { server in
            let headers: HTTPFields = [.contentRange: "bytes 0-3/9"]
            server.enqueue(ScriptedResponse(status: .partialContent, headers: headers, body: "fine"))
            let folder = try TemporaryFolder()
            let result = try await Program(directory: folder.path).run(["curl"] + options + [server.url + "/f"])
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(try await server.takeRequest().headers[.range] == "bytes=0-3")
            #expect((options.count == 2 ? result.output : folder.text("f")) == "fine")
        }
    }

    @Test(arguments: [
        (["-O"], "/", "does not end in the name of a file"), (["-O"], "", "does not end in the name of a file"),
        (["-O"], "/a/..", "does not end in the name of a file"), (["-C", "5"], "/a", "write “-C -”"),
        (["-JOC", "-"], "/a", "leave --remote-header-name out"),
    ])
    func `curl's options for a file are refused where there is no name`(
        _ options: [String],
        _ path: String,
        _ reason: String
    ) async throws {
        let result = try await Program().run(["curl"] + options + ["http://127.0.0.1:1" + path])
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains(reason), "\(result.errors)")
    }
}
