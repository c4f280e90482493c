// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// What the real program shows on a pseudo-terminal.
@Suite(.timeLimit(.minutes(1))) struct TerminalTests {
    private static func program(columns: Int = 80, _ more: [String: String] = [:]) -> Program {
        let environment = ["TERM": "xterm", "LANG": "C.UTF-8", "NO_COLOR": "1"].merging(more) { $1 }
        return Program(environment: environment, connection: .terminal(columns: columns))
    }

    @Test func `a slow response without a request body is waited for, not uploaded`() async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "done", effect: .hold(.beforeResponse, until: gate)))
            let program = try Self.program().start([server.url])
            let shown = await program.waitForText("Waiting")
            #expect(!shown.contains("Uploading") && !shown.contains("%"), "\(shown)")
            gate.open()
            #expect(await program.result().output.contains("done"))
        }
    }

    @Test func `verbose shows the request as soon as it is sent`() async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "done", effect: .hold(.beforeResponse, until: gate)))
            let program = try Self.program().start(["--verbose", server.url + "/x", "a=1"])
            #expect(await program.waitForText("\"a\": \"1\"").contains("POST /x HTTP/1.1"))
            #expect(!gate.isOpen)
            gate.open()
            let result = await program.result()
            #expect(result.output.contains("done"), "\(result.output)")
        }
    }

    @Test func `a request body that has gone is followed by waiting`() async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "done", effect: .hold(.beforeResponse, until: gate)))
            let program = try Self.program().start([server.url, "a=1"])
            let shown = await program.waitForText("Waiting")
            #expect(!shown.contains("100%"), "\(shown)")
            gate.open()
            #expect(await program.result().ending == .exited(0))
        }
    }

    @Test(arguments: [40, 80, 200])
    func `a line of a transfer has a bar and is no wider than the terminal`(_ columns: Int) async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: .pattern(1_000_000), effect: .hold(.afterBody(500_000), until: gate)))
            let folder = try TemporaryFolder()
            var program = Self.program(columns: columns)
            program.directory = folder.path
            let running = try program.start(["--download", server.url + "/x"])
            await running.waitForText("Downloading")
            gate.open()
            let result = await running.result()
            #expect(result.ending == .exited(0))
            let lines = result.output.split { $0 == "\r" || $0 == "\n" || $0 == "\r\n" }
            let bars = lines.filter { $0.hasPrefix("Downloading") }
            #expect(!bars.isEmpty)
            for bar in bars {
                #expect(bar.replacing("\u{1B}[K", with: "").count < columns)
                #expect(bar.contains("│"), "\(bar)")
            }
        }
    }

    @Test(arguments: [("xterm", "│"), ("linux", "[####"), ("dumb", nil)])
    func `the bar is drawn with what the terminal has`(_ name: String, _ bar: String?) async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: .pattern(1_000_000), effect: .hold(.afterBody(900_000), until: gate)))
            let folder = try TemporaryFolder()
            var program = Self.program(columns: 80, ["TERM": name])
            program.directory = folder.path
            let running = try program.start(["--download", "--max-time", "2", server.url + "/x"])
            let result = await running.result()
            #expect(result.output.contains(bar ?? "Downloading") == (bar != nil), "\(result.output)")
            gate.open()
        }
    }

    @Test func `the rate of a download that goes on leaves out the bytes of the earlier one`() async throws {
        let gate = Gate()
        let whole: Int64 = 8_100_000
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let tag: HTTPFields = [.eTag: "\"v1\""]
            server.enqueue(
                ScriptedResponse(headers: tag, body: .pattern(whole), effect: .drop(.afterBody(8_000_000)))
            )
            let words = ["--download", "--continue", "--output=f", server.url]
            let broken = try await Program(directory: folder.path).run(words)
            #expect(broken.errors.contains("7.6 MiB of 7.7 MiB are kept"), "\(broken.errors)")
            let range = "bytes 8000000-\(whole - 1)/\(whole)"
            server.enqueue(
                ScriptedResponse(
                    status: .partialContent,
                    headers: [.eTag: "\"v1\"", .contentRange: range],
                    body: .pattern(whole - 8_000_000),
                    effect: .hold(.afterBody(50_000), until: gate)
                )
            )
            var program = Self.program(columns: 120)
            program.directory = folder.path
            let running = try program.start(words)
            let shown = await running.waitForText("B/s")
            #expect(shown.contains("Downloading   99%"), "\(shown)")
            gate.open()
            let result = await running.result()
            #expect(result.ending == .exited(0), "\(result.output)")
            #expect(result.output.contains("KiB/s, 7.6 MiB of it earlier)"), "\(result.output)")
            #expect(!result.output.contains("MiB/s"), "\(result.output)")
        }
    }

    @Test(.bug(id: "F99")) func `a bench shows how far it has come, and Ctrl-C prints the times so far`() async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(body: "one"),
                ScriptedResponse(body: "two"),
                ScriptedResponse(body: "three", effect: .hold(.beforeResponse, until: gate))
            )
            let program = try Self.program().start(["--bench", "5", server.url])
            let shown = await program.waitForText("2 of 5")
            #expect(shown.contains("Sending   40%"), "\(shown)")
            program.type("\u{3}")
            let result = await program.result()
            #expect(result.ending == .signalled(SIGINT))
            for part in ["interrupted after 2 of 5 requests", "requests 2 in ", "status   200: 2", "p99 "] {
                #expect(result.output.contains(part), "\(result.output)")
            }
            #expect(!result.output.contains("failed"), "\(result.output)")
            gate.open()
        }
    }

    @Test(arguments: ["text/plain", "text/event-stream", "application/json", "application/x-ndjson"])
    func `a stream is shown while it comes`(_ type: String) async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            let line = type.contains("json") ? "{\"first\":1}\n" : "data: first\n"
            var response = ScriptedResponse(
                headers: [.contentType: type],
                body: .text(line + line),
                effect: .hold(.afterBody(Int64(line.utf8.count)), until: gate)
            )
            response.framing = .chunked(byteCount: line.utf8.count)
            server.enqueue(response)
            let program = try Self.program().start(["--body", server.url])
            #expect(await program.waitForText("first").contains("first"))
            gate.open()
            let result = await program.result()
            #expect(result.output.split(separator: "first").count == 3, "\(result.output)")
        }
    }

    @Test(.bug(id: "F314")) func `an event whose data has a NUL is shown with an escape for it`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(headers: [.contentType: "text/event-stream"], body: "retry: 1\ndata: a\u{0}b\n\n"),
                ScriptedResponse(status: .noContent)
            )
            let result = try await Self.program().run("--sse", server.url)
            #expect(result.ending == .exited(0), "\(result.output)")
            #expect(result.output.contains("message\r\na\\u{0}b\r\n\r\n"), "\(result.output)")
        }
    }

    @Test(.bug(id: "F315")) func `the note on binary data stands on a line of its own behind text`() async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            var response = ScriptedResponse(
                headers: [.contentType: "text/plain"],
                body: "text\u{0}\u{1}..",
                effect: .hold(.afterBody(4), until: gate)
            )
            response.framing = .chunked(byteCount: 4)
            server.enqueue(response)
            let program = try Self.program().start(["--body", server.url])
            await program.waitForText("text")
            gate.open()
            let result = await program.result()
            #expect(result.ending == .exited(0), "\(result.output)")
            let end = "text\r\n+ binary data, not shown: save it with --download or --output FILE +\r\n"
            #expect(result.output.hasSuffix(end), "\(result.output)")
        }
    }

    @Test(.bug(id: "F315")) func `a short document with a NUL is not shown, and a note says so`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(headers: [.contentType: "text/html"], body: "<!DOCTYPE html>\u{0}"))
            let result = try await Self.program().run("--body", server.url)
            #expect(result.output.hasSuffix("+ binary data, not shown: save it with --download or --output FILE +\r\n"))
        }
    }

    @Test(.bug(id: "F318")) func `a password that is not UTF-8 is refused`() async throws {
        let program = try Self.program().start(["--auth", "ada", "http://localhost:1/"])
        await program.waitForText("Password for ada at localhost: ")
        program.type(bytes: [0x67, 0xFC, 0x0A])
        let result = await program.result()
        #expect(result.ending == .exited(1))
        #expect(result.output.contains("error: the password is not UTF-8"), "\(result.output)")
    }

    @Test(
        .bug(id: "F439"),
        arguments: [
            (["-a", "ada"], "\u{4}", "no password was typed: type one, or write --auth ada:PASSWORD"),
            (["curl", "-u", "ada"], "\u{4}", "no password was typed: type one, or write -u ada:PASSWORD"),
            (["-a", "ada", "curl"], "\u{4}", "no password was typed: type one, or write --auth ada:PASSWORD"),
            (["-a", "ada"], "a\u{1B}[Ab\n", "the password that was typed holds a control character"),
            (["curl", "-u", "ada"], "\u{1B}[A\n", "the password that was typed holds a control character"),
        ]
    )
    func `what is wrong with a password that is asked for is told as it is`(
        _ options: [String],
        _ typed: String,
        _ text: String
    ) async throws {
        let program = try Self.program().start(options + ["http://localhost:1/"])
        await program.waitForText("Password for ada at localhost: ")
        program.type(typed)
        let result = await program.result()
        #expect(result.ending == .exited(1))
        #expect(result.output.contains("error: " + text), "\(result.output)")
    }

    @Test(.bug(id: "F439"), arguments: [(["-a", "ada"], "--auth ada:"), (["curl", "-u", "ada"], "-u ada:")])
    func `a password without a terminal is advised with the option that was written`(
        _ options: [String],
        _ advice: String
    ) async throws {
        let result = try await Program().run(options + ["http://localhost:1/"])
        let option = advice.split(separator: " ")[0]
        let text = "error: \(option) has no password and there is no terminal to ask for it: write \(advice)PASSWORD\n"
        #expect(result.errors.hasSuffix(text), "\(result.errors)")
    }

    @Test(.bug(id: "F822"), arguments: [["-d", "@-"], ["-d", "a=1", "-d", "@-"], ["--data-binary", "@-"]])
    func `data that is typed for a command of curl ends with one Ctrl-D`(_ words: [String]) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "done"))
            let program = try Self.program().start(["curl"] + words + [server.url])
            program.type("b=2\n\u{4}")
            let result = await program.result()
            #expect(result.ending == .exited(0), "\(result.output)")
            #expect(try await server.takeRequest().bodyText.hasPrefix(words[1] == "@-" ? "b=2" : "a=1&b=2"))
        }
    }

    @Test func `text in another charset is shown as text`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(
                    headers: [.contentType: "text/plain; charset=ISO-8859-1"],
                    body: .bytes([0x63, 0x61, 0x66, 0xE9])
                )
            )
            let result = try await Self.program().run("--body", server.url)
            #expect(result.output == "café\r\n")
        }
    }

    @Test func `help is printed on a terminal of 20 columns`() async throws {
        let result = try await Self.program(columns: 20).run("--help")
        #expect(result.ending == .exited(0))
        #expect(result.output.contains("bluebonnet [OPTIONS] [METHOD] URL [ITEM ...]"), "\(result.output)")
    }

    @Test(arguments: [
        (nil, #"{"a":1,"b":[1,2"#, #"{"a":1,"b":[1,2"#), ("text/html", "<html><bo", "<html><bo"),
        ("text/plain", "tw", "tw"), ("application/json", #"["one""#, "[\r\n    \"one\""),
    ])
    func `what has come of a body that breaks off stands on lines of its own`(
        _ type: String?,
        _ sent: String,
        _ shown: String
    ) async throws {
        try await TestServer.withServer { server in
            let headers: HTTPFields = type.map { [.contentType: $0] } ?? [:]
            let byteCount = Int64(sent.utf8.count)
            server.enqueue(
                ScriptedResponse(headers: headers, body: .text(sent + "rest"), effect: .drop(.afterBody(byteCount)))
            )
            let result = try await Self.program().run("--body", server.url)
            #expect(result.ending == .exited(2))
            #expect(result.output.hasPrefix(shown + "\r\nbluebonnet: error: "), "\(result.output)")
        }
    }

    @Test(arguments: ["lzma", "gzip, lzma"])
    func `a body with an unknown coding is named, and not shown`(_ coding: String) async throws {
        let names = coding.split(separator: ", ").map { "“\($0)”" }.joined(separator: ", ")
        for type in ["application/json", "image/png"] {
            try await TestServer.withServer { server in
                server.enqueue(
                    ScriptedResponse(
                        headers: [.contentType: type, .contentEncoding: coding],
                        body: .bytes([0x5D, 0x21, 0x22, 0xFF])
                    )
                )
                let result = try await Self.program().run("--body", server.url)
                #expect(result.ending == .exited(0))
                let warning = "bluebonnet: warning: the body is encoded with \(names), which cannot be decoded: save it"
                #expect(result.output.hasPrefix(warning), "\(result.output)")
                #expect(!result.output.contains("!"), "\(result.output)")
            }
        }
    }

    @Test(.bug(id: "F4")) func `a compressed JSON bomb does not fill the memory`() async throws {
        let bomb = Array(repeating: UInt8(ascii: "["), count: 500) + Array(String(repeating: "0,", count: 200_000).utf8)
        let compressed = Compression.gzip(bomb)
        #expect(compressed.count < 10_000)
        try await TestServer.withServer { server in
            var memory: [Int] = []
            for body in [Compression.gzip(Array("[]".utf8)), compressed] {
                server.enqueue(
                    ScriptedResponse(
                        headers: [.contentType: "application/json", .contentEncoding: "gzip"],
                        body: .bytes(body)
                    )
                )
                let result = try await Program().run("--pretty=all", server.url)
                #expect(result.ending == .exited(0), "\(result.errors)")
                // 80 columns, a digit in its colours and a comma.
                #expect(result.output.utf8.count < 100 * (bomb.count + 1))
                memory.append(result.peakMemory)
            }
            #expect(memory[1] - memory[0] < 24 * 1024, "\(memory) KiB")
        }
    }

    @Test(.bug(id: "F4")) func `a document that is nested too deep is not formatted, and a note says so`() async throws
    {
        try await TestServer.withServer { server in
            server.enqueue(.json(String(repeating: "[", count: 100_000)))
            let result = try await Program().run("--pretty=format", server.url)
            #expect(result.ending == .exited(0))
            #expect(result.errors.contains("512 levels"), "\(result.errors)")
            #expect(result.output.utf8.count < 200_000)
        }
    }

    @Test(
        .bug(id: "F358"),
        arguments: [["-o", "f"], ["-O"], ["-o", "f", "-w", "%header{x-a}"], ["-v", "-o", "f"], ["-i"]]
    )
    func `curl -D - shows the heads of a server with its control characters escaped`(_ options: [String]) async throws {
        try await TestServer.withServer { server in
            server.enqueue(.raw("HTTP/1.1 200 OK\r\nX-A: a\u{9B}2Jb\r\nContent-Length: 0\r\n\r\n"))
            let folder = try TemporaryFolder()
            var program = Self.program()
            program.directory = folder.path
            let result = try await program.run(["curl", "-s", "-D", "-"] + options + [server.url + "/x"])
            #expect(result.ending == .exited(0), "\(result.output)")
            #expect(result.output.contains("X-A: a\\u{9b}2Jb\r\n"), "\(result.output)")
            #expect(!result.output.unicodeScalars.contains("\u{9B}"))
        }
    }

    @Test(.bug(id: "F365"), arguments: [([], false), (["-i"], true)])
    func `a command of curl shows the body alone, unless it has -i`(_ options: [String], _ hasHead: Bool) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(headers: [.contentType: "text/plain"], body: "text"))
            let result = try await Self.program().run(["curl", "-s"] + options + [server.url])
            #expect(result.output.hasPrefix("HTTP/1.1 200 OK") == hasHead, "\(result.output)")
            #expect(result.output.hasSuffix("text\r\n") || result.output.hasSuffix("text"), "\(result.output)")
        }
    }
}
