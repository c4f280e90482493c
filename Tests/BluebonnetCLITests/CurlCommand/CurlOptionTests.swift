// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// Single options of a command of curl, through the real program.
@Suite(.timeLimit(.minutes(1))) struct CurlOptionTests {
    @Test(
        .bug(id: "F262"),
        arguments: [
            ["Authorization: a", "Authorization:"], ["Authorization:", "Authorization: a"],
            ["authorization: a", "Authorization:", "Authorization:"],
        ]
    )
    func `a field without a value leaves out no field of the command of curl`(_ fields: [String]) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""))
            let words = fields.flatMap { ["-H", $0] }
            let result = try await Program().run(["curl"] + words + [server.url + "/a"])
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(try await server.takeRequest().headers[values: .authorization] == ["a"])
        }
    }

    @Test(
        .bug(id: "F262"),
        arguments: [("5", "bytes=5-"), ("5,7", "bytes=5-"), ("-5", "bytes=-5"), ("0-3,9-", "bytes=0-3,9-")]
    )
    func `curl -r with one number asks for the rest`(_ value: String, _ field: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""))
            let result = try await Program().run("curl", "-r", value, server.url + "/a")
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(try await server.takeRequest().headers[.range] == field)
        }
    }

    @Test(
        .bug(id: "F516"),
        arguments: [
            (["curl", "-r", "0-9", "URL"], nil), (["curl", "-H", "Range: bytes=0-9", "URL"], nil),
            (["curl", "-r", "0-9", "-H", "Accept-Encoding: gzip", "URL"], "gzip"),
            (["URL", "range:bytes=0-9"], nil), (["URL", "Range:", "Range:bytes=0-9"], nil),
            (["URL", "Range:bytes=0-9", "Range:"], "gzip, deflate"),
            (["curl", "-r", "0-9", "-d", "x", "URL"], "gzip, deflate"),
        ] as [([String], String?)]
    )
    func `curl -r asks for no coding`(_ words: [String], _ codings: String?) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""))
            let result = try await Program().run(words.map { $0 == "URL" ? server.url + "/a" : $0 })
            #expect(result.ending == .exited(0), "\(result.errors)")
            let field = try await server.takeRequest().headers[.acceptEncoding]
            // Package traits add codings behind those of every build.
            #expect(codings.map { field?.hasPrefix($0) == true } ?? (field == nil), "\(field ?? "")")
        }
    }

    @Test(
        .bug(id: "F262"),
        arguments: [
            (["-6"], "http://127.0.0.1:PORT/", "--ipv6 excludes the address 127.0.0.1"),
            (["-4"], "http://[::1]:PORT/", "--ipv4 excludes the address"),
            (["-4", "-L"], "http://127.0.0.1:PORT/redirect", "--ipv4 excludes the address"),
            (["-4"], "http://127.0.0.1:PORT/", nil),
        ] as [([String], String, String?)]
    )
    func `curl -4 and -6 exclude addresses in URLs`(_ options: [String], _ url: String, _ text: String?) async throws {
        try await TestServer.withServer { server in
            server.respond { request in
                guard request.path == "/redirect" else { return ScriptedResponse(body: "hello") }
                return ScriptedResponse(status: .found, headers: [.location: "http://[::1]:1/"], body: "")
            }
            let url = url.replacing("PORT", with: "\(server.port)")
            let result = try await Program().run(["curl"] + options + [url])
            #expect(result.ending == .exited(text == nil ? 0 : 2), "\(result.errors)")
            #expect((result.output == "hello") == (text == nil), "\(result.output)")
            if let text { #expect(result.errors.contains(text), "\(result.errors)") }
        }
    }

    @Test(
        .bug(id: "F262"),
        arguments: [
            ("--user=ada:sekret", "curl's --user takes its value as a word of its own"),
            ("--oauth2-bearer=sekret", "curl's --oauth2-bearer takes its value as a word of its own"),
            ("--compressed=sekret", "curl's --compressed takes no value"),
            ("--usr=ada:sekret", "“--usr” is not an option"),
            ("--wild=sekret", "curl's --wild has no counterpart"),
        ]
    )
    func `an option of curl with “=” is explained without its value`(_ word: String, _ text: String) async throws {
        let result = try await Program().run("curl", word, "localhost")
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains(text), "\(result.errors)")
        #expect(!result.errors.contains("sekret"), "\(result.errors)")
    }

    @Test(.bug(id: "F260")) func `curl -w joins the lines of a file`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""))
            let folder = try TemporaryFolder()
            _ = try folder.add("format", "a\n%{http_\r\ncode}\u{0}\\nb\n")
            let result = try await Program(directory: folder.path).run("curl", "-w", "@format", server.url + "/a")
            #expect(result.output == "a200\nb", "\(result.errors)")
        }
    }

    @Test(
        .bug(id: "F365"),
        arguments: [["--", "--offline"], ["-H", "Accept:", "--", "--offline"], ["-H", "X-A: 1", "--", "-x"]]
    )
    func `a URL of curl that begins with a hyphen is no option`(_ words: [String]) async throws {
        let result = try await Program().run(["--as", "curl", "curl"] + words)
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output.contains(" http://\(words[words.count - 1])/"), "\(result.output)")
    }

    @Test(
        .bug(id: "F365"),
        arguments: [
            (["-G", "-d", "a"], "x?", "/x?a"), (["-G", "-d", "a"], "x?b&", "/x?b&a"),
            (["--url-query", "a"], "x?b&#f", "/x?b&a"), (["-G", "-d", "a"], "x?b?", "/x?b?a"),
        ]
    )
    func `curl -G adds no second separator to a query`(
        _ options: [String],
        _ path: String,
        _ expected: String
    )
        async throws
    {
        let result = try await Program().run(["--as", "curl", "curl"] + options + ["h.test/" + path])
        #expect(result.output.contains("'http://h.test\(expected)'"), "\(result.output) \(result.errors)")
    }

    @Test(
        .bug(id: "F365"),
        arguments: [
            ("0", 1, 2), ("1", 2, 2), ("2", 3, 0), ("-1", 3, 0), ("-2", 0, 1), ("x", 0, 1), ("", 0, 1),
        ] as [(String, Int, Int32)]
    )
    func `curl --max-redirs limits redirects, and -1 does not`(
        _ value: String,
        _ requestCount: Int,
        _ status: Int32
    ) async throws {
        try await TestServer.withServer { server in
            let redirect = ScriptedResponse(status: .found, headers: [.location: "/b"], body: "")
            server.enqueue(redirect, redirect, ScriptedResponse(body: ""))
            let result = try await Program().run("curl", "-sL", "--max-redirs", value, server.url + "/a")
            #expect(result.ending == .exited(status), "\(result.errors)")
            #expect(server.untakenRequestCount == requestCount)
            #expect(!result.errors.contains("--follow"), "\(result.errors)")
        }
    }

    @Test(.bug(id: "F365")) func `the limit of our own option wins over curl --max-redirs`() async throws {
        let words = ["--as", "curl", "--max-redirects", "3", "curl", "-L", "--max-redirs", "5", "h.test"]
        #expect(try await Program().run(words).output.contains("--max-redirs 3 "))
    }

    @Test(
        .bug(id: "F434"),
        arguments: [("Proxy-Authorization: Basic x", "into the URL of --proxy"), ("Host:", "cannot be removed")]
    )
    func `a field of curl -H that would be dropped is refused`(_ field: String, _ text: String) async throws {
        let result = try await Program().run("curl", "-H", field, "localhost:1")
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains(text), "\(result.errors)")
    }

    /// Options beside `-r`, what the body is a part of, and the range that is asked for.
    private static let bodies: [(options: [String], contentRange: String?, range: String?)] = [
        (["-r", "0-9", "-T", "f"], "bytes 0-9/10", nil), (["-r", "3-5", "-d", "@f"], "bytes 3-5/10", nil),
        (["-r", "5", "-T", "f"], "bytes 5-/10", nil), (["-r", "0-3", "--json", "{}"], "bytes 0-3/2", nil),
        (["-r", "0-3", "-T", "f", "-H", "Transfer-Encoding: chunked"], "bytes 0-3/10", nil),
        (["-r", "0-3", "-X", "GET", "-d", "abc"], "bytes 0-3/3", nil), (["-r", "0-9", "-F", "a=b"], nil, nil),
        (["-r", "0-3", "-d", "x", "-H", "Content-Range: bytes 1-1/2"], "bytes 1-1/2", nil),
        (["-r", "0-3", "-d", "x", "-H", "Content-Range:"], nil, nil),
        (["-r", "0-3", "-d", "x", "-H", "Range: bytes=1-2"], "bytes 0-3/1", "bytes=1-2"),
        (["-r", "0-3", "-X", "POST"], nil, "bytes=0-3"), (["-r", "0-3", "-G", "-d", "a"], nil, "bytes=0-3"),
        (["-r", "0-3", "-T", "-"], "bytes 0-3/10", nil),
    ]

    @Test(.bug(id: "F454"), arguments: Self.bodies)
    func `curl -r beside a body`(_ options: [String], _ contentRange: String?, _ range: String?) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""))
            let folder = try TemporaryFolder()
            _ = try folder.add("f", "0123456789")
            let program = Program(directory: folder.path, preparation: "exec < '\(folder.path)/f'")
            let result = try await program.run(["curl"] + options + [server.url + "/a"])
            #expect(result.ending == .exited(0), "\(result.errors)")
            let request = try await server.takeRequest()
            #expect(request.headers[.contentRange] == contentRange)
            #expect(request.headers[.range] == range)
        }
    }

    @Test(.bug(id: "F454"), arguments: ["-C", "--continue-at"])
    func `curl -C - with -T is refused`(_ option: String) async throws {
        let result = try await Program().run("curl", option, "-", "-T", "f", "localhost:1/a")
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("--continue-at with --upload-file has no counterpart"), "\(result.errors)")
    }

    @Test(.bug(id: "F702"), arguments: [["-T", ""], ["-x", "", "--unix-socket", "s"]])
    func `an empty value of curl's -T and -x is none`(_ words: [String]) async throws {
        let result = try await Program().run(["--offline", "curl"] + words + ["localhost/a"])
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output.hasPrefix("GET /a HTTP/1.1\r\n"), "\(result.output)")
    }
}
