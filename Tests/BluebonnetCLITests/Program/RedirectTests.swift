// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// `--follow` of the real program.
@Suite(.timeLimit(.minutes(1))) struct RedirectTests {
    private static func redirect(_ status: HTTPResponse.Status, to location: String) -> ScriptedResponse {
        ScriptedResponse(status: status, headers: [.location: location], body: "moved")
    }

    /// Runs the program against a server that redirects a POST to `/a` to a GET of `/b`, which has the body `done`.
    private static func run(
        _ options: [String],
        in folder: TemporaryFolder? = nil
    ) async throws -> RunningProgram.Result {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect(.seeOther, to: "/b"), ScriptedResponse(body: "done"))
            let program = folder.map { Program(directory: $0.path) } ?? Program()
            let result = try await program.run(options + [server.url + "/a", "x=1"])
            _ = try await server.takeRequest()
            let second = try await server.takeRequest()
            #expect(second.method == .get)
            #expect(second.path == "/b")
            return result
        }
    }

    @Test func `a redirect is followed where that is asked for`() async throws {
        let result = try await Self.run(["--follow"])
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output == "done")
    }

    @Test func `a cookie of a redirect is sent to where it leads`() async throws {
        try await TestServer.withServer { server in
            var first = Self.redirect(.found, to: "/b")
            first.headers[.setCookie] = "s=1; Path=/"
            server.enqueue(first, ScriptedResponse(body: "done"))
            let result = try await Program().run("--follow", server.url + "/a")
            #expect(result.output == "done", "\(result.errors)")
            #expect(try await server.takeRequest().headers[.cookie] == nil)
            #expect(try await server.takeRequest().headers[.cookie] == "s=1")
        }
    }

    @Test func `without the option a redirect is a response`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect(.found, to: "/b"))
            let result = try await Program().run("--check-status", server.url + "/a")
            #expect(result.ending == .exited(3))
            #expect(result.output == "moved")
        }
    }

    @Test func `verbose shows the last exchange, and with all every one`() async throws {
        let last = try await Self.run(["-vF"])
        #expect(last.output.hasPrefix("GET /b HTTP/1.1\r\n"), "\(last.output)")
        #expect(last.output.hasSuffix("\r\n\r\ndone"))
        #expect(!last.output.contains("POST"))
        let all = try await Self.run(["-vF", "--all"])
        let lines = all.output.split(separator: "\r\n").filter { $0.contains("HTTP/1.1") }
        #expect(lines == ["POST /a HTTP/1.1", "HTTP/1.1 303 See Other", "GET /b HTTP/1.1", "HTTP/1.1 200 OK"])
        #expect(all.output.contains("{\"x\":\"1\"}\r\n\r\nHTTP/1.1 303"), "\(all.output)")
        let heads = try await Self.run(["-F", "--all", "--headers"])
        #expect(heads.output.hasPrefix("HTTP/1.1 303 See Other\r\n"))
        #expect(heads.output.contains("\r\n\r\nHTTP/1.1 200 OK\r\n"))
    }

    @Test func `a download has the name of what it was redirected to`() async throws {
        let folder = try TemporaryFolder()
        let result = try await Self.run(["--follow", "--download"], in: folder)
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(folder.names == ["b"])
        #expect(folder.text("b") == "done")
    }

    @Test func `more redirects than are allowed are an error`() async throws {
        try await TestServer.withServer { server in
            for number in 1...3 { server.enqueue(Self.redirect(.found, to: "/\(number)")) }
            let result = try await Program().run("--follow", "--max-redirects", "2", server.url + "/0")
            #expect(result.ending == .exited(2))
            #expect(result.errors.contains("more than 2 times"), "\(result.errors)")
            #expect(result.errors.contains("--max-redirects"))
        }
    }

    @Test func `credentials do not follow a redirect to another origin`() async throws {
        try await TestServer.withServer { other in
            try await TestServer.withServer { server in
                server.enqueue(Self.redirect(.temporaryRedirect, to: other.url + "/b"))
                other.enqueue(ScriptedResponse(body: "done"))
                let result = try await Program().run("-F", "-a", "ada:secret", server.url + "/a", "X-Key:secret")
                #expect(result.output == "done", "\(result.errors)")
                #expect(try await server.takeRequest().headers[.authorization] != nil)
                let headers = try await other.takeRequest().headers
                #expect(!headers.contains { $0.value.contains("secret") || $0.name == .authorization })
            }
        }
    }

    @Test(
        .bug(id: "F694"),
        arguments: [
            (["-F", "URL", "X-A:1", "Cookie:c=1"], "X-A"),
            (["curl", "-L", "-e", "http://r/", "-H", "X-A: 1", "URL"], "Referer, X-A"),
            (["curl", "-L", "-u", "ada:secret", "-b", "c=1", "-d", "x=1", "URL"], nil),
            (["curl", "-sL", "-H", "X-A: 1", "URL"], nil),
        ] as [([String], String?)]
    )
    func `a note names the fields that a redirect to another origin has removed`(
        _ words: [String],
        _ names: String?
    ) async throws {
        try await TestServer.withServer { other in
            try await TestServer.withServer { server in
                server.enqueue(Self.redirect(.found, to: other.url + "/b"))
                other.enqueue(Self.redirect(.found, to: "/c"), ScriptedResponse(body: "done"))
                let result = try await Program().run(words.map { $0 == "URL" ? server.url + "/a" : $0 })
                #expect(result.output == "done", "\(result.errors)")
                let text = "these fields are not sent to another origin, to which a redirect leads: "
                #expect(result.errors == (names.map { "bluebonnet: note: \(text)\($0)\n" } ?? ""))
            }
        }
    }

    @Test(.bug(id: "F694")) func `a redirect to the same origin removes no field`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect(.found, to: "/b"), ScriptedResponse(body: "done"))
            let result = try await Program().run("-F", server.url + "/a", "X-A:1", "x=1")
            #expect(result.output == "done")
            #expect(result.errors.isEmpty, "\(result.errors)")
        }
    }
}
