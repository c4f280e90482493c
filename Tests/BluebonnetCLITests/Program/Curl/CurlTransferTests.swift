// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// Commands of curl with several URLs, through the real program.
@Suite(.timeLimit(.minutes(1))) struct CurlTransferTests {
    /// A command and what it leaves: the requests, the output, the files.
    struct Case: CustomTestStringConvertible, Sendable {
        var words: [String]
        var requests: [String]
        var output = ""
        var files: [String: String] = [:]
        var ending = RunningProgram.Ending.exited(0)

        var testDescription: String { self.words.joined(separator: " ") }
    }

    static let cases = [
        Case(words: ["URL/a", "URL/b"], requests: ["GET /a", "GET /b"], output: "/a/b"),
        Case(
            words: ["-o", "1", "URL/a", "URL/b", "-o", "2", "URL/c"],
            requests: ["GET /a", "GET /b", "GET /c"],
            output: "/c",
            files: ["1": "/a", "2": "/b"]
        ),
        Case(words: ["-sOO", "URL/a", "URL/b"], requests: ["GET /a", "GET /b"], files: ["a": "/a", "b": "/b"]),
        Case(
            words: ["-Zs", "--remote-name-all", "-o", "x", "URL/a", "URL/b"],
            requests: ["GET /a", "GET /b"],
            files: ["x": "/a", "b": "/b"]
        ),
        Case(
            words: ["--output-dir", "d/e", "--create-dirs", "-so", "f/1", "-O", "URL/a", "URL/b"],
            requests: ["GET /a", "GET /b"],
            files: ["d/e/f/1": "/a", "d/e/b": "/b"]
        ),
        Case(words: ["-d", "a=1", "URL/a", "URL/b"], requests: ["POST /a a=1", "POST /b a=1"], output: "/a/b"),
        Case(
            words: ["-d", "a=1", "URL/a", "--next", "URL/b", "-:", "-X", "PUT", "URL/c"],
            requests: ["POST /a a=1", "GET /b", "PUT /c"],
            output: "/a/b/c"
        ),
        Case(words: ["-T", "in", "URL/a", "URL/b"], requests: ["PUT /a line", "GET /b"], output: "/a/b"),
        Case(
            words: ["-sw", "%{http_code};", "URL/404", "URL/b"],
            requests: ["GET /404", "GET /b"],
            output: "/404404;/b200;"
        ),
        // A failure does not keep the next from being carried out, and the last one decides.
        Case(words: ["-f", "URL/404", "URL/b"], requests: ["GET /404", "GET /b"], output: "/b"),
        Case(words: ["-f", "URL/b", "URL/404"], requests: ["GET /b", "GET /404"], output: "/b", ending: .exited(4)),
        Case(words: ["-f", "--fail-early", "URL/404", "--next", "URL/b"], requests: ["GET /404"], ending: .exited(4)),
    ]

    @Test(.bug(id: "F145"), arguments: cases)
    func `a command of curl with several URLs is one request for each`(_ example: Case) async throws {
        try await TestServer.withServer { server in
            server.respond { request in
                ScriptedResponse(status: request.path == "/404" ? .notFound : .ok, body: .text(request.path))
            }
            let folder = try TemporaryFolder()
            _ = try folder.add("in", "line")
            let words = example.words.map { $0.replacing("URL", with: server.url) }
            let result = try await Program(directory: folder.path).run(["curl"] + words)
            #expect(result.ending == example.ending, "\(result.errors)")
            #expect(result.output == example.output)
            for (name, content) in example.files { #expect(folder.text(name) == content, "\(folder.names)") }
            for expected in example.requests {
                let request = try await server.takeRequest()
                let body = String(decoding: request.body, as: UTF8.self)
                #expect("\(request.method) \(request.path)\(body.isEmpty ? "" : " " + body)" == expected)
            }
            #expect(server.untakenRequestCount == 0)
        }
    }

    @Test(.bug(id: "F145")) func `the URLs of a command of curl share connections and cookies`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(headers: [.setCookie: "id=1"], body: "a"),
                ScriptedResponse(body: "b")
            )
            let folder = try TemporaryFolder()
            let words = ["-sc", "jar", "-w", "%{num_connects}", server.url + "/a", server.url + "/b"]
            let result = try await Program(directory: folder.path).run(["curl"] + words)
            #expect(result.output == "a1b0", "\(result.errors)")
            #expect(try await server.takeRequest().headers[.cookie] == nil)
            #expect(try await server.takeRequest().headers[.cookie] == "id=1")
            #expect(folder.text("jar")?.contains("id\t1") == true)
        }
    }

    @Test(.bug(id: "F145")) func `Ctrl-C ends a command of curl with several URLs`() async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "done", effect: .hold(.beforeResponse, until: gate)))
            let program = try Program().start(["curl", server.url + "/a", server.url + "/b"])
            _ = try await server.takeRequest()
            program.send(SIGINT)
            #expect(await program.result().ending == .signalled(SIGINT))
            #expect(server.untakenRequestCount == 0)
            gate.open()
        }
    }

    @Test(arguments: [
        (["curl", "--next", "a"], "no URL in the command of curl before --next"),
        (["curl", "a", "--next", "-s"], "no URL in the command of curl behind --next"),
        (["curl", "-o", "x", "-O", "a"], "more of curl's --output and --remote-name than URLs"),
        (["curl", "-T", "x", "-T", "y", "a"], "more of curl's --upload-file than URLs"),
        (["curl", "-d", "@-", "a", "b"], "standard input can be read once"),
        (["curl", "-D", "x", "a", "b"], "--dump-header with a file is for one URL"),
        (["--har", "x", "curl", "a", "b"], "--har is for one request"),
        (["curl", "a", "--next", "--wild", "b"], "--wild has no counterpart"),
    ])
    func `a command of curl with several URLs that cannot be carried out sends nothing`(
        _ words: [String],
        _ text: String
    ) async throws {
        let result = try await Program().run(words)
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains(text), "\(result.errors)")
    }

    /// Commands of curl with several transfers, and what is said of those that stand alone.
    static let severalTransfers: [(words: [String], leftOut: String?)] = [
        (["-b", "", "h.test/a", "h.test/b"], "--cookie (from one URL to the next)"),
        (["-c", "jar", "h.test/a", "h.test/b"], "--cookie-jar, --cookie (from one URL to the next)"),
        (["-b", "a=1", "h.test/a", "h.test/b"], nil), (["-b", "", "h.test/a", "--next", "h.test/b"], nil),
        (["-b", "", "h.test/a"], nil), (["--fail-early", "h.test/a"], nil),
        (["-f", "--fail-early", "h.test/a", "h.test/b"], "--fail-early"),
        (["-f", "--fail-early", "h.test/a", "--next", "h.test/b"], "--fail-early"),
    ]

    @Test(.bug(id: "F439"), arguments: Self.severalTransfers)
    func `what several transfers of a command of curl share is left out with a warning`(
        _ words: [String],
        _ leftOut: String?
    ) async throws {
        let folder = try TemporaryFolder()
        let result = try await Program(directory: folder.path).run(["--as", "curl", "curl"] + words)
        #expect(result.ending == .exited(0), "\(result.errors)")
        let count = words.count { $0.hasPrefix("h.test") }
        #expect(result.output.split(separator: "\n").count == count)
        let warning = leftOut.map { "bluebonnet: warning: left out of the curl form: \($0)\n" } ?? ""
        #expect(result.errors == String(repeating: warning, count: count))
    }

    @Test(
        .bug(id: "F700"),
        arguments: [
            ["--retry", "-1", "URL/b"], ["-m", "-1", "URL/b"], ["-H", "a b: c", "URL/b"], ["htp://127.0.0.1/b"],
        ]
    )
    func `a mistake behind --next is found before anything is sent`(_ words: [String]) async throws {
        try await TestServer.withServer { server in
            let words = ["curl", "-d", "a=1", "URL/a", "--next"] + words
            let result = try await Program().run(words.map { $0.replacing("URL", with: server.url) })
            #expect(result.ending == .exited(1), "\(result.errors)")
            #expect(server.untakenRequestCount == 0)
        }
    }
}
