// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// What the real program does with a request besides sending it once.
@Suite(.timeLimit(.minutes(1))) struct ActionTests {
    @Test func `a request is written for curl, HTTPie and Swift, and not sent`() async throws {
        let words = ["-F", "PUT", "http://127.0.0.1:1/x?q=1", "X-Key:it's", "a=1"]
        let curl = try await Program().run(["--as", "curl"] + words)
        #expect(curl.ending == .exited(0), "\(curl.errors)")
        #expect(curl.output.hasPrefix("curl --compressed --location --max-redirs 20 "), "\(curl.output)")
        #expect(curl.output.contains(#"-H 'X-Key: it'\''s'"#), "\(curl.output)")
        #expect(curl.output.contains(#"--data-raw '{"a":"1"}'"#))
        let httpie = try await Program().run(["--as=httpie"] + words)
        #expect(httpie.output.contains(#"'--raw={"a":"1"}' PUT "#), "\(httpie.output)")
        #expect(httpie.output.contains("--follow --max-redirects=20"))
        let swift = try await Program().run(["--as=swift"] + words)
        #expect(swift.output.contains("Request(method: .put, url: url)"), "\(swift.output)")
        #expect(swift.output.contains(#".data(Data("{\"a\":\"1\"}".utf8))"#))
        #expect(swift.errors + httpie.errors + curl.errors == "")
    }

    /// A command of curl, and what the server must get.
    struct CurlCase: CustomTestStringConvertible, Sendable {
        var arguments: [String]
        var line: String
        var contains: [String] = []
        var lacks: [String] = []

        var testDescription: String { self.arguments.joined(separator: " ") }
    }

    static let curlCases = [
        CurlCase(arguments: ["localhost/a"], line: "GET /a HTTP/1.1"),
        CurlCase(arguments: ["-sSLI", "localhost/a"], line: "HEAD /a HTTP/1.1"),
        CurlCase(
            arguments: ["-d", "a=1", "-d", "b=2", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["Content-Type: application/x-www-form-urlencoded\r\n", "\r\n\r\na=1&b=2"]
        ),
        CurlCase(arguments: ["-G", "-d", "a=1", "localhost/x?y=2"], line: "GET /x?y=2&a=1 HTTP/1.1"),
        CurlCase(
            arguments: ["-XPATCH", "-H", "Content-Type: application/json", "--data-raw", "@x", "localhost"],
            line: "PATCH / HTTP/1.1",
            contains: ["Content-Type: application/json\r\n", "\r\n\r\n@x"]
        ),
        CurlCase(
            arguments: ["--json", "{}", "-u", "ada:secret", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["Authorization: Basic YWRhOnNlY3JldA==", "Accept: application/json\r\n", "\r\n\r\n{}"]
        ),
        CurlCase(
            arguments: ["-H", "X-A: =1", "-H", "X-B;", "-A", "me/1", "-b", "c=d", "localhost"],
            line: "GET / HTTP/1.1",
            contains: ["X-A: =1\r\n", "X-B: \r\n", "User-Agent: me/1\r\n", "Cookie: c=d\r\n"]
        ),
        CurlCase(
            arguments: ["--data-urlencode", "q=a b&c", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["\r\n\r\nq=a%20b%26c"]
        ),
        CurlCase(
            arguments: ["-F", "a:b=1", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["multipart/form-data; boundary=", "name=\"a:b\""]
        ),
        CurlCase(arguments: ["-d", "", "localhost"], line: "POST / HTTP/1.1", contains: ["Content-Length: 0\r\n"]),
        CurlCase(arguments: ["-d", "a", "localhost"], line: "POST / HTTP/1.1", contains: ["Accept: */*\r\n"]),
        CurlCase(
            arguments: ["--json", "{}", "--json", "[]", "-H", "content-type: a/b", "-H", "Accept: c/d", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["content-type: a/b\r\n", "Accept: c/d\r\n", "\r\n\r\n{}[]"],
            lacks: ["application/json"]
        ),
        CurlCase(
            arguments: ["-b", "a=1", "-b", "b=2", "-H", #"X-P: \=a"#, "localhost"],
            line: "GET / HTTP/1.1",
            contains: ["Cookie: a=1;b=2\r\n", #"X-P: \=a"#]
        ),
        CurlCase(arguments: ["-G", "-d", "a=1", "localhost/x#f"], line: "GET /x?a=1 HTTP/1.1"),
        CurlCase(arguments: [#"localhost/\[1\]"#], line: "GET /%5B1%5D HTTP/1.1"),
        CurlCase(arguments: ["-g", "localhost/[1-2]"], line: "GET /%5B1-2%5D HTTP/1.1"),
        CurlCase(arguments: ["localhost/x?a[]=1"], line: "GET /x?a%5B%5D=1 HTTP/1.1"),
        CurlCase(
            arguments: [
                "-q", "--no-keepalive", "-N", "-#", "--connect-timeout", "2", "--http1.1", "--speed-limit", "1", "-y",
                "4", "--", "localhost/e",
            ],
            line: "GET /e HTTP/1.1"
        ),
        CurlCase(
            arguments: ["-F", #"a="x;y";type=text/plain; charset=utf-8;filename="a;b""#, "localhost"],
            line: "POST / HTTP/1.1",
            contains: [
                #"name="a"; filename="a;b""#, "Content-Type: text/plain; charset=utf-8\r\n", "\r\n\r\nx;y\r\n",
            ]
        ),
        CurlCase(
            arguments: ["--anyauth", "-u", "u:p", "localhost"],
            line: "GET / HTTP/1.1",
            lacks: ["Authorization"]
        ),
        CurlCase(
            arguments: ["-H", "Transfer-Encoding: chunked", "-d", "abc", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["Transfer-Encoding: chunked\r\n", "abc"],
            lacks: ["Content-Length"]
        ),
    ]

    @Test(arguments: Self.curlCases)
    func `a command of curl makes the same request`(_ one: CurlCase) async throws {
        let environment = try TemporaryFolder()
        _ = try environment.add("config.json", #"{"default_options": ["--offline"]}"#)
        let program = Program(environment: ["BLUEBONNET_CONFIG_DIR": environment.path])
        // `--headers` of -I has no meaning where nothing is sent.
        let arguments = one.arguments.map { $0 == "-sSLI" ? "-sSLXHEAD" : $0 }
        let result = try await program.run(["curl"] + arguments)
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output.hasPrefix(one.line + "\r\n"), "\(result.output)")
        for part in one.contains { #expect(result.output.contains(part), "\(result.output)") }
        for part in one.lacks { #expect(!result.output.contains(part), "\(result.output)") }
    }

    @Test func `the method of a command of curl is kept after a redirect`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(status: .found, headers: [.location: "/n"], body: ""),
                ScriptedResponse(status: .noContent)
            )
            let result = try await Program().run("curl", "-L", "-X", "POST", "-d", "a=1", server.url)
            #expect(result.ending == .exited(0), "\(result.errors)")
            _ = try await server.takeRequest()
            #expect(try await server.takeRequest().method == "POST")
        }
    }

    @Test(arguments: [
        (["-k", "https://localhost"], "--trust sha256:"), (["--wild", "localhost"], "no counterpart"),
        (["-H", "a: b"], "no URL"), (["localhost", "localhost"], "more than one URL"), (["-X"], "lacks its value"),
        (["localhost/x?[1-2]"], "--globoff"), (["localhost/{a,b}"], "--globoff"), (["-4", "localhost"], "families"),
        (["-F", "a=x;y", "localhost"], "--form-string"), (["-I", "-d", "a", "localhost"], "more than one kind"),
        (["-F", "a=@x,y", "localhost"], "several files"), (["-H", "@x", "localhost"], "write the fields out"),
        (["--connect-timeout", "soon", "localhost"], "number of seconds"),
        (["-Y", "1000", "localhost"], "only silence is limited"),
    ])
    func `a command of curl that has no counterpart is explained`(_ words: [String], _ text: String) async throws {
        let result = try await Program().run(["curl"] + words)
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains(text), "\(result.errors)")
    }

    @Test func `an untrusted certificate is shown and can be trusted by its fingerprint`() async throws {
        try await TestServer.withServer(tls: TestServer.TLS()) { server in
            let refused = try await Program().run(server.url)
            #expect(refused.ending == .exited(2))
            #expect(refused.errors.contains("names "), "\(refused.errors)")
            #expect(refused.errors.contains("127.0.0.1"))
            let line = try #require(refused.errors.split(separator: "\n").last)
            let fingerprint = String(try #require(line.split(separator: " ").last))
            #expect(fingerprint.hasPrefix("sha256:"))
            #expect(server.untakenRequestCount == 0)
            let trusted = try await Program().run("--trust", fingerprint, "--check-status", server.url)
            #expect(trusted.ending == .exited(0), "\(trusted.errors)")
            let digits = fingerprint.dropLast(2) + (fingerprint.hasSuffix("00") ? "11" : "00")
            let other = try await Program().run("--trust", String(digits), server.url)
            #expect(other.ending == .exited(2))
            #expect(other.errors.contains("is not the one that --trust names"), "\(other.errors)")
        }
    }

    @Test func `what was understood and how the server was reached is explained`() async throws {
        try await TestServer.withServer(tls: TestServer.TLS()) { server in
            let folder = try TemporaryFolder()
            let root = try folder.add("root.pem", String(decoding: server.certificateAuthority.pem, as: UTF8.self))
            let result = try await Program().run("--explain", "--cacert", root, server.url + "/echo", "X-Key:1", "a:=2")
            for part in [
                "X-Key:1  the header “X-Key”", "a:=2  the JSON “a” of the body", "connected", "TLS 1.3",
                "certificate 1, verified", "fingerprint  sha256:",
            ] {
                #expect(result.errors.contains(part), "\(result.errors)")
            }
        }
    }

    @Test func `events are read on when the connection is lost`() async throws {
        try await TestServer.withServer { server in
            let type: HTTPFields = [.contentType: "text/event-stream"]
            server.enqueue(
                ScriptedResponse(headers: type, body: "retry: 1\nid: 7\ndata: one\n\n"),
                ScriptedResponse(headers: type, body: "data: two\ndata: lines\n\n"),
                ScriptedResponse(status: .noContent)
            )
            let result = try await Program().run("--sse", server.url)
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output == "one\ntwo\nlines\n")
            _ = try await server.takeRequest()
            #expect(try await server.takeRequest().headers[HTTPField.Name("Last-Event-ID")!] == "7")
        }
    }

    @Test func `the events that answer a POST are read once`() async throws {
        try await TestServer.withServer { server in
            let type: HTTPFields = [.contentType: "text/event-stream"]
            server.enqueue(ScriptedResponse(headers: type, body: "retry: 1\ndata: one\n\n"))
            let result = try await Program().run("--sse", server.url, "prompt=hi")
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output == "one\n")
            #expect(server.untakenRequestCount == 1)
        }
    }

    @Test(arguments: [["--headers"], ["--verbose"], ["--print=hb"], ["--all", "--follow", "--print=h"]])
    func `the head of a response that is decoded is shown as it came`(_ options: [String]) async throws {
        try await TestServer.withServer { server in
            let encoded = Compression.gzip(Array("text".utf8))
            server.enqueue(ScriptedResponse(headers: [.contentEncoding: "gzip"], body: .bytes(encoded)))
            let result = try await Program().run(options + [server.url])
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output.contains("Content-Encoding: gzip\r\n"), "\(result.output)")
            #expect(result.output.contains("Content-Length: \(encoded.count)\r\n"), "\(result.output)")
        }
    }

    @Test(arguments: [("127.0.0.1:1", "refused"), ("nosuchhost.invalid", "no address")])
    func `a stream whose server is not there is an error at once`(_ host: String, _ text: String) async throws {
        let result = try await Program().run("--sse", "http://\(host)/events")
        #expect(result.ending == .exited(2), "\(result.errors)")
        #expect(result.errors.lowercased().contains(text), "\(result.errors)")
    }

    @Test(arguments: [
        (["--check-status"], "/status/404", 4, "HTTP 404 Not Found"), ([], "/status/503", 2, "HTTP 503"),
        ([], "/bytes/3", 2, "holds application/octet-stream"),
    ])
    func `a response without events is explained`(
        _ options: [String],
        _ path: String,
        _ status: Int32,
        _ text: String
    ) async throws {
        try await TestServer.withServer { server in
            let result = try await Program().run(["--sse"] + options + [server.url + path])
            #expect(result.ending == .exited(status), "\(result.errors)")
            #expect(result.errors.contains(text), "\(result.errors)")
            #expect(!result.errors.contains("acceptable"))
        }
    }

    @Test func `a bench sends as many requests as it is told to and prints one line for each percentile`() async throws
    {
        try await TestServer.withServer { server in
            let result = try await Program().run("--bench", "20", "--parallel", "4", server.url + "/bytes/10")
            #expect(result.ending == .exited(0), "\(result.errors)")
            let lines = result.output.split(separator: "\n")
            #expect(lines.map { String($0.prefix { $0 != " " }) } == ["requests", "status", "p50", "p90", "p99"])
            #expect(lines[0].hasPrefix("requests 20 in "))
            #expect(lines[1] == "status   200: 20")
            #expect(server.untakenRequestCount == 20)
            let refused = try await Program().run("--bench=2", "--check-status", server.url + "/status/404")
            #expect(refused.ending == .exited(4), "\(refused.output)")
        }
    }

    @Test func `the manual page and the completions name every option`() async throws {
        let page = try await Program().run("manual")
        #expect(page.output.hasPrefix(".TH BLUEBONNET 1"))
        let scripts = try await [
            Program().run("--generate-completion-script", "bash"), Program().run("--generate-completion-script=zsh"),
            Program().run("--generate-completion-script", "fish"),
        ].map(\.output)
        for option in ["offline", "session", "cert-key", "trust", "sse"] {
            #expect(page.output.contains("\\-\\-" + option.replacing("-", with: "\\-")), "\(option)")
            for script in scripts { #expect(script.contains(option), "\(option)") }
        }
        for command in ["demo", "serve"] {
            #expect(scripts.allSatisfy { $0.contains(command) })
            #expect(page.output.contains(".SS bluebonnet \(command)"))
        }
    }
}
