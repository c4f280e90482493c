// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// What commands of curl that people paste do, where it is easily done in another way.
@Suite(.timeLimit(.minutes(1))) struct CurlHabitTests {
    private static let redirect = ScriptedResponse(
        status: .found,
        headers: [.location: "/b", .setCookie: "id=1"],
        body: ""
    )

    @Test(.bug(id: "F146")) func `curl -v shows the heads on standard error, and the output is the body`() async throws
    {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(headers: [.contentType: "text/plain"], body: "body"))
            let result = try await Program().run("curl", "-sv", "-H", "X-A: 1", server.url + "/a")
            #expect(result.output == "body")
            #expect(result.errors.hasPrefix("> GET /a HTTP/1.1\n> Host: 127.0.0.1"), "\(result.errors)")
            #expect(result.errors.contains("> X-A: 1\n> \n< HTTP/1.1 200 OK\n"), "\(result.errors)")
            #expect(result.errors.hasSuffix("< \n"), "\(result.errors)")
        }
    }

    @Test(.bug(id: "F147"), arguments: [["-H", "If-Modified-Since: mine"], ["-H", "If-Modified-Since;"], []])
    func `a field that is written takes the place of that of curl -z`(_ field: [String]) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""))
            let date = "Sun, 06 Nov 1994 08:49:37 GMT"
            _ = try await Program().run(["curl", "-z", date] + field + [server.url])
            let name = try #require(HTTPField.Name("If-Modified-Since"))
            let values = try await server.takeRequest().headers[values: name]
            #expect(values == [field.isEmpty ? date : field[1].hasSuffix(";") ? "" : "mine"])
        }
    }

    @Test(
        .bug(id: "F148"),
        .bug(id: "F245"),
        arguments: [[], ["-b", "jar"], ["-c", "jar"], ["-b", "/dev/null"], ["-b", "/dev/null", "-b", "jar"]]
    )
    func `curl keeps the cookies of redirects only with a file of cookies`(_ options: [String]) async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect, ScriptedResponse(body: ""))
            let folder = try TemporaryFolder()
            let result = try await Program(directory: folder.path).run(["curl", "-L"] + options + [server.url])
            #expect(result.ending == .exited(0), "\(result.errors)")
            _ = try await server.takeRequest()
            #expect(try await server.takeRequest().headers[.cookie] == (options.isEmpty ? nil : "id=1"))
        }
    }

    @Test(arguments: [(["--post302"], "POST a=1"), ([], "GET ")])
    func `curl --post302 keeps the method and the body`(_ options: [String], _ expected: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect, ScriptedResponse(body: ""))
            _ = try await Program().run(["curl", "-L", "-d", "a=1"] + options + [server.url])
            _ = try await server.takeRequest()
            let request = try await server.takeRequest()
            #expect(request.method.rawValue + " " + request.bodyText == expected)
        }
    }

    @Test(arguments: [
        (["--proto-redir", "=https"], false), (["--proto", "=https,http"], true), (["--proto", "-https"], true),
    ])
    func `curl follows redirects to the protocols of --proto`(_ options: [String], _ isAllowed: Bool) async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect, ScriptedResponse(body: ""))
            let result = try await Program().run(["curl", "-L"] + options + [server.url])
            #expect((result.ending == .exited(0)) == isAllowed, "\(result.errors)")
            #expect(result.errors.contains("--proto-redir forbids") != isAllowed, "\(result.errors)")
        }
    }

    @Test(arguments: [("-4", true), ("-6", false)])
    func `curl -4 and -6 use the addresses of one family`(_ option: String, _ isReached: Bool) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "body"))
            let host = "a.test:\(server.port)"
            let result = try await Program().run("curl", option, "--resolve", host + ":127.0.0.1", "http://" + host)
            #expect((result.output == "body") == isReached, "\(result.errors)")
        }
    }

    @Test func `options of curl that change nothing here are accepted`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "body"))
            let words = [
                "-1Z", "--tcp-nodelay", "--keepalive-time", "5", "--retry", "1", "--retry-all-errors", "--no-sessionid",
                "--netrc-optional", "--ssl-reqd", "--styled-output", "--parallel-max", "3", "--proto-default", "http",
            ]
            let result = try await Program().run(["curl"] + words + ["127.0.0.1:\(server.port)"])
            #expect(result.output == "body", "\(result.errors)")
        }
    }

    @Test(arguments: [["-d", "a=1"], ["-X", "LOCK"]])
    func `curl --retry sends any request again`(_ options: [String]) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "0"]))
            server.enqueue(ScriptedResponse(body: "there"))
            let result = try await Program().run(["curl", "--retry", "1"] + options + [server.url])
            #expect(result.output == "there", "\(result.errors)")
        }
    }

    @Test(
        .bug(id: "F357"),
        arguments: [
            (["-d", "pay=1"], 1), (["-X", "LOCK"], 1), (["-d", "pay=1", "-OJ"], 1),
            (["--retry-all-errors", "-d", "pay=1"], 2), ([], 2), (["-X", "PUT", "-d", "a=1"], 2),
        ],
        [
            ScriptedResponse(effect: .reset(.beforeResponse)), ScriptedResponse(effect: .close(.beforeResponse)),
            .raw("HTTP/1.1 200 OK\r\nContent-"),
        ]
    )
    func `curl --retry sends a POST again behind a lost connection only with --retry-all-errors`(
        _ request: ([String], Int),
        _ answer: ScriptedResponse
    ) async throws {
        try await TestServer.withServer { server in
            let (words, count) = request
            server.enqueue(answer, ScriptedResponse(body: "text"))
            let folder = try TemporaryFolder()
            let result = try await Program(directory: folder.path)
                .run(["curl", "-s", "--retry", "1"] + words + [server.url + "/x"])
            #expect(result.ending == .exited(count == 1 ? 2 : 0), "\(result.errors)")
            #expect(server.untakenRequestCount == count)
        }
    }

    @Test(
        .bug(id: "F357"),
        arguments: [
            (425, [], 1), (404, [], 1), (404, ["--retry-all-errors"], 1), (404, ["-f", "--retry-all-errors"], 2),
            (503, [], 2), (429, [], 2),
        ],
        [["-d", "a=1"], []]
    )
    func `curl --retry repeats what has a transient status of curl's`(
        _ answer: (status: Int, options: [String], count: Int),
        _ words: [String]
    ) async throws {
        try await TestServer.withServer { server in
            let status = HTTPResponse.Status(code: answer.status)
            server.enqueue(ScriptedResponse(status: status, body: ""), ScriptedResponse(body: ""))
            _ = try await Program().run(["curl", "-s", "--retry", "1"] + answer.options + words + [server.url])
            #expect(server.untakenRequestCount == answer.count)
        }
    }

    @Test(.bug(id: "F357")) func `curl --retry sends a POST again that was not sent`() async throws {
        let result = try await Program().run("curl", "--retry", "1", "-d", "a=1", "http://127.0.0.1:1/")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("attempt 1: "), "\(result.errors)")
    }

    @Test(
        .bug(id: "F404"),
        arguments: [
            (["--retry-all-errors", "-o", "o"], 2), (["--retry-all-errors", "-O"], 2), (["-o", "o"], 1),
            (["--retry-all-errors"], 1), (["--retry-all-errors", "-o", "o", "-d", "a=1"], 2),
            (["--retry-all-errors", "-o", "/dev/null"], 1),
        ]
    )
    func `curl --retry-all-errors repeats a body that broke off, unless it is printed`(
        _ options: [String],
        _ count: Int
    ) async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234"),
                ScriptedResponse(body: "0123456789")
            )
            let folder = try TemporaryFolder()
            let result = try await Program(directory: folder.path)
                .run(["curl", "-s", "--retry", "1"] + options + [server.url + "/o"])
            #expect(result.ending == .exited(count == 1 ? 2 : 0), "\(result.errors)")
            #expect(server.untakenRequestCount == count)
            // Without another attempt the file has what has come, as in curl.
            let text = count == 2 ? "0123456789" : options == ["-o", "o"] ? "01234" : nil
            #expect(folder.text("o") == text)
        }
    }

    @Test(.bug(id: "F404")) func `curl --retry counts the attempts of all transfers`() async throws {
        try await TestServer.withServer { server in
            let broken = ScriptedResponse.raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234")
            let refused = ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "0"], body: "")
            server.enqueue(broken, refused, broken, refused, refused)
            let folder = try TemporaryFolder()
            let result = try await Program(directory: folder.path)
                .run(["curl", "--retry", "2", "--retry-all-errors", "-o", "o", server.url])
            #expect(result.ending == .exited(2), "\(result.errors)")
            #expect(server.untakenRequestCount == 3)
            for number in 1...2 { #expect(result.errors.contains("attempt \(number): "), "\(result.errors)") }
        }
    }

    @Test(.bug(id: "F405"), arguments: [([], 2), (["-d", "a=1"], 1), (["-d", "a=1", "--retry-all-errors"], 2)])
    func `curl --retry repeats a GET after the limit of --max-time`(_ options: [String], _ count: Int) async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(body: "late", effect: .hold(.beforeResponse, until: gate)),
                ScriptedResponse(body: "there")
            )
            let result = try await Program().run(["curl", "-s", "--retry", "1", "-m", "2"] + options + [server.url])
            #expect(result.output == (count == 1 ? "" : "there"), "\(result.errors)")
            #expect(result.ending == .exited(count == 1 ? 2 : 0))
            #expect(server.untakenRequestCount == count)
            gate.open()
        }
    }
}
