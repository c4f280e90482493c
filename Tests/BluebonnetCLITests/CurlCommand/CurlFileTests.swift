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
            arguments: ["--data-urlencode", "q@-", "-d", "b", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["Content-Length: 11\r\n", "\r\n\r\nq=line%0A&b"]
        ),
        Case(
            arguments: ["--data-urlencode", "@-", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["Content-Length: 7\r\n", "\r\n\r\nline%0A"]
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

    @Test(.bug(id: "F882"), arguments: Self.cases) func `files are sent as curl sends them`(_ one: Case) async throws {
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

    /// Options, the path of the URL, and whether the file begins with a head.
    private static let unchanged: [(options: [String], path: String, head: String)] = [
        (["curl", "-s", "-z", "f", "-o", "f"], "/304", ""), (["curl", "-s", "-f", "-o", "f"], "/304", ""),
        (["curl", "-s", "--compressed", "-o", "f"], "/304", ""), (["curl", "-s", "-D", "-", "-o", "f"], "/304", ""),
        (["curl", "-s", "-L", "-o", "f"], "/302", ""), (["curl", "-s", "-C", "-", "-o", "f"], "/304", ""),
        (["curl", "-s", "-i", "-o", "f"], "/304", "HTTP/1.1 304 Not Modified\r\n"),
        (["curl", "-s", "-O"], "/f", ""), (["curl", "-s", "-OJ"], "/f", ""), (["curl", "-s", "-fO"], "/f", ""),
        (["--output", "f"], "/304", ""),
    ]

    @Test(.bug(id: "F452"), .bug(id: "F455"), arguments: Self.unchanged)
    func `a file stays as it is where the server answers 304`(
        _ options: [String],
        _ path: String,
        _ head: String
    ) async throws {
        try await TestServer.withServer { server in
            server.respond { request in
                guard request.path == "/302" else { return ScriptedResponse(status: .notModified) }
                return ScriptedResponse(status: .found, headers: [.location: "/304"], body: "moved")
            }
            let folder = try TemporaryFolder()
            _ = try folder.add("f", "old")
            let result = try await Program(directory: folder.path).run(options + [server.url + path])
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(folder.names == ["f"])
            let text = folder.text("f") ?? ""
            if head.isEmpty { #expect(text == "old") } else { #expect(text.hasPrefix(head), "\(text)") }
        }
    }

    @Test(.bug(id: "F452")) func `no file is made of a 304, and an empty one of an empty body`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(status: .notModified), ScriptedResponse(body: ""))
            let folder = try TemporaryFolder()
            for names in [[], ["x"]] {
                let result = try await Program(directory: folder.path).run("curl", "-o", "x", server.url + "/a")
                #expect(result.ending == .exited(0), "\(result.errors)")
                #expect(folder.names == names)
            }
        }
    }

    @Test(
        .bug(id: "F455"),
        arguments: [
            (["-O"], true), (["-OJ"], true), (["-fO"], true), (["-o", "x"], true), (["-O", "--compressed"], true),
            (["-O", "-C", "-"], false),
        ]
    )
    func `curl saves the body of a redirect that it does not follow`(
        _ options: [String],
        _ isSaved: Bool
    ) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(status: .found, headers: [.location: "/b"], body: "moved"))
            let folder = try TemporaryFolder()
            let result = try await Program(directory: folder.path).run(["curl", "-s"] + options + [server.url + "/x"])
            #expect(result.ending == .exited(isSaved ? 0 : 3), "\(result.errors)")
            // What an earlier download has left goes on with its own file only.
            #expect(folder.text("x") == (isSaved ? "moved" : nil))
        }
    }

    @Test(.bug(id: "F455")) func `curl writes the body of a redirect into a pipe`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(status: .found, headers: [.location: "/b"], body: "moved"))
            let folder = try TemporaryFolder()
            #expect(symlink("/dev/stdout", folder.path + "/x") == 0)
            let result = try await Program(directory: folder.path).run("curl", "-sO", server.url + "/x")
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output == "moved")
        }
    }

    /// Options that write a file, the last segment of the URL, and the file.
    private static let savedNames: [(options: [String], segment: String, file: String)] = [
        (["-O"], "~nobody", "~nobody"), (["-O"], "~", "~"),
        (["-O", "-C", "-"], "~nobody", "~nobody"), (["-o", "~"], "a", "~"), (["-o", "~/x"], "a", "~/x"),
        (["-o", "~nobody"], "a", "~nobody"), (["--output-dir", "~", "-O"], "x", "~/x"),
        (["--output-dir", "~nobody", "--create-dirs", "-O"], "x", "~nobody/x"), (["-D", "~/x"], "a", "~/x"),
        (["-c", "~/x"], "a", "~/x"),
    ]

    @Test(.bug(id: "F453"), arguments: Self.savedNames)
    func `curl writes a file whose name begins with a tilde`(
        _ options: [String],
        _ segment: String,
        _ file: String
    ) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "content"))
            let (folder, home) = (try TemporaryFolder(), try TemporaryFolder())
            if file.hasPrefix("~/") { #expect(mkdir(folder.path + "/~", 0o700) == 0) }
            let program = Program(environment: ["HOME": home.path], directory: folder.path)
            let result = try await program.run(["curl", "-s"] + options + [server.url + "/" + segment])
            #expect(result.ending == .exited(0), "\(result.errors)")
            let isBody = options[0] != "-D" && options[0] != "-c"
            #expect(isBody ? folder.text(file) == "content" : folder.text(file) != nil, "\(folder.names)")
            #expect(home.names.isEmpty)
        }
    }

    @Test(
        .bug(id: "F453"),
        arguments: [
            ["curl", "-T", "~nobody", "-X", "POST", "URL"], ["curl", "--data-binary", "@~nobody", "URL"],
            ["curl", "--data-binary", "@~/x", "URL"], ["curl", "-F", "a=@~nobody", "URL"],
            ["curl", "-F", "a=<~nobody", "URL"], ["URL", "@~nobody"], ["--multipart", "URL", "a@~nobody"],
        ]
    )
    func `a file whose name begins with a tilde is sent`(_ words: [String]) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""))
            let (folder, home) = (try TemporaryFolder(), try TemporaryFolder())
            #expect(mkdir(folder.path + "/~", 0o700) == 0)
            _ = try folder.add("~/x", "content")
            _ = try folder.add("~nobody", "content")
            let program = Program(environment: ["HOME": home.path], directory: folder.path)
            let result = try await program.run(words.map { $0 == "URL" ? server.url + "/a" : $0 })
            #expect(result.ending == .exited(0), "\(result.errors)")
            let request = try await server.takeRequest()
            #expect(String(decoding: request.body, as: UTF8.self).contains("content"))
        }
    }

    @Test(.bug(id: "F453")) func `a file of cookies whose name begins with a tilde is read`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""))
            let folder = try TemporaryFolder()
            _ = try folder.add("~nobody", "127.0.0.1\tFALSE\t/\tFALSE\t0\tfile\t2\n")
            let result = try await Program(directory: folder.path).run("curl", "-b", "~nobody", server.url + "/a")
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(try await server.takeRequest().headers[.cookie] == "file=2")
        }
    }

    @Test(
        .bug(id: "F495"),
        .enabled(if: FileManager.default.isReadableFile(atPath: "/proc/version")),
        arguments: [["--data-binary", "@/proc/version"], ["--json", "@/proc/version"], ["-T", "/proc/version"]]
    )
    func `curl sends what a file has whose size is 0`(_ words: [String]) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""))
            let result = try await Program().run(["curl"] + words + [server.url + "/a"])
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(try await server.takeRequest().bodyByteCount > 0)
        }
    }
}
