// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// Transfers of the real program in several parts, and those that go on after Ctrl-C.
@Suite(.timeLimit(.minutes(1))) struct PartTransferTests {
    @Test func `a file is received in parts at a time, and the head is shown once`() async throws {
        try await TestServer.withServer { server in
            let whole = PatternBytes.bytes(in: 0..<8_000_000)
            server.respond { request in
                .range(of: whole, for: request, .throttle(byteCount: 200_000, every: .milliseconds(10)))
            }
            let folder = try TemporaryFolder()
            let program = Program(directory: folder.path)
            let result = try await program.run("-d", "-o", "f", "--parallel=4", "--print=Hh", server.url + "/f")
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.errors.contains("parts"), "\(result.errors)")
            #expect(result.output.split(separator: "HTTP/1.1").count == 3, "\(result.output)")
            #expect(result.output.contains("GET /f HTTP/1.1") && result.output.contains("HTTP/1.1 200"))
            #expect(FileManager.default.contents(atPath: folder.path + "/f") == Data(whole))
            #expect(server.untakenRequestCount > 1)
        }
    }

    @Test func `an upload that was interrupted goes on where the server has it`() async throws {
        let tus = TusServer(stallingPatch: 2)
        var configuration = TestServer.Configuration()
        configuration.recordedBodyLimit = 8 * 1024 * 1024
        let server = try await TestServer.start(configuration: configuration)
        server.respond { tus.response(to: $0) }
        let folder = try TemporaryFolder()
        let whole = PatternBytes.bytes(in: 0..<2_500_000)
        try Data(whole).write(to: URL(filePath: folder.path + "/big.bin"))
        let program = Program(directory: folder.path)
        let words = ["--resumable", "tus", server.url + "/files/", "@big.bin"]
        let running = try program.start(words)
        var methods: [String] = []
        while methods.count < 4 { methods.append(try await server.takeRequest().method.rawValue) }
        #expect(methods == ["OPTIONS", "POST", "PATCH", "PATCH"])
        running.send(SIGINT)
        let interrupted = await running.result()
        #expect(interrupted.ending == .signalled(SIGINT), "\(interrupted.errors)")
        #expect(
            interrupted.errors.contains("the server has 1.0 MiB of 2.4 MiB; the same command goes on from there"),
            "\(interrupted.errors)"
        )
        #expect(folder.names.count > 1)
        let done = try await program.run(words)
        #expect(done.ending == .exited(0), "\(done.errors)")
        #expect(done.errors.contains("Uploaded “big.bin” to \(server.url)/files/one"), "\(done.errors)")
        #expect(done.errors.contains("1.0 MiB of it earlier"), "\(done.errors)")
        #expect(tus.bytes == whole)
        #expect(folder.names == ["big.bin"])
        await server.shutdown()
    }

    /// The file changes after an interruption, or while its second piece is under way.
    @Test(.bug(id: "F397"), arguments: [false, true])
    func `an upload whose file has changed starts again`(_ isUnderWay: Bool) async throws {
        let tus = TusServer()
        var configuration = TestServer.Configuration()
        configuration.recordedBodyLimit = 8 * 1024 * 1024
        let server = try await TestServer.start(configuration: configuration)
        let folder = try TemporaryFolder()
        let file = URL(filePath: folder.path + "/big.bin")
        let (old, new) = (PatternBytes.bytes(in: 0..<2_500_000), PatternBytes.bytes(in: 7..<2_000_000))
        try Data(old).write(to: file)
        let patches = Mutex(0)
        server.respond { request in
            if request.method == .patch { patches.withLock { $0 += 1 } }
            guard request.method == .patch, patches.withLock({ $0 }) == 2 else { return tus.response(to: request) }
            guard isUnderWay else { return ScriptedResponse(effect: .stall(.beforeResponse)) }
            try Data(new).write(to: file)
            return tus.response(to: request)
        }
        let program = Program(directory: folder.path)
        let words = ["--resumable", "tus", server.url + "/files/", "@big.bin"]
        let running = try program.start(words)
        if !isUnderWay {
            while patches.withLock({ $0 }) < 2 { await Task.yield() }
            running.send(SIGINT)
        }
        let interrupted = await running.result()
        if isUnderWay {
            #expect(interrupted.ending == .exited(2), "\(interrupted.errors)")
            #expect(!interrupted.errors.contains("goes on from there"), "\(interrupted.errors)")
            #expect(interrupted.errors.contains("note: the same command sends the file again"), "\(interrupted.errors)")
        } else {
            try Data(new).write(to: file)
        }
        let done = try await program.run(words)
        #expect(done.ending == .exited(0), "\(done.errors)")
        #expect(done.errors.contains("again from its first byte, because it had changed"), "\(done.errors)")
        #expect(tus.bytes == new)
        #expect(folder.names == ["big.bin"])
        await server.shutdown()
    }

    @Test(arguments: ["tus", "draft"])
    func `an upload that never began leaves no files`(_ dialect: String) async throws {
        try await TestServer.withServer { server in
            server.respond { _ in ScriptedResponse(status: .notFound) }
            let folder = try TemporaryFolder()
            _ = try folder.add("up.bin", "text")
            let program = Program(directory: folder.path)
            let result = try await program.run("--resumable", dialect, server.url + "/nofile", "@up.bin")
            #expect(result.ending == .exited(4), "\(result.errors)")
            #expect(folder.names == ["up.bin"])
        }
    }

    @Test func `an upload that the server refuses is told with its response`() async throws {
        try await TestServer.withServer { server in
            server.respond { _ in ScriptedResponse(status: .init(code: 413), body: "too much\n") }
            let folder = try TemporaryFolder()
            _ = try folder.add("f", "text")
            let program = Program(directory: folder.path)
            let result = try await program.run("--resumable=draft", "PUT", server.url + "/f", "@f")
            #expect(result.ending == .exited(4), "\(result.errors)")
            #expect(result.output == "too much\n")
            #expect(result.errors.contains("the server answered 413"), "\(result.errors)")
        }
    }

    @Test(arguments: [
        (["--resumable", "ftp", "localhost", "@f"], "'tus' and 'draft'"),
        (["--resumable", "tus", "localhost"], "write @FILE"),
        (["--resumable", "draft", "GET", "localhost", "@f"], "leave out the method"),
        (["--resumable", "tus", "localhost", "a=1"], "write @FILE"),
        (["--resumable", "tus", "-x", "localhost", "@f"], "write @FILE"),
        (["--resumable", "tus", "--offline", "localhost", "@f"], "leave out --offline"),
        (["--resumable", "tus", "--bench", "3", "localhost", "@f"], "choose one of"),
        (["--resumable", "tus", "-d", "localhost", "@f"], "leave out --download"),
        (["--parallel", "4", "localhost"], "add --bench COUNT, or --download"),
        (["--parallel", "40", "-d", "localhost"], "1 to 16"), (["--parallel", "0", "-d", "localhost"], "1 to 16"),
        (["--sha256", "12", "-d", "localhost"], "--sha256 takes the digest"),
        (["--sha256", "12", "localhost"], "add --download"),
    ])
    func `what cannot be transferred is explained`(_ words: [String], _ text: String) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("f", "text")
        let result = try await Program(directory: folder.path).run(words)
        #expect(result.ending == .exited(1), "\(result.output)")
        #expect(result.errors.contains(text), "\(result.errors)")
        #expect(folder.names == ["f"])
    }
}
