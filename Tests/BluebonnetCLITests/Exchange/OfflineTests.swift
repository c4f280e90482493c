// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Testing

@testable import BluebonnetCLI

/// What `--offline` prints: the bytes that would be sent, all of them and no others.
@Suite struct OfflineTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var arguments: [String]
        /// The expected bytes, with LF for CR LF in the head.
        var head: String
        var body = ""

        var testDescription: String { self.arguments.joined(separator: " ") }
    }

    private static let agent = "User-Agent: bluebonnet/\(CommandLineTool.version)"

    private static let encoding = "Accept-Encoding: " + TransportRequest.decodableCodings.joined(separator: ", ")

    static let cases: [Case] = [
        Case(
            arguments: ["example.org"],
            head: "GET / HTTP/1.1\nHost: example.org\n\(agent)\nAccept: */*\n\(encoding)\n\n"
        ),
        Case(
            arguments: ["https://example.org:8443/a?b=c", "d==e f"],
            head: "GET /a?b=c&d=e%20f HTTP/1.1\nHost: example.org:8443\n\(agent)\nAccept: */*\n\(encoding)\n\n"
        ),
        Case(
            arguments: ["POST", "[::1]:80/x"],
            head: "POST /x HTTP/1.1\nHost: [::1]\n\(agent)\nAccept: */*\n\(encoding)\nContent-Length: 0\n\n"
        ),
        Case(
            arguments: ["localhost", "name=Ada", "age:=36"],
            head:
                "POST / HTTP/1.1\nHost: localhost\n\(agent)\nAccept: application/json, */*;q=0.5\n\(encoding)\nContent-Type: application/json\nContent-Length: 23\n\n",
            body: #"{"name":"Ada","age":36}"#
        ),
        Case(
            arguments: ["--form", "localhost", "a b=c&d", "a b=e+f", "ü=€"],
            head:
                "POST / HTTP/1.1\nHost: localhost\n\(agent)\nAccept: */*\n\(encoding)\nContent-Type: application/x-www-form-urlencoded; charset=utf-8\nContent-Length: 43\n\n",
            body: "a%20b=c%26d&a%20b=e%2Bf&%C3%BC=%E2%82%AC"
        ),
        Case(
            arguments: ["--multipart", "--boundary", "xoxo", "localhost", "a=1"],
            head:
                "POST / HTTP/1.1\nHost: localhost\n\(agent)\nAccept: */*\n\(encoding)\nContent-Type: multipart/form-data; boundary=xoxo\nContent-Length: 70\n\n",
            body: "--xoxo\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--xoxo--\r\n"
        ),
        Case(
            arguments: ["--form", "--parameters", #"{"b":["x y","&"],"a":{"c":null,"d":true}}"#, "localhost"],
            head:
                "POST / HTTP/1.1\nHost: localhost\n\(agent)\nAccept: */*\n\(encoding)\nContent-Type: application/x-www-form-urlencoded\nContent-Length: 59\n\n",
            body: "a%5Bc%5D&a%5Bd%5D=1&b%5B%5D=x%20y&b%5B%5D=%26"
        ),
        Case(
            arguments: ["--plist", "localhost", "name=Ada & co", "born:=1815", "tags[]=a", "on:=true", "pi:=3.5"],
            head:
                "POST / HTTP/1.1\nHost: localhost\n\(agent)\nAccept: */*\n\(encoding)\nContent-Type: application/x-plist\nContent-Length: 1\n\n",
            body: """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict>
                \t<key>born</key>
                \t<integer>1815</integer>
                \t<key>name</key>
                \t<string>Ada &amp; co</string>
                \t<key>on</key>
                \t<true/>
                \t<key>pi</key>
                \t<real>3.5</real>
                \t<key>tags</key>
                \t<array>
                \t\t<string>a</string>
                \t</array>
                </dict>
                </plist>

                """
        ),
        Case(
            arguments: ["--plist", "--parameters", #"{"a":[1]}"#, "GET", "localhost/q"],
            head: "GET /q?a%5B%5D=1 HTTP/1.1\nHost: localhost\n\(agent)\nAccept: */*\n\(encoding)\n\n"
        ),
        Case(
            arguments: ["--plist", "--raw", "hi", "localhost"],
            head:
                "POST / HTTP/1.1\nHost: localhost\n\(agent)\nAccept: */*\n\(encoding)\nContent-Type: application/x-plist\nContent-Length: 2\n\n",
            body: "hi"
        ),
        Case(
            arguments: ["--raw", "hi", "PUT", "localhost", "Content-Type:text/plain"],
            head:
                "PUT / HTTP/1.1\nHost: localhost\n\(agent)\nAccept: application/json, */*;q=0.5\n\(encoding)\nContent-Type: text/plain\nContent-Length: 2\n\n",
            body: "hi"
        ),
        Case(
            arguments: ["localhost", "User-Agent:", "Accept;", "X-A:1", "X-A:2", "host:other"],
            head: "GET / HTTP/1.1\n\(encoding)\nAccept: \nX-A: 1\nX-A: 2\nhost: other\n\n"
        ),
        Case(
            arguments: ["--auth", "ada:s:cret", "localhost"],
            head:
                "GET / HTTP/1.1\nHost: localhost\n\(agent)\nAccept: */*\n\(encoding)\nAuthorization: Basic YWRhOnM6Y3JldA==\n\n"
        ),
        Case(
            arguments: ["http://ada:x@localhost/"],
            head:
                "GET / HTTP/1.1\nHost: localhost\n\(agent)\nAccept: */*\n\(encoding)\nAuthorization: Basic YWRhOng=\n\n"
        ),
        Case(
            arguments: ["-A", "bearer", "-a", "t0k", "DELETE", "localhost/x"],
            head:
                "DELETE /x HTTP/1.1\nHost: localhost\n\(agent)\nAccept: */*\n\(encoding)\nAuthorization: Bearer t0k\n\n"
        ),
        Case(
            arguments: ["--parameters", #"{"b":[1,2],"a":"x"}"#, "GET", "localhost/q"],
            head:
                "GET /q?a=x&b%5B%5D=1&b%5B%5D=2 HTTP/1.1\nHost: localhost\n\(agent)\nAccept: application/json, */*;q=0.5\n\(encoding)\n\n"
        ),
        Case(
            arguments: ["--json", "localhost"],
            head: "GET / HTTP/1.1\nHost: localhost\n\(agent)\nAccept: application/json, */*;q=0.5\n\(encoding)\n\n"
        ),
    ]

    @Test(arguments: Self.cases)
    func `prints the bytes of the request`(_ test: Case) async {
        let console = TestConsole()
        #expect(await console.run(["--offline"] + test.arguments) == .success)
        let text = console.output.text
        let body = test.body
        // The length is what the body says, so that a table entry cannot be wrong about both.
        let head = test.head.replacing("\n", with: "\r\n")
            .replacing(#/Content-Length: [1-9][0-9]*/#, with: "Content-Length: \(body.utf8.count)")
        #expect(text == head + body)
        #expect(console.errors.text.isEmpty)
    }

    @Test func `streams a file into a multipart form`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.add("note \"1\".txt", "line\n")
        let console = TestConsole()
        #expect(
            await console.run("--offline", "--print", "B", "--form", "--boundary", "b", "localhost", "f@\(path)")
                == .success
        )
        let expected =
            "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"note %221%22.txt\"\r\nContent-Type: text/plain\r\n\r\nline\n\r\n--b--\r\n"
        #expect(console.output.text == expected)
    }

    @Test func `a file by itself is the body`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.add("a.xml", "<a/>")
        let console = TestConsole()
        #expect(await console.run("--offline", "PUT", "localhost", "@\(path)") == .success)
        #expect(console.output.text.contains("Content-Type: application/xml\r\nContent-Length: 4\r\n\r\n<a/>"))
    }

    @Test func `files are embedded into fields`() async throws {
        let folder = try TemporaryFolder()
        let text = try folder.add("t.txt", "two\nlines\n")
        let json = try folder.add("j.json", "[1, 2]")
        let console = TestConsole()
        let arguments = ["--offline", "--print", "B", "localhost", "t=@\(text)", "j:=@\(json)"]
        #expect(await console.run(arguments) == .success)
        #expect(console.output.text == #"{"t":"two\nlines\n","j":[1,2]}"#)
    }

    @Test func `a piped body is sent as it is`() async {
        let console = TestConsole(input: PipedText("a\u{0}b"))
        #expect(await console.run("--offline", "localhost") == .success)
        #expect(console.output.text.hasPrefix("POST / HTTP/1.1\r\n"))
        #expect(console.output.text.hasSuffix("Content-Length: 3\r\n\r\na\u{0}b"))
    }

    @Test func `a long piped body is sent in chunks`() async {
        let bytes = [UInt8](repeating: 0x61, count: PipedBody.bufferedByteCount + 10)
        let console = TestConsole(input: PipedText(bytes, pieceSize: 70_000))
        #expect(await console.run("--offline", "localhost") == .success)
        let text = console.output.text
        #expect(text.contains("Transfer-Encoding: chunked\r\n\r\n20000\r\naaaa"))
        #expect(text.hasSuffix("\r\na\r\naaaaaaaaaa\r\n0\r\n\r\n"))
    }

    @Test(arguments: [["--ignore-stdin", "localhost"], ["localhost", "a=1"], ["--raw", "x", "localhost"]])
    func `a piped body is not read where another is given or none is wanted`(_ arguments: [String]) async {
        let console = TestConsole(input: PipedText("piped"))
        #expect(await console.run(["--offline"] + arguments) == .success)
        #expect(!console.output.text.contains("piped"))
    }

    @Test(.bug(id: "F318")) func `a piped body beside a form without items is refused`() async {
        let console = TestConsole(input: PipedText("piped"))
        #expect(await console.run("--offline", "--multipart", "localhost") == .usage)
        #expect(console.errors.text.contains("leave out --multipart to send standard input"), "\(console.errors.text)")
        for options in [["--multipart", "--ignore-stdin"], ["--multipart", "a=1"]] {
            let console = TestConsole(input: PipedText("piped"))
            #expect(await console.run(["--offline", "localhost"] + options) == .success)
        }
        let empty = TestConsole(input: PipedText(""))
        #expect(await empty.run("--offline", "--multipart", "localhost") == .success)
    }

    @Test func `the output can go into a file`() async throws {
        let folder = try TemporaryFolder()
        let console = TestConsole(directory: folder.path)
        #expect(await console.run("--offline", "--output", "request.http", "localhost") == .success)
        #expect(folder.text("request.http")?.hasPrefix("GET / HTTP/1.1\r\n") == true)
        #expect(console.output.bytes.isEmpty)
    }

    @Test func `a terminal gets colours and the same text`() async {
        let console = TestConsole(isTerminal: true)
        #expect(await console.run("--offline", "localhost", "a=1") == .success)
        let text = console.output.text
        #expect(text.contains("\u{1B}[1;32mPOST\u{1B}[0m"))
        let plain = text.replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
        #expect(
            plain.hasSuffix("Content-Length: 9\n\n{\"a\":\"1\"}\n")
        )
    }
}
