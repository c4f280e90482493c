// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// `--output` of the real program, onto whatever is there.
@Suite(.timeLimit(.minutes(1))) struct OutputFileTests {
    /// Runs the program with `-o` in a folder and checks the end.
    private static func run(
        in folder: TemporaryFolder,
        _ path: String,
        _ options: [String] = [],
        status: Int32 = 0
    ) async throws -> RunningProgram.Result {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "new"))
            let result = try await Program(directory: folder.path).run(options + ["-o", path, server.url + "/x"])
            #expect(result.ending == .exited(status), "\(result.errors)")
            return result
        }
    }

    private static func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    @Test(.bug(id: "F7"), arguments: [0o600, 0o640, 0o666] as [mode_t], [[], ["--download"]])
    func `a file keeps its permissions`(_ mode: mode_t, _ options: [String]) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.add("out", "old content")
        #expect(chmod(path, mode) == 0)
        _ = try await Self.run(in: folder, "out", options)
        #expect(folder.text("out") == "new")
        #expect(Self.mode(path) == mode)
        #expect(folder.names == ["out"])
    }

    @Test(.bug(id: "F7")) func `a partial file can be read by its owner only, and a new file as the umask says`()
        async throws
    {
        let gate = Gate()
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "0123456789", effect: .hold(.afterBody(5), until: gate)))
            let folder = try TemporaryFolder()
            let program = try Program(directory: folder.path, preparation: "umask 027").start(["-o", "out", server.url])
            while folder.names.isEmpty { await Task.yield() }
            #expect(Self.mode(folder.path + "/" + (folder.names.first ?? "")) == 0o600)
            gate.open()
            #expect(await program.result().ending == .exited(0))
            #expect(Self.mode(folder.path + "/out") == 0o640)
        }
    }

    @Test(arguments: [[], ["--download"]])
    func `a link is followed and stays one`(_ options: [String]) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("target", "old content")
        #expect(symlink("target", folder.path + "/link") == 0)
        _ = try await Self.run(in: folder, "link", options)
        #expect(folder.text("target") == "new")
        #expect((Self.mode(folder.path + "/link") ?? 0) == 0o777)
        #expect(folder.names == ["link", "target"])
    }

    @Test(arguments: [[], ["--download"]])
    func `a link that leads nowhere gets its file`(_ options: [String]) async throws {
        let folder = try TemporaryFolder()
        #expect(symlink("target", folder.path + "/link") == 0)
        _ = try await Self.run(in: folder, "link", options)
        #expect(folder.text("target") == "new")
        #expect(folder.names == ["link", "target"])
    }

    @Test(arguments: [[], ["--download"]])
    func `a file with a second name is written in place`(_ options: [String]) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.add("out", "old content")
        #expect(link(path, folder.path + "/second") == 0)
        _ = try await Self.run(in: folder, "out", options)
        #expect(folder.text("second") == "new")
    }

    @Test func `a file that is written in place stays as it is when there is no response`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.add("out", "old content")
        #expect(link(path, folder.path + "/second") == 0)
        let result = try await Program(directory: folder.path).run("-o", "out", "127.0.0.1:1")
        #expect(result.ending == .exited(2))
        #expect(folder.text("out") == "old content")
    }

    @Test(arguments: [["--sse"], []])
    func `the events that came before Ctrl-C are kept`(_ options: [String]) async throws {
        let gate = Gate()
        // More than is collected before it is written.
        let data = String(repeating: "one ", count: 50_000)
        let event = "data: \(data)\n\n"
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(
                    headers: [.contentType: "text/event-stream; charset=utf-8"],
                    body: .text(event + "data: two\n\n"),
                    effect: .hold(.afterBody(Int64(event.utf8.count)), until: gate)
                )
            )
            let folder = try TemporaryFolder()
            let program = try Program(directory: folder.path).start(options + ["-o", "log", server.url])
            // There is something of the first event in the partial file.
            while !folder.names.contains(where: { folder.bytes($0)?.isEmpty == false }) { await Task.yield() }
            program.send(SIGINT)
            let result = await program.result()
            #expect(result.ending == .signalled(SIGINT), "\(result.errors)")
            #expect(folder.names == ["log"])
            let log = folder.text("log") ?? ""
            #expect(log.utf8.count >= 16 * 1024)
            #expect(options.isEmpty ? event.hasPrefix(log) : log == data + "\n")
            gate.open()
        }
    }

    @Test func `the events that came before a stream broke off are kept, and it is an error`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(
                    headers: [.contentType: "text/event-stream"],
                    body: "data: one\n\ndata: two\n\n",
                    effect: .drop(.afterBody(11))
                )
            )
            let folder = try TemporaryFolder()
            let result = try await Program(directory: folder.path).run("-o", "log", server.url)
            #expect(result.ending == .exited(2), "\(result.errors)")
            #expect(folder.text("log") == "data: one\n\n")
        }
    }

    @Test func `what came before a body broke off is shown, and it is an error`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(.raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Type: text/plain\r\n\r\nhello"))
            let result = try await Program().run("--print=hb", server.url)
            #expect(result.ending == .exited(2))
            #expect(result.output.hasPrefix("HTTP/1.1 200 OK"))
            #expect(result.output.hasSuffix("hello"), "\(result.output)")
            #expect(result.errors.contains("error: "))
        }
    }

    @Test(arguments: [[], ["--download"]])
    func `a hyphen is standard output`(_ options: [String]) async throws {
        let folder = try TemporaryFolder()
        let result = try await Self.run(in: folder, "-", options)
        #expect(result.output == "new")
        #expect(folder.names.isEmpty)
    }
}
