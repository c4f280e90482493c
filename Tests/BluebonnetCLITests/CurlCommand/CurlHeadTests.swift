// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import BluebonnetCLI

/// Where a command of curl writes the heads of responses, through the real program.
@Suite(.timeLimit(.minutes(1))) struct CurlHeadTests {
    private static let redirect = ScriptedResponse(status: .found, headers: [.location: "/b"], body: "")
    private static let found = "HTTP/1.1 302 Found\r\n"
    private static let fine = "HTTP/1.1 200 OK\r\n"

    /// The number of heads in an output.
    private static func headCount(_ output: String) -> Int { output.components(separatedBy: "HTTP/1.1 ").count - 1 }

    @Test(
        .bug(id: "F256"),
        arguments: [(["-sIL"], ""), (["-siL"], "hello"), (["-sL", "-D", "-"], "hello"), (["-sIL", "-D", "-"], "")]
    )
    func `curl prints the heads of redirects before the last one`(_ options: [String], _ body: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect, Self.redirect, ScriptedResponse(body: .text(body)))
            let result = try await Program().run(["curl"] + options + [server.url + "/a"])
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output.hasPrefix(Self.found), "\(result.output)")
            #expect(result.output.lowercased().contains("\r\nlocation: /b\r\n"), "\(result.output)")
            #expect(result.output.contains("\r\n\r\n" + Self.fine), "\(result.output)")
            #expect(result.output.hasSuffix("\r\n\r\n" + body), "\(result.output)")
            #expect(Self.headCount(result.output) == 3)
        }
    }

    @Test(.bug(id: "F256")) func `curl -i prints the head of a challenge`() async throws {
        try await TestServer.withServer { server in
            let challenge: HTTPFields = [.wwwAuthenticate: #"Basic realm="r""#]
            server.enqueue(
                ScriptedResponse(status: .unauthorized, headers: challenge, body: "who?"),
                ScriptedResponse(body: "welcome")
            )
            let result = try await Program().run("curl", "-si", "--anyauth", "-u", "ada:secret", server.url + "/a")
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"), "\(result.output)")
            #expect(result.output.contains("\r\n\r\n" + Self.fine), "\(result.output)")
            #expect(result.output.hasSuffix("\r\n\r\nwelcome"))
        }
    }

    @Test(.bug(id: "F256")) func `curl -I prints the heads before a redirect too many`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect, Self.redirect)
            let result = try await Program().run("curl", "-sIL", "--max-redirs", "1", server.url + "/a")
            #expect(result.ending == .exited(2), "\(result.errors)")
            #expect(result.output.hasPrefix(Self.found) && result.output.hasSuffix("\r\n\r\n"), "\(result.output)")
            #expect(Self.headCount(result.output) == 2)
        }
    }

    @Test func `the parts that are chosen before a command of curl win over all heads`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect, ScriptedResponse(body: "hello"))
            let result = try await Program().run("--print=b", "curl", "-siL", server.url + "/a")
            #expect(result.output == "hello", "\(result.errors)")
        }
    }

    /// Options, and what they leave in the file “f” and on standard output.
    struct Case: CustomTestStringConvertible, Sendable {
        var options: [String]
        var heads: String
        var body = "hello"
        var isHeadInFile = true

        var testDescription: String { self.options.joined(separator: " ") }
    }

    static let cases = [
        Case(options: ["-s", "-I", "-O"], heads: fine, body: ""), Case(options: ["-I", "-O"], heads: fine, body: ""),
        Case(options: ["-s", "-i", "-O"], heads: fine), Case(options: ["-i", "-O"], heads: fine),
        Case(options: ["-s", "-i", "-o", "f"], heads: fine),
        Case(options: ["-s", "-I", "-C", "-", "-o", "f"], heads: fine, body: ""),
        // What can be resumed is the body alone.
        Case(options: ["-s", "-i", "-C", "-", "-o", "f"], heads: fine, isHeadInFile: false),
        Case(options: ["-s", "-i", "-C", "-", "-O"], heads: fine, isHeadInFile: false),
    ]

    @Test(.bug(id: "F257"), arguments: cases)
    func `curl writes the heads into the file, and -s hides none of them`(_ example: Case) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: .text(example.body)))
            let folder = try TemporaryFolder()
            let program = Program(directory: folder.path)
            let result = try await program.run(["curl"] + example.options + [server.url + "/f"])
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(folder.names == ["f"])
            let file = try #require(folder.text("f"))
            #expect(result.output.isEmpty == example.isHeadInFile, "\(result.output)")
            let heads = example.isHeadInFile ? file : result.output
            #expect(heads.hasPrefix(example.heads), "\(heads)")
            #expect(heads.hasSuffix("\r\n\r\n" + (example.isHeadInFile ? example.body : "")), "\(heads)")
            if !example.isHeadInFile { #expect(file == example.body) }
        }
    }

    @Test(.bug(id: "F257")) func `curl -s writes the heads of redirects into the file, too`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect, ScriptedResponse(body: "hello"))
            let folder = try TemporaryFolder()
            let program = Program(directory: folder.path)
            let result = try await program.run("curl", "-siLO", server.url + "/f")
            #expect(result.ending == .exited(0) && result.output.isEmpty, "\(result.errors)")
            let file = try #require(folder.text("f"))
            #expect(file.hasPrefix(Self.found) && file.contains("\r\n\r\n" + Self.fine), "\(file)")
            #expect(file.hasSuffix("\r\n\r\nhello"))
        }
    }

    @Test(.bug(id: "F257")) func `curl -I is refused with a name of the server's`() async throws {
        let result = try await Program().run("curl", "-sIOJ", "http://127.0.0.1:1/f")
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("exclude each other"), "\(result.errors)")
    }

    @Test(
        .bug(id: "F258"),
        arguments: [
            (["--output-dir", "", "-o", "f", "localhost"], "--output=f"),
            (["--output-dir", "", "-O", "localhost/f"], "--output=f"),
            (["--output-dir", "d", "--output-dir", "", "-O", "localhost/f"], "--output=f"),
            (["--output-dir", "d", "-o", "f", "localhost"], "--output=d/f"),
        ]
    )
    func `an empty folder of curl --output-dir is none`(_ words: [String], _ option: String) throws {
        #expect(try CurlWords(CurlArgument.read(words)).words.contains(option))
    }

    @Test(.bug(id: "F701"), arguments: ["-siL", "-sIL"])
    func `curl prints the head of a redirect that it refuses`(_ options: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(status: .found, headers: [.location: "ftp://127.0.0.1/"], body: ""))
            let result = try await Program().run("curl", options, server.url + "/a")
            #expect(result.ending == .exited(2))
            #expect(result.output.hasPrefix(Self.found) && result.output.hasSuffix("\r\n\r\n"), "\(result.output)")
            #expect(result.errors.contains("the redirect leads to a URL of “ftp”"), "\(result.errors)")
        }
    }

    @Test(.bug(id: "F701"), arguments: ["-f", "--fail-with-body"])
    func `curl does not warn of a redirect that is no failure`(_ option: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(status: .found, headers: [.location: "/b"], body: "moved"))
            let result = try await Program().run("curl", option, server.url + "/a")
            #expect(result.ending == .exited(0))
            #expect(result.output == "moved")
            #expect(result.errors.isEmpty, "\(result.errors)")
        }
    }
}
