// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// What a command of curl leaves of a body that does not come whole, or is that of an error, through the real program.
@Suite(.timeLimit(.minutes(1))) struct CurlPartialFileTests {
    @Test(.bug(id: "F695"), arguments: [["curl", "-o", "f"], ["curl", "-s", "--compressed", "-O"]])
    func `curl keeps what has come of a body that breaks off`(_ words: [String]) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: .text("content"), effect: .drop(.afterBody(4))))
            let folder = try TemporaryFolder()
            let result = try await Program(directory: folder.path).run(words + [server.url + "/f"])
            #expect(result.ending == .exited(2), "\(result.errors)")
            #expect(folder.names == ["f"])
            #expect(folder.text("f") == "cont")
        }
    }

    @Test(.bug(id: "F695")) func `curl keeps what has come within the time limit`() async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: .text("content"), effect: .hold(.afterBody(4), until: gate)))
            let folder = try TemporaryFolder()
            let program = Program(directory: folder.path)
            let result = try await program.run("curl", "-m", "1", "-o", "f", server.url + "/a")
            #expect(result.ending == .exited(2), "\(result.errors)")
            #expect(folder.names == ["f"])
            #expect(folder.text("f") == "cont")
            gate.open()
        }
    }

    @Test(.bug(id: "F695"), arguments: [SIGINT, SIGTERM])
    func `curl keeps what has come before a signal`(_ signal: Int32) async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            let effect = SocketEffect.hold(.afterBody(500_000), until: gate)
            server.enqueue(ScriptedResponse(body: .pattern(1_000_000), effect: effect))
            let folder = try TemporaryFolder()
            let program = try Program(directory: folder.path).start(["curl", "-o", "f", server.url + "/a"])
            _ = try await server.takeRequest()
            while !folder.names.contains(where: { (folder.bytes($0)?.count ?? 0) > 450_000 }) { await Task.yield() }
            program.send(signal)
            #expect(await program.result().ending == .signalled(signal))
            #expect(folder.names == ["f"])
            #expect((folder.bytes("f")?.count ?? 0) > 450_000)
            gate.open()
        }
    }

    @Test(.bug(id: "F695"), arguments: [["curl", "-m", "1", "-o", "f"], ["curl", "-f", "-o", "f"]])
    func `a file stays as it is where nothing of a body has come`(_ words: [String]) async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            let isError = words.contains("-f")
            let effect: SocketEffect? = isError ? nil : .hold(.beforeResponse, until: gate)
            server.enqueue(ScriptedResponse(status: isError ? .notFound : .ok, body: "content", effect: effect))
            let folder = try TemporaryFolder()
            _ = try folder.add("f", "earlier")
            let result = try await Program(directory: folder.path).run(words + [server.url + "/a"])
            #expect(result.ending != .exited(0))
            #expect(folder.names == ["f"])
            #expect(folder.text("f") == "earlier")
            gate.open()
        }
    }

    @Test(
        .bug(id: "F695"),
        arguments: [([:], "-o FILE would keep them\n"), ([.eTag: "\"v1\""], "with -C - they are kept")]
            as [(HTTPFields, String)]
    )
    func `a note says that curl -O removes what has come`(_ headers: HTTPFields, _ text: String) async throws {
        try await TestServer.withServer { server in
            let effect = SocketEffect.drop(.afterBody(4))
            server.enqueue(ScriptedResponse(headers: headers, body: .text("content"), effect: effect))
            let folder = try TemporaryFolder()
            let result = try await Program(directory: folder.path).run("curl", "-O", server.url + "/f")
            #expect(result.ending == .exited(2), "\(result.errors)")
            #expect(folder.names.isEmpty)
            #expect(result.errors.contains("note: the 4 B that came are removed; \(text)"), "\(result.errors)")
        }
    }

    @Test(
        .bug(id: "F699"),
        arguments: [(["-O"], ""), (["-OJ"], ""), (["-fO"], ""), (["--fail-with-body", "-O"], "no such page")]
    )
    func `curl -O prints no body of an error, which was to be saved`(
        _ options: [String],
        _ body: String
    ) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(status: .notFound, body: "no such page"))
            let folder = try TemporaryFolder()
            let words = ["curl", "-s", "-w", "%{http_code}"] + options + [server.url + "/f"]
            let result = try await Program(directory: folder.path).run(words)
            #expect(result.ending == .exited(4), "\(result.errors)")
            #expect(result.output == body + "404")
            #expect(folder.names.isEmpty)
        }
    }
}
