// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// The real `bluebonnet serve`, asked by the real `bluebonnet`.
@Suite(.timeLimit(.minutes(1))) struct ServeTests {
    /// A server that runs until the test ends.
    struct Server {
        let program: RunningProgram
        let url: String

        init(_ arguments: String..., folder: TemporaryFolder? = nil) async throws {
            var program = Program()
            program.directory = folder?.path
            self.program = try program.start(["serve"] + arguments)
            let shown = await self.program.waitForText("until Ctrl-C")
            let word = shown.split(separator: " ").first { $0.hasPrefix("http") }
            self.url = String(try #require(word, "\(shown)"))
        }
    }

    @Test func `a server whose certificate nobody can trust says what its clients need`() async throws {
        let program = try Program().start(["serve", "--tls"])
        let shown = await program.waitForText("--cacert.")
        #expect(shown.hasPrefix("Listening on https://") && shown.contains("--root FILE"), "\(shown)")
        #expect(!shown.contains("Try"), "\(shown)")
        program.send(SIGINT)
        #expect(await program.result().ending == .signalled(SIGINT))
    }

    @Test(.bug(id: "F160")) func `a replay over TLS without a root says how many exchanges it has`() async throws {
        let folder = try TemporaryFolder()
        let first = try await Server("--echo")
        _ = try await Program(directory: folder.path).run("--har", "x.har", first.url + "/x")
        let program = try Program(directory: folder.path).start(["serve", "--tls", "--replay", "x.har"])
        let shown = await program.waitForText("--cacert.")
        #expect(shown.contains(" until Ctrl-C, with 1 recorded exchange. No client trusts"), "\(shown)")
    }

    @Test func `a folder is served, and nothing outside of it`() async throws {
        let folder = try TemporaryFolder()
        let outside = try folder.add("outside.txt", "secret")
        try FileManager.default.createDirectory(atPath: folder.path + "/public/sub", withIntermediateDirectories: true)
        _ = try folder.add("public/a b.txt", "hello")
        _ = try folder.add("public/sub/index.html", "<p>index</p>")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/public/link.txt",
            withDestinationPath: outside
        )
        try FileManager.default.createDirectory(
            atPath: folder.path + "/public/linked",
            withIntermediateDirectories: true
        )
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/public/linked/index.html",
            withDestinationPath: outside
        )
        _ = try folder.add("public/what?.txt", "asked")
        let server = try await Server("--folder", "public", folder: folder)
        let linked = try await Program().run(server.url + "/linked/")
        #expect(!linked.output.contains("secret") && linked.output.contains("index.html"), "\(linked.output)")
        let list = try await Program().run(server.url + "/")
        #expect(list.output.contains(#"<a href="./what%3F.txt">what?.txt</a>"#), "\(list.output)")
        for (target, location) in [("//sub", "/sub/"), ("/sub?a=//b", "/sub/?a=//b"), ("/%5Csub/..//sub", nil)] {
            let moved = try await Program().run("--print=h", "--path-as-is", server.url + target)
            let expected = location.map { "\nLocation: \($0)\r\n" } ?? "404 Not Found"
            #expect(moved.output.contains(expected), "\(target): \(moved.output)")
        }
        #expect(list.output.contains(#"<a href="./a%20b.txt">a b.txt</a>"#), "\(list.output)")
        let file = try await Program().run("--print=hb", server.url + "/a%20b.txt")
        #expect(file.output.contains("Content-Type: text/plain"), "\(file.output)")
        #expect(file.output.hasSuffix("hello"))
        let index = try await Program().run("--follow", server.url + "/sub")
        #expect(index.output == "<p>index</p>")
        for path in ["/../outside.txt", "/link.txt", "/%2e%2e/outside.txt", "/none"] {
            let refused = try await Program().run("--check-status", "--path-as-is", server.url + path)
            #expect(refused.ending == .exited(4), "\(path)")
            #expect(!refused.output.contains("secret"), "\(path)")
        }
        let posted = try await Program().run("--check-status", "POST", server.url + "/", "a=1")
        #expect(posted.ending == .exited(4))
        server.program.send(SIGINT)
        #expect(await server.program.result().ending == .signalled(SIGINT))
    }

    @Test(.bug(id: "F439")) func `a pipe in a folder is refused without its path on this machine`() async throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        let server = try await Server("--folder", ".", folder: folder)
        let result = try await Program().run("--print=hb", server.url + "/pipe")
        #expect(result.output.hasPrefix("HTTP/1.1 403 "), "\(result.output)")
        #expect(result.output.hasSuffix("the file cannot be served: it is a device, a socket or a pipe\n"))
        #expect(!result.output.contains(folder.path))
    }

    @Test func `a download from a folder is continued, and a changed file begins again`() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/public", withIntermediateDirectories: true)
        let first = PatternBytes.bytes(in: 0..<3_000_000)
        try folder.write(first, to: "public/big.bin", changed: 1_700_000_000)
        let server = try await Server("--folder", "public", folder: folder)
        let target = server.url + "/big.bin"
        var program = Program()
        program.directory = folder.path
        try folder.write(Array(first.prefix(1_000_000)), to: "copy.bin", changed: 1_700_000_000)
        let head = try await program.run("--print=h", "HEAD", target)
        let tag = try #require(head.output.split(separator: "\r\n").first { $0.hasPrefix("ETag: \"") }?.dropFirst(6))
        #expect(head.output.contains("Last-Modified: Tue, 14 Nov 2023 22:13:20 GMT"), "\(head.output)")
        let part = try await program.run("--print=h", target, "Range:bytes=2999990-", "If-Range:\(tag)")
        #expect(part.output.contains("206 Partial Content"), "\(part.output)")
        #expect(part.output.contains("Content-Range: bytes 2999990-2999999/3000000"), "\(part.output)")
        #expect(try await program.run("--print=h", target, "If-None-Match:\(tag)").output.contains("304 Not Modified"))
        // As HTTPie's --continue: a file without a journal goes on where it ends.
        let continued = try await program.run("--download", "--continue", "--output=copy.bin", target)
        #expect(continued.ending == .exited(0), "\(continued.errors)")
        #expect(folder.bytes("copy.bin") == first)
        let second = [UInt8](repeating: 1, count: 3_000_000)
        try folder.write(second, to: "public/big.bin", changed: 1_700_000_001)
        let changed = try await program.run("--print=h", target, "Range:bytes=5-", "If-Range:\(tag)")
        #expect(changed.output.contains("200 OK"), "\(changed.output)")
        let again = try await program.run("--download", "--parallel=3", "--output=second.bin", target)
        #expect(again.ending == .exited(0), "\(again.errors)")
        #expect(folder.bytes("second.bin") == second)
    }

    @Test func `what was received is answered, byte by byte`() async throws {
        let server = try await Server("--echo")
        let result = try await Program().run(["PUT", server.url + "/x?q=1", "X-Key:v", "name=Ada"])
        #expect(result.ending == .exited(0), "\(result.errors)")
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        )
        #expect(document["method"] as? String == "PUT")
        #expect(document["target"] as? String == "/x?q=1")
        #expect(document["body"] as? String == #"{"name":"Ada"}"#)
        #expect(document["bodyByteCount"] as? Int == 14)
        let headers = try #require(document["headers"] as? [[String]])
        #expect(headers.contains(["X-Key", "v"]))
    }

    @Test(arguments: [
        ("close", 2, "closed the connection before"), ("reset", 2, "reset by peer"), ("garbage", 2, "HTTP"),
        ("stall", 2, "--timeout"),
    ])
    func `a fault of every kind is met`(_ kind: String, _ status: Int32, _ text: String) async throws {
        let server = try await Server("--fault", kind)
        let result = try await Program().run("--timeout=0.5", server.url)
        #expect(result.ending == .exited(status), "\(result.output) \(result.errors)")
        #expect(result.errors.contains(text), "\(result.errors)")
    }

    @Test func `an overloaded server is told by its status, and a slow one comes to its end`() async throws {
        let overloaded = try await Server("--fault=unavailable")
        let refused = try await Program().run("--check-status", "--print=h", overloaded.url)
        #expect(refused.ending == .exited(5))
        #expect(refused.output.contains("Retry-After: 1"), "\(refused.output)")
        let slow = try await Server("--fault=slow")
        let running = try Program().start([slow.url])
        #expect(await running.waitForText("bluebonnet\n").contains("bluebonnet"))
    }

    @Test func `a recorded exchange is answered again, and its secrets are not in the file`() async throws {
        let folder = try TemporaryFolder()
        var program = Program()
        program.directory = folder.path
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(status: .created, headers: [.contentType: "application/json"], body: #"{"id":1}"#),
                ScriptedResponse(
                    headers: [.contentEncoding: "gzip"],
                    body: .bytes(Compression.gzip(Array("text".utf8)))
                )
            )
            let words = [
                "POST", server.url + "/users?token=abc", "Authorization:Bearer abc", "password=xyz", "name=Ada",
            ]
            let posted = try await program.run(["--har", "one.har"] + words)
            #expect(posted.output == #"{"id":1}"#, "\(posted.errors)")
            #expect(posted.errors.contains("1 exchange recorded in “one.har”, without secrets"), "\(posted.errors)")
            let got = try await program.run("--har=two.har", "--headers", "-q", server.url + "/a")
            #expect(got.errors == "")
        }
        let archive = try #require(folder.text("one.har"))
        #expect(!archive.contains("abc") && !archive.contains("xyz") && archive.contains("Ada"))
        let first = try await Server("--replay", "one.har", folder: folder)
        let target = first.url + "/users?token=other"
        let again = try await Program().run("--print=hb", "POST", target, "password=other", "name=Ada")
        #expect(again.output.hasPrefix("HTTP/1.1 201 Created"), "\(again.output)")
        #expect(again.output.hasSuffix(#"{"id":1}"#))
        let other = try await Program().run("--check-status", "POST", target, "password=other", "name=Grace")
        #expect(other.ending == .exited(4))
        #expect(other.output.contains("no response to POST /users?token=other with this body"), "\(other.output)")
        let bodiless = try await Program().run(first.url + "/other")
        #expect(bodiless.output.hasSuffix("no response to GET /other\n"), "\(bodiless.output)")
        let second = try await Server("--replay", "two.har", folder: folder)
        #expect(try await Program().run(second.url + "/a").output == "text")
    }

    @Test(.bug(id: "F52")) func `a record goes into a device or a pipe, and takes its place never`() async throws {
        let folder = try TemporaryFolder()
        var program = Program()
        program.directory = folder.path
        try await TestServer.withServer { server in
            let piped = try await program.run("-q", "--har", "/dev/stdout", server.url + "/a")
            #expect(piped.ending == .exited(0), "\(piped.errors)")
            #expect(piped.output.contains(#""entries""#), "\(piped.output)")
            let full = try await program.run("--har", "/dev/full", server.url + "/a")
            #expect(full.ending == .exited(1))
            #expect(full.errors.contains("No space left on device"), "\(full.errors)")
        }
        var status = stat()
        #expect(lstat("/dev/full", &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test func `an exchange that failed is recorded, and fails again`() async throws {
        let folder = try TemporaryFolder()
        var program = Program()
        program.directory = folder.path
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: .pattern(1000), effect: .close(.afterBody(10))))
            let failed = try await program.run("--har", "x.har", server.url + "/a")
            #expect(failed.ending == .exited(2))
        }
        let server = try await Server("--replay", "x.har", folder: folder)
        #expect(try await Program().run(server.url + "/a").ending == .exited(2))
    }

    /// Browsers record a WebSocket so.
    @Test func `a status that no response can end with is an error, and no silence`() async throws {
        let folder = try TemporaryFolder()
        let entry = """
            {"startedDateTime":"2026-01-01T00:00:00Z","time":1,"cache":{},"timings":{"send":0,"wait":0,"receive":0},
            "request":{"method":"GET","url":"http://h/a","httpVersion":"HTTP/1.1","cookies":[],"headers":[],
            "queryString":[],"headersSize":-1,"bodySize":0},"response":{"status":101,"statusText":"","cookies":[],
            "httpVersion":"HTTP/1.1","headers":[],"content":{"size":0,"mimeType":""},"redirectURL":"","headersSize":-1,
            "bodySize":0}}
            """
        _ = try folder.add(
            "x.har",
            #"{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":["# + entry + "]}}"
        )
        let server = try await Server("--replay", "x.har", folder: folder)
        let result = try await Program().run(server.url + "/a")
        #expect(result.output.contains("the status 101, and no response after it"), "\(result.output)\(result.errors)")
    }

    @Test(.bug(id: "F251")) func `a body that was recorded encoded is served with its coding`() async throws {
        let folder = try TemporaryFolder()
        let text = Data(Compression.gzip(Array("text".utf8))).base64EncodedString()
        let entry = """
            {"request":{"method":"GET","url":"http://h/a","headers":[]},"response":{"status":200,"headers":
            [{"name":"Content-Type","value":"text/plain"},{"name":"Content-Encoding","value":"gzip"}],
            "content":{"mimeType":"text/plain","text":"\(text)","encoding":"base64","_encoded":true}}}
            """
        _ = try folder.add("x.har", #"{"log":{"version":"1.2","entries":["# + entry + "]}}")
        let server = try await Server("--replay", "x.har", folder: folder)
        #expect(try await Program().run(server.url + "/a").output == "text")
    }

    @Test(.bug(id: "F770")) func `a body whose reader stopped early is served as far as it was read, and cut`()
        async throws
    {
        let folder = try TemporaryFolder()
        let entry = """
            {"request":{"method":"GET","url":"http://h/a","headers":[]},"response":{"status":200,"headers":
            [{"name":"Content-Length","value":"9"}],
            "content":{"mimeType":"text/plain","text":"text","_abandoned":true}}}
            """
        _ = try folder.add("x.har", #"{"log":{"version":"1.2","entries":["# + entry + "]}}")
        let server = try await Server("--replay", "x.har", folder: folder)
        let result = try await Program().run(server.url + "/a")
        #expect(result.output.hasPrefix("text") && result.ending == .exited(2), "\(result.output)\(result.errors)")
    }

    @Test(.bug(id: "F307"), arguments: [nil, "1234"])
    func `a response to HEAD is served with its recorded length, or none`(_ length: String?) async throws {
        let folder = try TemporaryFolder()
        let field = length.map { #",{"name":"Content-Length","value":"\#($0)"}"# } ?? ""
        let entry = """
            {"request":{"method":"HEAD","url":"http://h/a","headers":[]},"response":{"status":200,"headers":
            [{"name":"Content-Type","value":"text/plain"}\(field)],"content":{"size":0,"mimeType":"text/plain"}}}
            """
        _ = try folder.add("x.har", #"{"log":{"version":"1.2","entries":["# + entry + "]}}")
        let server = try await Server("--replay", "x.har", folder: folder)
        let result = try await Program().run("--print=h", "HEAD", server.url + "/a")
        #expect(result.output.contains("Content-Type: text/plain"), "\(result.output)\(result.errors)")
        let line = result.output.split(separator: "\r\n").first { $0.hasPrefix("Content-Length:") }
        #expect(line.map { String($0) } == length.map { "Content-Length: \($0)" }, "\(result.output)")
    }

    @Test(arguments: [
        (["serve", "--replay", "none.har"], "none.har cannot be read"),
        (["serve", "--replay", "bad.har"], "it is not JSON"),
        (["serve", "--replay", "empty.har"], "holds no exchange"),
        (["serve", "--echo", "--replay", "x"], "choose one of"), (["serve", "--folder", "none"], "is not a folder"),
        (["serve", "--fault", "fire"], "fire"), (["--har", "none/x.har", "localhost:1"], "cannot write “none/x.har”"),
        (["--har", ".", "localhost:1"], "is a folder"),
        (["--har", "x", "--offline", "localhost"], "--offline has none"),
        (["--har", "x", "--bench", "2", "localhost"], "leave out --bench"),
    ])
    func `what cannot be served or recorded is explained`(_ words: [String], _ text: String) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("bad.har", "{")
        _ = try folder.add("empty.har", #"{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[]}}"#)
        let result = try await Program(directory: folder.path).run(words)
        #expect(result.ending == .exited(1), "\(result.output)")
        #expect(result.errors.contains(text), "\(result.errors)")
        #expect(!result.output.contains("Listening"))
    }
}
