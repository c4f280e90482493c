// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// How the real program ends by signals.
@Suite(.timeLimit(.minutes(1))) struct SignalTests {
    @Test(.bug(id: "F13"), arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal removes the partial file and ends the process`(_ signal: Int32) async throws {
        try await Self.withStalledDownload(["--download"], headers: [.eTag: "\"v1\""]) { program, folder in
            program.send(signal)
            let result = await program.result()
            #expect(result.ending == .signalled(signal))
            #expect(folder.names.isEmpty)
            #expect(result.errors.hasPrefix("bluebonnet: note: the 4"), "\(result.errors)")
            let end = " KiB that came are removed; with --continue --output FILE they are kept, to go on from there\n"
            #expect(result.errors.hasSuffix(end), "\(result.errors)")
        }
    }

    @Test(.bug(id: "F144"), arguments: [["--download", "--continue", "--output=x"], ["curl", "-s", "-O", "-C", "-"]])
    func `a signal keeps the partial file of --continue, and a note says so`(_ options: [String]) async throws {
        try await Self.withStalledDownload(options, headers: [.eTag: "\"v1\""]) { program, folder in
            program.send(SIGINT)
            let result = await program.result()
            #expect(result.ending == .signalled(SIGINT))
            #expect(folder.names.contains(".x.bluebonnet-part"), "\(folder.names)")
            let isQuiet = options.contains("-s")
            let end = " KiB of 976.6 KiB are kept; the same command goes on from there\n"
            #expect(isQuiet ? result.errors == "" : result.errors.hasSuffix(end), "\(result.errors)")
        }
    }

    @Test(.bug(id: "F144")) func `a note after a signal names curl's option`() async throws {
        try await Self.withStalledDownload(["curl", "-O"], headers: [.eTag: "\"v1\""]) { program, folder in
            program.send(SIGINT)
            let result = await program.result()
            #expect(result.errors.contains("with -C - they are kept"), "\(result.errors)")
            #expect(folder.names.isEmpty)
        }
    }

    @Test(.bug(id: "F316"), arguments: [[:], [.eTag: "W/\"v1\""]] as [HTTPFields])
    func `a note after a signal promises nothing where the server names no version`(
        _ headers: HTTPFields
    ) async throws {
        try await Self.withStalledDownload(["--download"], headers: headers) { program, folder in
            program.send(SIGINT)
            let result = await program.result()
            #expect(result.ending == .signalled(SIGINT))
            #expect(!result.errors.contains("--continue"), "\(result.errors)")
            #expect(result.errors.contains("KiB that came are removed; they could not have been kept: "))
            #expect(folder.names.isEmpty)
        }
    }

    @Test(.bug(id: "F166"), arguments: [[], ["curl", "-T", "-"]])
    func `a signal ends the wait for standard input at once`(_ words: [String]) async throws {
        let folder = try TemporaryFolder()
        let input = folder.path + "/input"
        let program = try Program(preparation: "mkfifo '\(input)' && exec 0<>'\(input)'").start(words + ["localhost:1"])
        await program.waitForText("waiting for a body")
        try await Self.expectEnd(of: program)
    }

    @Test(
        .bug(id: "F170"),
        .serialized,
        arguments: [
            ["--offline", "localhost:1", "a=@PIPE"], ["curl", "-K", "PIPE"], ["curl", "-T", "PIPE", "localhost:1"],
        ]
    )
    func `a signal ends the wait for a named pipe to be written at once`(_ words: [String]) async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let program = try Program().start(words.map { $0.replacing("PIPE", with: pipe) })
        // Returns when the program has opened the pipe.
        let writer = await Self.blocking { open(pipe, O_WRONLY | O_CLOEXEC) }
        defer { close(writer) }
        try await Self.expectEnd(of: program)
    }

    @Test(.bug(id: "F170")) func `a signal ends the wait for a named pipe to be read at once`() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let pipe = folder.path + "/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            let program = try Program().start(["-o", pipe, server.url + "/bytes/1000000"])
            // Nothing is read, and the pipe holds less than the body has.
            let reader = await Self.blocking {
                let reader = open(pipe, O_RDONLY | O_CLOEXEC)
                var entry = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
                _ = poll(&entry, 1, -1)
                return reader
            }
            defer { close(reader) }
            try await Self.expectEnd(of: program)
        }
    }

    /// Does what blocks, on a thread of its own.
    private static func blocking<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: work()) }
        }
    }

    /// Sends SIGINT to a program, which has to end by it at once.
    private static func expectEnd(of program: RunningProgram) async throws {
        let start = ContinuousClock.now
        program.send(SIGINT)
        let result = await program.result()
        // Three seconds are what the program has for its end before it is ended.
        #expect(start.duration(to: .now) < .seconds(3))
        #expect(result.ending == .signalled(SIGINT))
        #expect(!result.errors.contains("error"), "\(result.errors)")
    }

    @Test(.bug(id: "F13")) func `a signal that was ignored at the start stays ignored`() async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "0123456789", effect: .hold(.afterBody(5), until: gate)))
            let folder = try TemporaryFolder()
            let program = try Program(directory: folder.path, preparation: "trap '' HUP")
                .start(["--download", server.url + "/x"])
            _ = try await server.takeRequest()
            program.send(SIGHUP)
            gate.open()
            #expect(await program.result().ending == .exited(0))
            #expect(folder.names == ["x"])
        }
    }

    /// `timeout` signals its child and then the whole group.
    @Test(
        .bug(id: "F433"),
        arguments: [[SIGTERM, SIGTERM], [SIGINT, SIGTERM], [SIGHUP, SIGTERM]],
        [["--har", "x.har"], ["-o", "x"], ["--download"]]
    )
    func `two signals at one moment clean up as one does`(_ signals: [Int32], _ options: [String]) async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            // Several times, because the clean-up raced with the second signal.
            for _ in 1...3 {
                server.enqueue(
                    ScriptedResponse(body: .pattern(1_000_000), effect: .hold(.afterBody(500_000), until: gate))
                )
                let program = try Program(directory: folder.path).start(options + [server.url + "/x"])
                _ = try await server.takeRequest()
                for signal in signals { program.send(signal) }
                let result = await program.result()
                // Which of two signals is delivered first is the system's choice.
                #expect(signals.contains { result.ending == .signalled($0) }, "\(result.ending)")
                #expect(folder.names == (options[0] == "--har" ? ["x.har"] : []))
            }
            gate.open()
        }
    }

    @Test func `Ctrl-C on a terminal ends the process by SIGINT and leaves the line empty`() async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "0123456789", effect: .hold(.afterBody(5), until: gate)))
            let folder = try TemporaryFolder()
            let program = try Program(
                environment: ["TERM": "xterm", "LANG": "C.UTF-8"],
                connection: .terminal(columns: 80),
                directory: folder.path
            ).start(["--download", server.url + "/x"])
            let shown = await program.waitForText("Downloading")
            #expect(shown.contains("50%"), "\(shown)")
            program.type("\u{3}")
            let result = await program.result()
            #expect(result.ending == .signalled(SIGINT))
            #expect(folder.names.isEmpty)
            let end = "\r\u{1B}[Kbluebonnet: note: the 5 B that came are removed;"
            #expect(result.output.contains(end), "\(result.output)")
            gate.open()
        }
    }

    private static func withStalledDownload(
        _ options: [String],
        headers: HTTPFields = [:],
        _ body: (RunningProgram, TemporaryFolder) async throws -> Void
    ) async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            let effect = SocketEffect.hold(.afterBody(500_000), until: gate)
            server.enqueue(ScriptedResponse(headers: headers, body: .pattern(1_000_000), effect: effect))
            let folder = try TemporaryFolder()
            let program = try Program(directory: folder.path).start(options + [server.url + "/x"])
            _ = try await server.takeRequest()
            // The last bytes before the hold are in the file, apart from those that wait in its buffer.
            while !folder.names.contains(where: { (folder.bytes($0)?.count ?? 0) > 450_000 }) { await Task.yield() }
            try await body(program, folder)
            gate.open()
        }
    }
}
