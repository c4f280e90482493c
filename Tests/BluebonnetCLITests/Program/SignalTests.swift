// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import Testing

/// How the real program ends by signals.
@Suite(.timeLimit(.minutes(1))) struct SignalTests {
    @Test(.bug(id: "F13"), arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal removes the partial file and ends the process`(_ signal: Int32) async throws {
        try await Self.withStalledDownload { program, folder in
            program.send(signal)
            let result = await program.result()
            #expect(result.ending == .signalled(signal))
            #expect(folder.names.isEmpty)
            #expect(result.errors == "")
        }
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
            #expect(result.output.hasSuffix("\r\u{1B}[K"), "\(result.output)")
            gate.open()
        }
    }

    private static func withStalledDownload(
        _ body: (RunningProgram, TemporaryFolder) async throws -> Void
    ) async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: .pattern(1_000_000), effect: .hold(.afterBody(500_000), until: gate)))
            let folder = try TemporaryFolder()
            let program = try Program(directory: folder.path).start(["--download", server.url + "/x"])
            _ = try await server.takeRequest()
            // The partial file is there once the head of the response has come.
            while folder.names.isEmpty { await Task.yield() }
            try await body(program, folder)
            gate.open()
        }
    }
}
