// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Testing

@testable import BluebonnetCLI

@Suite(.timeLimit(.minutes(1))) struct ExchangeTests {
    @Test func `a pipe gets the body and nothing else`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(headers: [.contentType: "application/json"], body: "{\"a\": 1}\r\n\u{1B}"))
            let console = TestConsole()
            #expect(await console.run(server.url) == .success)
            #expect(console.output.text == "{\"a\": 1}\r\n\u{1B}")
            #expect(console.errors.bytes.isEmpty)
        }
    }

    @Test func `a terminal gets head and body, made up and harmless`() async throws {
        try await TestServer.withServer { server in
            let type = HTTPField(name: .contentType, value: "application/json")
            server.enqueue(ScriptedResponse(headers: HTTPFields([type]), body: "{\"a\":[\"\\u001b[2J\"]}"))
            let console = TestConsole(isTerminal: true, environment: ["NO_COLOR": "1"])
            #expect(await console.run(server.url) == .success)
            let text = console.output.text
            #expect(text.hasPrefix("HTTP/1.1 200 OK\n"))
            #expect(text.contains("Content-Type: application/json\n"))
            #expect(text.hasSuffix("\n\n{\n    \"a\": [\n        \"\\u001b[2J\"\n    ]\n}\n"))
            #expect(!text.contains("\u{1B}"))
        }
    }

    @Test func `control characters in a head do not reach a terminal`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                .raw("HTTP/1.1 200 O\u{1B}[31mK\r\nX-Title: \u{1B}]0;pwned\u{7}\r\nContent-Length: 0\r\n\r\n")
            )
            let console = TestConsole(isTerminal: true, environment: ["NO_COLOR": "1"])
            _ = await console.run(server.url)
            #expect(!console.output.text.contains("\u{1B}"))
            #expect(!console.errors.text.contains("\u{1B}"))
        }
    }

    @Test func `binary data is not shown on a terminal`() async throws {
        try await TestServer.withServer { server in
            let console = TestConsole(isTerminal: true)
            #expect(await console.run("--body", server.url + "/bytes/100000") == .success)
            #expect(console.output.text == "+ binary data, not shown: save it with --download or --output FILE +\n")
        }
    }

    @Test(arguments: [
        ("h", true, false), ("b", false, true), ("hb", true, true), ("H", false, false),
    ])
    func `prints the parts that are asked for`(_ parts: String, _ head: Bool, _ body: Bool) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "the body"))
            let console = TestConsole()
            #expect(await console.run("--print=\(parts)", server.url) == .success)
            let text = console.output.text
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") == head)
            #expect(text.hasSuffix("the body") == body)
            #expect(text.contains("GET / HTTP/1.1\r\n") == parts.contains("H"))
        }
    }

    @Test func `verbose shows the whole exchange and sends the body all the same`() async throws {
        try await TestServer.withServer { server in
            let console = TestConsole()
            #expect(await console.run("--verbose", server.url + "/post", "name=Ada") == .success)
            #expect(
                console.output.text.contains("Content-Length: 14\r\n\r\n{\"name\":\"Ada\"}\r\n\r\nHTTP/1.1 200 OK\r\n")
            )
            let request = try await server.takeRequest()
            #expect(request.bodyByteCount == 14)
        }
    }

    @Test func `a request that could not be sent is shown as it would have been`() async throws {
        let console = TestConsole()
        #expect(await console.run("--verbose", "127.0.0.1:1/x", "a=1") == .transport)
        #expect(console.output.text.hasPrefix("POST /x HTTP/1.1\r\nHost: 127.0.0.1:1\r\n"))
        #expect(console.output.text.hasSuffix("\r\n\r\n{\"a\":\"1\"}"))
    }

    @Test func `a whole body that comes instead of a range is decoded`() async throws {
        try await TestServer.withServer { server in
            let console = TestConsole()
            #expect(await console.run(server.url + "/gzip", "Range:bytes=0-") == .success)
            #expect((try? JSONValue(parsing: console.output.text)) != nil, "\(console.output.text)")
        }
    }

    @Test func `timing is printed in words`() async throws {
        try await TestServer.withServer { server in
            let console = TestConsole()
            #expect(await console.run("--print=m", server.url) == .success)
            #expect(console.output.text.contains("total    "), "\(console.output.text)")
            #expect(console.output.text.contains("connect  "))
        }
    }

    @Test func `sends what the items say`() async throws {
        try await TestServer.withServer { server in
            let console = TestConsole()
            let url = server.url + "/anything?x=1"
            #expect(await console.run("PATCH", url, "y==z&", "X-Test:yes", "a[b]:=[1.50]") == .success)
            let value = try JSONValue(parsing: console.output.text)
            #expect(value["method"]?.string == "PATCH")
            #expect(value["target"]?.string == "/anything?x=1&y=z%26")
            #expect(value["body"]?["text"]?.string == #"{"a":{"b":[1.5]}}"#)
        }
    }

    @Test(arguments: ["/gzip", "/deflate"])
    func `a compressed body is shown as it was before`(_ path: String) async throws {
        try await TestServer.withServer { server in
            let console = TestConsole()
            #expect(await console.run(server.url + path) == .success)
            #expect((try? JSONValue(parsing: console.output.text)) != nil, "\(console.output.text)")
        }
    }

    @Test func `downloads under the name the server proposes, and never over a file`() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            _ = try folder.add("report.txt", "mine")
            for _ in 0..<2 {
                var response = ScriptedResponse(body: "theirs")
                if let name = HTTPField.Name("Content-Disposition") {
                    response.headers[name] = "attachment; filename=\"../report.txt\""
                }
                server.enqueue(response)
                let console = TestConsole(directory: folder.path)
                #expect(await console.run("--download", server.url + "/x") == .success)
                #expect(console.errors.text.hasPrefix("Saved “report-"))
                #expect(console.output.bytes.isEmpty)
            }
            #expect(folder.names == ["report-1.txt", "report-2.txt", "report.txt"])
            #expect(folder.text("report.txt") == "mine")
            #expect(folder.text("report-2.txt") == "theirs")
        }
    }

    @Test func `a download prints the heads that are asked for`() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            for option in ["--verbose", "--headers"] {
                server.enqueue(ScriptedResponse(body: "the body"))
                let console = TestConsole(directory: folder.path)
                #expect(await console.run("--download", "-o", "out", option, server.url + "/x") == .success)
                #expect(folder.text("out") == "the body")
                let parts = console.output.text.components(separatedBy: "\r\n\r\n")
                #expect(parts.count == (option == "--verbose" ? 3 : 2))
                #expect(parts.first?.hasPrefix(option == "--verbose" ? "GET /x" : "HTTP/1.1 200") == true)
                #expect(parts.dropLast().last?.hasPrefix("HTTP/1.1 200 OK\r\n") == true)
            }
        }
    }

    @Test func `a download that is refused is printed`() async throws {
        try await TestServer.withServer { server in
            for path in ["out", "/dev/null"] {
                server.enqueue(ScriptedResponse(status: 404, body: "why"))
                let folder = try TemporaryFolder()
                let console = TestConsole(directory: folder.path)
                #expect(await console.run("--download", "-o", path, server.url + "/x") == .clientError)
                #expect(console.output.text == "why")
                #expect(folder.names.isEmpty)
            }
        }
    }

    @Test func `a download goes into a device, too`() async throws {
        try await TestServer.withServer { server in
            let console = TestConsole()
            #expect(await console.run("--download", "-o", "/dev/null", server.url + "/bytes/100000") == .success)
            #expect(
                console.errors.text.hasPrefix("Saved “/dev/null” (100.0 kB in ")
                    || console.errors.text.hasPrefix("Saved “/dev/null” (97")
            )
            let full = TestConsole()
            #expect(await full.run("--download", "-o", "/dev/full", server.url + "/bytes/100000") == .usage)
            #expect(full.errors.text.contains("No space left"), "\(full.errors.text)")
            let missing = TestConsole()
            #expect(await missing.run("--download", "-o", "/nonexistent/x", server.url) == .usage)
            #expect(
                missing.errors.text.contains("cannot write “/nonexistent/x”: No such file"),
                "\(missing.errors.text)"
            )
        }
    }

    @Test func `downloads large bodies to the byte`() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let console = TestConsole(directory: folder.path)
            #expect(await console.run("--download", "--output", "big.bin", server.url + "/bytes/5000000") == .success)
            let digest = try await FileDigest.compute(folder.path + "/big.bin")
            #expect(digest.byteCount == 5_000_000)
            #expect(await digest.sha256 == PatternBytes.sha256(ofFirst: 5_000_000))
        }
    }

    @Test func `an output file is replaced in one step`() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            _ = try folder.add("out.txt", "old")
            server.enqueue(ScriptedResponse(body: "new"))
            let console = TestConsole(isTerminal: true, directory: folder.path)
            #expect(await console.run("-o", "out.txt", server.url) == .success)
            #expect(folder.text("out.txt") == "new")
            #expect(folder.names == ["out.txt"])
        }
    }

    @Test func `uploads a file and a field`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.add("data.csv", "a,b\n1,2\n")
        try await TestServer.withServer { server in
            let console = TestConsole()
            #expect(
                await console.run("--form", server.url + "/upload", "note=hi", "data@\(path);type=text/x-test")
                    == .success
            )
            let parts = try #require(try JSONValue(parsing: console.output.text)["parts"]?.array)
            #expect(parts.count == 2)
            #expect(parts[1]["filename"]?.string == "data.csv")
            #expect(parts[1]["contentType"]?.string == "text/x-test")
            #expect(parts[1]["sha256"]?.string == Digest.text(of: Array("a,b\n1,2\n".utf8)))
        }
    }

    @Test func `a reader that goes away ends the command quietly`() async throws {
        struct ClosedSink: OutputSink {
            let isTerminal = false
            let columns = 80
            func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
                throw CommandFailure(.outputClosed, "closed")
            }
        }
        try await TestServer.withServer { server in
            var test = TestConsole()
            test.console.output = ClosedSink()
            #expect(await test.run(server.url + "/bytes/1000000") == .outputClosed)
            #expect(test.errors.bytes.isEmpty)
        }
    }
}
