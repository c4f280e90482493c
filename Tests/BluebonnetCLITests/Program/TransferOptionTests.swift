// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// Options of the real program that change how bodies go up and come down.
@Suite(.timeLimit(.minutes(1))) struct TransferOptionTests {
    @Test func `a body is sent in chunks where that is asked for`() async throws {
        try await TestServer.withServer { server in
            let result = try await Program().run("--chunked", server.url + "/echo", "a=1")
            #expect(result.ending == .exited(0), "\(result.errors)")
            let request = try await server.takeRequest()
            #expect(request.headers[.transferEncoding] == "chunked")
            #expect(request.headers[.contentLength] == nil)
            #expect(request.bodyText == #"{"a":"1"}"#)
        }
    }

    @Test(
        .bug(id: "F312"),
        .bug(id: "F362"),
        arguments: [["--chunked"], ["curl", "-T", "-"], ["curl", "-s", "-T", "."]]
    )
    func `standard input in chunks is sent as it comes`(_ options: [String]) async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        // For both directions, so that opening does not wait for the program.
        let writer = open(pipe, O_RDWR | O_CLOEXEC)
        let send: @Sendable (String) -> Void = { text in
            _ = Array(text.utf8).withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
        }
        let listener = try RawListener()
        let program = try Program(preparation: "exec < '\(pipe)'")
            .start(options + ["http://127.0.0.1:\(listener.port)/"])
        send("first")
        let bytes = await listener.receive([
            RawListener.Step(text: "first") { send("second") },
            RawListener.Step(text: "second") { _ = close(writer) },
            RawListener.Step(text: "\r\n0\r\n\r\n"),
        ])
        let text = String(decoding: bytes, as: UTF8.self)
        try #require(text.hasSuffix("\r\n\r\n5\r\nfirst\r\n6\r\nsecond\r\n0\r\n\r\n"), "\(text)")
        #expect(text.contains("Transfer-Encoding: chunked"), "\(text)")
        #expect(await program.result().ending == .exited(0))
    }

    @Test(.bug(id: "F312"), arguments: ["", "text"])
    func `standard input in chunks may be empty, and may be a file`(_ text: String) async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let path = try folder.add("input", text)
            let pipe = folder.path + "/pipe"
            let piped = "mkfifo '\(pipe)'; (cat '\(path)' > '\(pipe)' &); exec < '\(pipe)'"
            for preparation in ["exec < '\(path)'", piped] {
                let result = try await Program(preparation: preparation).run("--chunked", server.url + "/echo")
                #expect(result.ending == .exited(0), "\(result.errors)")
                let request = try await server.takeRequest()
                #expect(request.method == (text.isEmpty ? .get : .post))
                #expect(request.headers[.transferEncoding] == (text.isEmpty ? nil : "chunked"))
                #expect(request.bodyText == text)
            }
        }
    }

    @Test(arguments: [
        (["-x"], String(repeating: "ab", count: 500), true), (["-x"], "ab", false), (["-xx"], "ab", true),
    ])
    func `a body is compressed where it gets smaller, or where that is insisted on`(
        _ options: [String],
        _ text: String,
        _ isCompressed: Bool
    ) async throws {
        try await TestServer.withServer { server in
            let result = try await Program().run(options + ["--raw", text, server.url + "/echo"])
            #expect(result.ending == .exited(0), "\(result.errors)")
            let request = try await server.takeRequest()
            #expect(request.headers[.contentEncoding] == (isCompressed ? "deflate" : nil))
            let body = Data(request.body)
            #expect((body == Data(text.utf8)) == !isCompressed)
            if isCompressed {
                // What Foundation calls zlib is the stream without its frame of 2 and 4 bytes.
                #expect(body.prefix(1) == Data([0x78]))
                #expect(body.count < text.utf8.count + 12)
            }
        }
    }

    @Test(arguments: [
        (["localhost/a/./b/../c"], "GET /a/c HTTP/1.1"), (["localhost/../x?q=/../y"], "GET /x?q=/../y HTTP/1.1"),
        (["localhost/a/%2E%2e/b/.."], "GET / HTTP/1.1"), (["localhost/a//b/."], "GET /a//b/ HTTP/1.1"),
        (["--path-as-is", "localhost/a/../c"], "GET /a/../c HTTP/1.1"),
    ])
    func `dot segments are removed unless they are to be sent`(_ words: [String], _ line: String) async throws {
        let result = try await Program().run(["--offline"] + words)
        #expect(result.output.hasPrefix(line + "\r\n"), "\(result.output) \(result.errors)")
    }

    @Test func `the value of an item may come from a pipe`() async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.path + "/pipe"
        let program = Program(preparation: "mkfifo \(pipe); (echo '{\"b\": [1]}' > \(pipe) &)")
        let result = try await program.run("--offline", "--print=B", "localhost", "a:=@\(pipe)")
        #expect(result.output == #"{"a":{"b":[1]}}"#, "\(result.errors)")
    }

    @Test func `a body with an unknown coding goes into a pipe as it came, and a warning names the coding`()
        async throws
    {
        try await TestServer.withServer { server in
            let coded = ScriptedResponse(headers: [.contentEncoding: "lzma"], body: "bytes")
            server.enqueue(coded, ScriptedResponse(headers: [.contentEncoding: "identity"], body: "plain"), coded)
            let result = try await Program().run(server.url)
            #expect(result.ending == .exited(0))
            #expect(result.output == "bytes")
            #expect(
                result.errors
                    == "bluebonnet: warning: the body is encoded with “lzma”, which cannot be decoded: its bytes are written as they came\n"
            )
            #expect(try await Program().run(server.url).errors == "")
            #expect(try await Program().run("--headers", server.url).errors == "")
        }
    }

    @Test func `what failed for a moment is sent again, and it is said`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "0"]))
            server.enqueue(ScriptedResponse(body: "there"))
            let result = try await Program().run("--retry", "2", server.url)
            #expect(result.output == "there")
            #expect(result.errors.contains("attempt 1: HTTP 503"), "\(result.errors)")
            server.enqueue(ScriptedResponse(status: .serviceUnavailable), ScriptedResponse(body: "never"))
            let posted = try await Program().run("--retry", "2", "--check-status", server.url, "a=1")
            #expect(posted.ending == .exited(5))
        }
    }

    @Test func `a file is saved only with the digest that is asked for`() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let program = Program(directory: folder.path)
            let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
            for (sent, ending) in [("hello", RunningProgram.Ending.exited(0)), ("jello", .exited(2))] {
                server.enqueue(ScriptedResponse(body: .text(sent)))
                let result = try await program.run("-d", "-o", sent, "--sha256", digest, server.url)
                #expect(result.ending == ending, "\(result.errors)")
                #expect(result.errors.contains("sha-256 verified") == (sent == "hello"), "\(result.errors)")
            }
            #expect(folder.names == ["hello"])
        }
    }

    static let whole = String(repeating: "0123456789", count: 1000)

    /// The whole, which breaks off after 4000 bytes.
    static let broken = ScriptedResponse(
        headers: [.eTag: "\"v1\""],
        body: .text(whole),
        effect: .drop(.afterBody(4000))
    )

    static let rest = ScriptedResponse(
        status: .partialContent,
        headers: [.eTag: "\"v1\"", .contentRange: "bytes 4000-9999/10000"],
        body: .text(String(whole.dropFirst(4000)))
    )

    @Test func `a download that broke off goes on where it stopped`() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let program = Program(directory: folder.path)
            server.enqueue(Self.broken)
            let words = ["--download", "--continue", "--output=f", server.url]
            let broken = try await program.run(words)
            #expect(broken.ending == .exited(2), "\(broken.errors)")
            let note = "note: 3.9 KiB of 9.8 KiB are kept; the same command goes on from there"
            #expect(broken.errors.contains(note), "\(broken.errors)")
            #expect(folder.names.contains { $0.hasSuffix(".bluebonnet-part") }, "\(folder.names)")
            _ = try await server.takeRequest()
            server.enqueue(Self.rest)
            let done = try await program.run(words)
            #expect(done.ending == .exited(0), "\(done.errors)")
            #expect(try await server.takeRequest().headers[.range] == "bytes=4000-")
            #expect(folder.names == ["f"])
            #expect(folder.text("f") == Self.whole)
        }
    }

    @Test(.bug(id: "F299")) func `a download whose rest is refused says what is kept`() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let program = Program(directory: folder.path)
            let words = ["--download", "--continue", "--output=f", server.url]
            server.enqueue(Self.broken, ScriptedResponse(status: .forbidden, body: "not now\n"), Self.rest)
            #expect(try await program.run(words).ending == .exited(2))
            let refused = try await program.run(words)
            #expect(refused.ending == .exited(4), "\(refused.errors)")
            #expect(refused.output == "not now\n")
            let note = "note: 3.9 KiB of 9.8 KiB are kept; the same command goes on from there\n"
            #expect(refused.errors.contains(note), "\(refused.errors)")
            let error = "error: the server answered 403 Forbidden, so the rest is missing\n"
            #expect(refused.errors.hasSuffix(error), "\(refused.errors)")
            let done = try await program.run(words)
            #expect(done.ending == .exited(0), "\(done.errors)")
            #expect(folder.names == ["f"])
            #expect(folder.text("f") == Self.whole)
        }
    }

    @Test(.bug(id: "F98")) func `a download that cannot be continued says why nothing is kept`() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            server.enqueue(ScriptedResponse(body: .text(Self.whole), effect: .drop(.afterBody(4000))))
            let result = try await Program(directory: folder.path).run("-d", "-c", "-o", "f", server.url)
            #expect(result.ending == .exited(2), "\(result.errors)")
            #expect(result.errors.contains("note: nothing was kept of the 3.9 KiB that came"), "\(result.errors)")
            #expect(result.errors.contains("ETag"), "\(result.errors)")
            #expect(folder.names.isEmpty)
        }
    }

    @Test(arguments: [["--continue"], []])
    func `a download that breaks off goes on by itself with --retry`(_ options: [String]) async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            server.enqueue(Self.broken, Self.rest)
            let result = try await Program(directory: folder.path)
                .run(["--retry", "4", "-d", "-o", "f", server.url + "/f"] + options)
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.errors.contains("note: attempt 1: "), "\(result.errors)")
            #expect(try await server.takeRequest().headers[.range] == nil)
            #expect(try await server.takeRequest().headers[.range] == "bytes=4000-")
            #expect(folder.names == ["f"])
            #expect(folder.text("f") == Self.whole)
        }
    }

    @Test(.bug(id: "F398"), arguments: [["--continue"], []])
    func `a partial file that another program removed is what the error says`(_ options: [String]) async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            server.enqueue(
                ScriptedResponse(
                    headers: [.eTag: "\"v1\""],
                    body: .text(Self.whole),
                    effect: .hold(.afterBody(4000), until: gate)
                )
            )
            let program = try Program(directory: folder.path).start(["-d", "-o", "x", server.url] + options)
            // The journal of --continue may come first.
            var partial: String?
            while partial == nil {
                await Task.yield()
                partial = folder.names.first { $0.hasSuffix("part") || $0.hasSuffix("partial") }
            }
            #expect(unlink("\(folder.path)/\(partial ?? "")") == 0)
            gate.open()
            let result = await program.result()
            #expect(result.ending == .exited(1), "\(result.errors)")
            #expect(result.errors.contains("another program has removed the partial file"), "\(result.errors)")
            for text in ["ETag", "createDirectories", "does not exist"] {
                #expect(!result.errors.contains(text), "\(result.errors)")
            }
            #expect(result.errors.contains("nothing was kept") == !options.isEmpty, "\(result.errors)")
        }
    }

    @Test(.bug(id: "F338"), arguments: [["--continue"], []])
    func `a file that cannot take its name is complete beside it, and the note says where`(
        _ options: [String]
    ) async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            server.enqueue(
                ScriptedResponse(
                    headers: [.eTag: "\"v1\""],
                    body: .text(Self.whole),
                    effect: .hold(.afterBody(4000), until: gate)
                )
            )
            let program = try Program(directory: folder.path).start(["-d", "-o", "x", server.url] + options)
            while folder.names.isEmpty { await Task.yield() }
            #expect(mkdir(folder.path + "/x", 0o700) == 0)
            gate.open()
            let result = await program.result()
            #expect(result.ending == .exited(1), "\(result.errors)")
            let name = try #require(folder.names.first { $0.hasPrefix(".x.") && !$0.hasSuffix(".journal") })
            #expect(folder.text(name) == Self.whole)
            #expect(result.errors.contains("note: the whole file is “\(folder.path)/\(name)”\n"), "\(result.errors)")
            #expect(!result.errors.contains("nothing was kept"), "\(result.errors)")
            var status = stat()
            #expect(lstat("\(folder.path)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
    }
}
