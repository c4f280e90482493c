// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// Commands of curl that send files and standard input.
@Suite(.timeLimit(.minutes(1))) struct CurlFileTests {
    /// A command in a folder with two files, and what the server must get.
    struct Case: CustomTestStringConvertible, Sendable {
        var arguments: [String]
        var line: String
        var contains: [String] = []
        var lacks: [String] = []

        var testDescription: String { self.arguments.joined(separator: " ") }
    }

    static let cases = [
        Case(
            arguments: ["--data-binary", "@p.bin", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["Content-Length: 6\r\n", "Content-Type: application/x-www-form-urlencoded\r\n"]
        ),
        Case(
            arguments: ["-d", "@p.bin", "-d", "b", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["Content-Length: 6\r\n"]
        ),
        Case(
            arguments: ["-d", "@-", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["Content-Length: 4\r\n", "\r\n\r\nline"]
        ),
        Case(
            arguments: ["--data-binary", "@-", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["Content-Length: 5\r\n", "\r\n\r\nline\n"]
        ),
        Case(
            arguments: ["-T", "f.txt", "localhost/dir/?a=1"],
            line: "PUT /dir/f.txt?a=1 HTTP/1.1",
            contains: ["Accept: */*\r\n", "\r\n\r\nline"],
            lacks: ["Content-Type"]
        ),
        Case(arguments: ["-T", "f.txt", "localhost"], line: "PUT /f.txt HTTP/1.1"),
        Case(arguments: ["-T", "what?&.txt", "localhost/"], line: "PUT /what%3F%26.txt HTTP/1.1"),
        Case(arguments: ["-T", "f.txt", "localhost/x"], line: "PUT /x HTTP/1.1"),
        Case(
            arguments: ["-F", "a=@f.txt;type=text/csv;filename=z.csv", "localhost"],
            line: "POST / HTTP/1.1",
            contains: [#"name="a"; filename="z.csv""#, "Content-Type: text/csv\r\n", "\r\n\r\nline\n"]
        ),
        Case(
            arguments: ["-F", "a=<f.txt", "localhost"],
            line: "POST / HTTP/1.1",
            contains: [#"name="a""#, "\r\n\r\nline\n"],
            lacks: ["filename"]
        ),
    ]

    @Test(arguments: Self.cases) func `files are sent as curl sends them`(_ one: Case) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("f.txt", "line\n")
        _ = try folder.add("what?&.txt", "line\n")
        try folder.write([0x61, 0xFF, 0xFE, 0x0A, 0x62, 0x0D], to: "p.bin", changed: 0)
        let program = Program(directory: folder.path, preparation: "exec < '\(folder.path)/f.txt'")
        let result = try await program.run(["--offline", "curl"] + one.arguments)
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output.hasPrefix(one.line + "\r\n"), "\(result.output)")
        for part in one.contains { #expect(result.output.contains(part), "\(result.output)") }
        for part in one.lacks { #expect(!result.output.contains(part), "\(result.output)") }
    }

    @Test(
        .bug(id: "F403"),
        arguments: [
            (["-O"], true), (["-o", "x"], true), (["-OJ"], false), (["-O", "-C", "-"], false),
            (["-o", "x", "-C", "-"], false),
        ]
    )
    func `curl --compressed -O saves the decoded content`(_ options: [String], _ isCoded: Bool) async throws {
        try await TestServer.withServer { server in
            let coded = ScriptedResponse(
                headers: [.contentEncoding: "gzip"],
                body: .bytes(Compression.gzip(Array("content".utf8)))
            )
            server.enqueue(isCoded ? coded : ScriptedResponse(body: "content"))
            let folder = try TemporaryFolder()
            let words = ["curl", "-s", "--compressed", "-H", "Accept-Encoding: gzip, deflate, br"] + options
            let result = try await Program(directory: folder.path).run(words + [server.url + "/x"])
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(folder.text("x") == "content")
            // A download is saved as it comes, so that no coding is asked for.
            let accepted = try await server.takeRequest().headers[.acceptEncoding]
            #expect((accepted?.contains("gzip") ?? false) == isCoded, "\(accepted ?? "")")
        }
    }
}
