// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// What curl's `--write-out`, `--dump-header`, `--cookie` and `--cookie-jar` write and read, through the real program.
@Suite(.timeLimit(.minutes(1))) struct CurlReportTests {
    private static let redirect = ScriptedResponse(
        status: .found,
        headers: [.location: "/b?x=1", .setCookie: "kept=1; Max-Age=100"],
        body: ""
    )
    private static let answer = ScriptedResponse(headers: [.contentType: "text/plain"], body: "hello")

    /// A format and what stands for it; PORT is that of the server.
    @Test(arguments: [
        ("%{http_code}", "200"), ("%{response_code} %%{method}", "200 %{method}"), ("%{method}", "GET"),
        ("a\\tb\\n", "a\tb\n"), ("\\q%z%", "\\q%z%"), ("%{size_download}/%{size_upload}", "5/0"),
        ("%{content_type}|%header{Content-TYPE}|%header{x-none}|", "text/plain|text/plain||"),
        ("%{num_redirects} %{num_connects} %{num_retries}", "1 1 0"), ("%{redirect_url}", ""), ("%{scheme}", "HTTP"),
        ("%{url_effective}", "http://127.0.0.1:PORT/b?x=1"), ("%{url}", "http://127.0.0.1:PORT/a"),
        ("%{remote_ip} %{remote_port} %{local_ip}", "127.0.0.1 PORT 127.0.0.1"), ("%{http_version}", "1.1"),
        ("%{exitcode}%{errormsg}%{onerror}no", "0"), ("%{ssl_verify_result}", "0"), ("%{time_appconnect}", "0.000000"),
        ("%{referer}", "http://from.test/"),
    ])
    func `curl -w writes its variables behind the body`(_ format: String, _ expected: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect, Self.answer)
            let program = Program()
            let result = try await program.run(
                "curl",
                "-sL",
                "-e",
                "http://from.test/",
                "-w",
                format,
                server.url + "/a"
            )
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output == "hello" + expected.replacingOccurrences(of: "PORT", with: "\(server.port)"))
        }
    }

    @Test(
        .bug(id: "F438"),
        arguments: [
            ([], "%{HTTP_CODE}|%{Url_Effective}|%{ftp_entry_path}|", "200|URL/a||"),
            ([], "%header{x-a}", "1"), ([], "%{referer}", ""), (["-H", "Referer: x"], "%{referer}", ""),
            (["-H", "Referer: x", "-e", "y"], "%{referer}", "y"), (["-e", "y"], "%{referer}", "y"),
        ]
    )
    func `curl -w has the values that curl has`(_ options: [String], _ format: String, _ expected: String) async throws
    {
        try await TestServer.withServer { server in
            var headers = HTTPFields()
            let name = try #require(HTTPField.Name("X-A"))
            for value in ["1", "2"] { headers.append(HTTPField(name: name, value: value)) }
            server.enqueue(ScriptedResponse(headers: headers, body: ""))
            let result = try await Program().run(["curl", "-w", format] + options + [server.url + "/a"])
            #expect(result.output == expected.replacing("URL", with: server.url), "\(result.errors)")
        }
    }

    @Test(.bug(id: "F438"), arguments: ["--digest", "--anyauth"])
    func `curl -w counts an answered challenge as a redirect`(_ option: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(
                    status: .unauthorized,
                    headers: [.wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth", algorithm=MD5"#],
                    body: ""
                ),
                Self.answer
            )
            let words = ["curl", option, "-u", "a:b", "-w", " %{num_redirects} %{num_connects}", server.url + "/a"]
            let result = try await Program().run(words)
            #expect(result.output == "hello 1 1", "\(result.errors)")
        }
    }

    @Test(.bug(id: "F438"), arguments: [([], "0"), (["-d", "abc"], "3")])
    func `curl -w says what was done before a connection closed without a response`(
        _ options: [String],
        _ uploadSize: String
    ) async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect, ScriptedResponse(effect: .close(.beforeResponse)))
            let format = "%{num_connects} %{remote_ip} %{remote_port} %{size_request} %{size_upload} %{http_version}"
            let words = ["curl", "-s", "-w", format] + options + [server.url + "/a"]
            let size = try await Program().run(words).output.split(separator: " ")[3]
            _ = try await server.takeRequest()
            let failed = try await Program().run(words)
            #expect(failed.ending == .exited(2))
            #expect(failed.output == "1 127.0.0.1 \(server.port) \(size) \(uploadSize) 0", "\(failed.errors)")
        }
    }

    @Test func `curl -w counts times from the first request, in their order`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect, Self.answer)
            let names = ["redirect", "pretransfer", "starttransfer", "total"].map { "%{time_\($0)}" }
            let format = names.joined(separator: " ")
            let result = try await Program().run("curl", "-sLo", "/dev/null", "-w", format, server.url + "/a")
            let times = result.output.split(separator: " ").compactMap { Double($0) }
            #expect(times.count == 4 && times[0] > 0 && times == times.sorted(), "\(result.output)")
        }
    }

    @Test func `curl -w says where a redirect leads that is not followed`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect)
            let result = try await Program().run("curl", "-w", "%{http_code} %{redirect_url}", server.url + "/a")
            #expect(result.output == "302 \(server.url)/b?x=1")
        }
    }

    @Test(.bug(id: "F322")) func `curl -w keeps the escapes of a redirect that is not followed`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(status: .found, headers: [.location: "/s?f[n]=a%20b"]))
            let result = try await Program().run("curl", "-w", "%{redirect_url}", server.url + "/a")
            #expect(result.output == "\(server.url)/s?f%5Bn%5D=a%20b")
        }
    }

    @Test func `curl -w writes about a failure, too, and to standard error`() async throws {
        // The listener is gone by then, and its port is free.
        let port = try RawListener().port
        let format = "%{http_code}%{onerror} %{exitcode}%{stderr}[%{errormsg}]%{stdout}."
        let result = try await Program().run("curl", "-w", format, "http://127.0.0.1:\(port)/")
        #expect(result.ending == .exited(2))
        #expect(result.output == "000 2.")
        #expect(result.errors.contains("[127.0.0.1:\(port) cannot be reached"), "\(result.errors)")
    }

    @Test func `curl -s -O -w writes though the progress is silent`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.answer)
            let folder = try TemporaryFolder()
            let format = try folder.add("format", "%{http_code}\\n")
            let result = try await Program(directory: folder.path).run(
                "curl",
                "-sO",
                "-w",
                "@" + format,
                server.url + "/saved"
            )
            #expect(result.output == "200\n", "\(result.errors)")
            #expect(folder.names == ["format", "saved"])
        }
    }

    @Test func `curl -D writes the heads of all responses, and of errors`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect, ScriptedResponse(status: .notFound, body: "no"))
            let folder = try TemporaryFolder()
            let result = try await Program(directory: folder.path).run("curl", "-fLD", "heads", server.url + "/a")
            #expect(result.ending == .exited(4) && result.output.isEmpty)
            let heads = try String(contentsOfFile: folder.path + "/heads", encoding: .utf8)
            #expect(heads.hasPrefix("HTTP/1.1 302 Found\r\n") && heads.contains("\r\n\r\nHTTP/1.1 404 Not Found\r\n"))
            #expect(heads.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func `curl -D - writes the head to standard output`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.answer)
            let result = try await Program().run("curl", "-so", "/dev/null", "-D", "-", server.url + "/a")
            #expect(result.output.hasPrefix("HTTP/1.1 200 OK\r\n") && result.output.hasSuffix("\r\n\r\n"))
            server.enqueue(Self.answer)
            let both = try await Program().run("curl", "-D", "-", server.url + "/a")
            #expect(both.output == result.output + "hello")
        }
    }

    @Test func `curl -c keeps cookies in a file that -b reads, and the command's own are sent beside them`()
        async throws
    {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect, Self.answer, Self.answer, Self.answer)
            let folder = try TemporaryFolder()
            let program = Program(directory: folder.path)
            let first = try await program.run("curl", "-Lc", "jar", "-b", "own=2", server.url + "/a")
            #expect(first.ending == .exited(0), "\(first.errors)")
            #expect(try await server.takeRequest().headers[.cookie] == "own=2")
            #expect(try await server.takeRequest().headers[.cookie] == "kept=1; own=2")
            let jar = try String(contentsOfFile: folder.path + "/jar", encoding: .utf8)
            #expect(jar.contains("\tkept\t1\n") && !jar.contains("own"))
            #expect(try await program.run("curl", "-b", "jar", server.url + "/c").ending == .exited(0))
            #expect(try await server.takeRequest().headers[.cookie] == "kept=1")
            #expect(try await program.run("curl", "-b", "none", server.url + "/d").ending == .exited(0))
            #expect(try await server.takeRequest().headers[.cookie] == nil)
            #expect(folder.names == ["jar"])
        }
    }

    @Test func `curl -b and -c send the command's cookies to no other origin`() async throws {
        try await TestServer.withServer { other in
            try await TestServer.withServer { server in
                server.enqueue(ScriptedResponse(status: .found, headers: [.location: other.url + "/b"], body: ""))
                other.enqueue(Self.answer)
                let folder = try TemporaryFolder()
                let result = try await Program(directory: folder.path).run(
                    "curl",
                    "-Lc",
                    "jar",
                    "-b",
                    "own=2",
                    server.url + "/a"
                )
                #expect(result.output == "hello", "\(result.errors)")
                #expect(try await server.takeRequest().headers[.cookie] == "own=2")
                #expect(try await other.takeRequest().headers[.cookie] == nil)
            }
        }
    }

    @Test(arguments: ["Origin.test", "*"]) func `curl --resolve gives a name its address`(_ name: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.answer)
            let entries = [
                "--resolve", "\(name):\(server.port):192.0.2.1", "--resolve", "\(name):\(server.port):[127.0.0.1]",
            ]
            let result = try await Program().run(["curl"] + entries + ["http://origin.test:\(server.port)/a"])
            #expect(result.output == "hello", "\(result.errors)")
            let headers = try await server.takeRequest().headers
            #expect(headers.first { $0.name.canonicalName == "host" }?.value == "origin.test:\(server.port)")
        }
    }

    @Test func `curl --limit-rate slows a response down`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: .pattern(2 * 1024 * 1024)))
            let folder = try TemporaryFolder()
            let program = Program(directory: folder.path)
            let start = ContinuousClock.now
            let result = try await program.run("curl", "--limit-rate", "1M", "-o", "slow", server.url + "/a")
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(try Data(contentsOf: URL(filePath: folder.path + "/slow")).count == 2 * 1024 * 1024)
            // A turn of the event loop reads half a second of it at most.
            #expect(start.duration(to: .now) > .milliseconds(500))
        }
    }

    @Test func `curl -H takes the fields of a file`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.answer)
            let folder = try TemporaryFolder()
            _ = try folder.add("fields", "X-A: 1\r\nX-B;\n# not sent\n\nAccept:\n")
            let result = try await Program(directory: folder.path).run("curl", "-H", "@fields", server.url + "/a")
            #expect(result.ending == .exited(0), "\(result.errors)")
            let headers = try await server.takeRequest().headers
            #expect(headers[HTTPField.Name("X-A")!] == "1" && headers[HTTPField.Name("X-B")!] == "")
            #expect(headers[.accept] == nil)
        }
    }

    @Test(.bug(id: "F438")) func `a Referer field of curl -H is kept after a redirect, also with ;auto`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(Self.redirect, Self.answer)
            _ = try await Program().run("curl", "-sL", "-e", ";auto", "-H", "Referer: x", server.url + "/a")
            for _ in 1...2 { #expect(try await server.takeRequest().headers[values: .referer] == ["x"]) }
        }
    }
}
