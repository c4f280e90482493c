// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// What the real program does with a request besides sending it once.
@Suite(.timeLimit(.minutes(1))) struct ActionTests {
    @Test func `a request is written for curl, HTTPie and Swift, and not sent`() async throws {
        let words = ["-F", "POST", "http://127.0.0.1:1/x?q=1", "X-Key:it's", "a=1"]
        let curl = try await Program().run(["--as", "curl"] + words)
        #expect(curl.ending == .exited(0), "\(curl.errors)")
        #expect(curl.output.hasPrefix("curl --compressed --location --max-redirs 20 "), "\(curl.output)")
        #expect(curl.output.contains(#"-H 'X-Key: it'\''s'"#), "\(curl.output)")
        #expect(curl.output.contains(#"--data-raw '{"a":"1"}'"#))
        let httpie = try await Program().run(["--as=httpie"] + words)
        #expect(httpie.output.contains(#"'--raw={"a":"1"}' POST "#), "\(httpie.output)")
        #expect(httpie.output.contains("--follow --max-redirects=21"))
        let swift = try await Program().run(["--as=swift"] + words)
        let request = #"Request(method: .post, url: URL(string: "http://127.0.0.1:1/x?q=1")!)"#
        #expect(swift.output.contains(request), "\(swift.output)")
        #expect(swift.output.contains(#".data(Data("{\"a\":\"1\"}".utf8))"#))
        #expect(swift.errors + httpie.errors + curl.errors == "")
    }

    @Test(.bug(id: "F96"))
    func `an untrusted certificate is shown and can be trusted by its fingerprint`() async throws {
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
            #expect(other.errors.contains("give its fingerprint to --trust"), "\(other.errors)")
            #expect(!other.errors.contains("--cacert"), "\(other.errors)")
            let curl = try await Program().run("curl", "--trust", fingerprint, "-f", server.url)
            #expect(curl.ending == .exited(0), "\(curl.errors)")
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

    @Test(.bug(id: "F100"), arguments: [["--verbose"], ["--headers"], ["--print=Hb"]])
    func `options that events have no use for are warned of`(_ options: [String]) async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(headers: [.contentType: "text/event-stream"], body: "retry: 1\ndata: one\n\n"),
                ScriptedResponse(status: .noContent)
            )
            let result = try await Program().run(options + ["--sse", server.url])
            #expect(result.output == "one\n")
            #expect(result.errors.contains("warning: --sse prints events alone"), "\(result.errors)")
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
        for part in [
            "values: auto, kitty, iterm2, sixel, blocks, none; default: auto", "values: close, reset, stall",
            "values: 1.2, 1.3", "default: 256", "60 unless given", ".SS bluebonnet curl",
        ] {
            #expect(page.output.contains(part), "\(part)")
        }
        for command in ["demo", "serve"] {
            #expect(scripts.allSatisfy { $0.contains(command) })
            #expect(page.output.contains(".SS bluebonnet \(command)"))
        }
    }
}
