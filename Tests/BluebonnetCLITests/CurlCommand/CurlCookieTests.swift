// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import BluebonnetCLI

/// The cookies of a command of curl, its files and a session, through the real program.
@Suite(.timeLimit(.minutes(1))) struct CurlCookieTests {
    private static let line = "127.0.0.1\tFALSE\t/\tFALSE\t0\tfile\t2\n"

    /// The kind of a file, and who may use it.
    private static func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : nil
    }

    @Test(.bug(id: "F253")) func `curl -c writes into a pipe behind a link, and replaces neither`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(headers: [.setCookie: "kept=1"], body: ""))
            let folder = try TemporaryFolder()
            let (pipe, link) = (folder.path + "/pipe", folder.path + "/link")
            #expect(mkfifo(pipe, 0o600) == 0)
            #expect(symlink("pipe", link) == 0)
            let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            try #require(reader >= 0)
            defer { close(reader) }
            let result = try await Program(directory: folder.path).run("curl", "-c", "link", server.url + "/a")
            #expect(result.ending == .exited(0), "\(result.errors)")
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(reader, &bytes, bytes.count)
            #expect(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).contains("\tkept\t1\n"))
            #expect(Self.mode(pipe).map { $0 & S_IFMT } == S_IFIFO)
            #expect(Self.mode(link).map { $0 & S_IFMT } == S_IFLNK)
            #expect(folder.names == ["link", "pipe"])
        }
    }

    @Test(.bug(id: "F253")) func `a new file of curl -c is private, and a missing folder is named`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""), ScriptedResponse(body: ""))
            let folder = try TemporaryFolder()
            let program = Program(directory: folder.path)
            #expect(try await program.run("curl", "-c", "jar", server.url + "/a").ending == .exited(0))
            #expect(Self.mode(folder.path + "/jar").map { $0 & 0o777 } == 0o600)
            let missing = try await program.run("curl", "-c", "none/jar", server.url + "/a")
            #expect(missing.ending == .exited(1))
            #expect(missing.errors.contains("cannot write “none/jar”"), "\(missing.errors)")
            #expect(missing.errors.contains("--cookie-jar"), "\(missing.errors)")
            #expect(!missing.errors.contains("createDirectories"), "\(missing.errors)")
            #expect(folder.names == ["jar"])
        }
    }

    @Test(.bug(id: "F254")) func `curl sends the cookies of a file and of the command in one field`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""))
            let folder = try TemporaryFolder()
            _ = try folder.add("jar", Self.line)
            let program = Program(directory: folder.path)
            let words = ["curl", "-b", "jar", "-b", "a=1; b=2", server.url + "/a"]
            #expect(try await program.run(words).ending == .exited(0))
            #expect(try await server.takeRequest().headers[values: .cookie] == ["file=2; a=1; b=2"])
            let shown = try await program.run(["--offline"] + words)
            #expect(shown.output.contains("\r\nCookie: file=2; a=1; b=2\r\n"), "\(shown.output)")
        }
    }

    @Test(.bug(id: "F255")) func `a session before a command of curl keeps its cookies, and gets those of the files`()
        async throws
    {
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(headers: [.setCookie: "session=1"], body: ""),
                ScriptedResponse(headers: [.setCookie: "new=3"], body: ""),
                ScriptedResponse(body: "")
            )
            let folder = try TemporaryFolder()
            _ = try folder.add("jar", Self.line)
            let program = Program(environment: ["BLUEBONNET_CONFIG_DIR": folder.path], directory: folder.path)
            var sent: [Set<Substring>] = []
            for options in [[], ["-b", "jar", "-c", "out"], []] as [[String]] {
                let result = try await program.run(["--session=s", "curl"] + options + [server.url + "/a"])
                #expect(result.ending == .exited(0), "\(result.errors)")
                let field = try await server.takeRequest().headers[.cookie] ?? ""
                sent.append(Set(field.replacing("; ", with: ";").split(separator: ";")))
            }
            #expect(sent == [[], ["session=1", "file=2"], ["session=1", "file=2", "new=3"]])
            let saved = folder.text("out") ?? ""
            for line in ["\tsession\t1\n", "\tfile\t2\n", "\tnew\t3\n"] { #expect(saved.contains(line), "\(saved)") }
        }
    }

    @Test(.bug(id: "F262"), arguments: ["jar", "a=b"])
    func `curl -b with “@” names a file`(_ name: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""))
            let folder = try TemporaryFolder()
            _ = try folder.add(name, Self.line)
            let result = try await Program(directory: folder.path).run("curl", "-b", "@" + name, server.url + "/a")
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(try await server.takeRequest().headers[.cookie] == "file=2")
        }
    }

    @Test(
        .bug(id: "F364"),
        arguments: [
            (["-H", "Cookie: h=1"], "file=2; h=1"), (["-b", "b=1", "-H", "cookie: h=1"], "file=2; h=1"),
            (["-b", "b=1", "-H", "Cookie:"], "file=2"), (["-H", "Cookie;"], "file=2"),
            (["-H", "Cookie: h=1;i=2", "-H", "Cookie: j=3"], "file=2; h=1; i=2; j=3"),
        ]
    )
    func `a Cookie field of -H stands beside those of the file`(_ options: [String], _ expected: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(status: .found, headers: [.location: "/b", .setCookie: "new=3"], body: ""),
                ScriptedResponse(body: "")
            )
            let folder = try TemporaryFolder()
            _ = try folder.add("jar", Self.line)
            let words = ["curl", "-L", "-b", "jar"] + options + [server.url + "/a"]
            #expect(try await Program(directory: folder.path).run(words).ending == .exited(0))
            #expect(try await server.takeRequest().headers[values: .cookie] == [expected])
            let following = expected.replacing("file=2", with: "file=2; new=3")
            #expect(try await server.takeRequest().headers[values: .cookie] == [following])
        }
    }

    @Test(.bug(id: "F365"), arguments: ["q=1", "q=2"])
    func `a cookie of a command of curl takes the place of that of a session`(_ cookie: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""), ScriptedResponse(body: ""))
            let folder = try TemporaryFolder()
            let program = Program(environment: ["BLUEBONNET_CONFIG_DIR": folder.path], directory: folder.path)
            _ = try await program.run("--session=s", server.url + "/a", "Cookie:q=1; r=1")
            _ = try await server.takeRequest()
            let words = ["--session=s", "curl", "-b", cookie, "-c", "out", server.url + "/a"]
            #expect(try await program.run(words).ending == .exited(0))
            #expect(try await server.takeRequest().headers[values: .cookie] == ["r=1; \(cookie)"])
        }
    }

    @Test(
        .bug(id: "F436"),
        arguments: [
            ("HTTP/1.1 200 OK\r\nSet-Cookie: z=9; path=/\r\n\r\n", false), ("set-cookie: z=9\n", false),
            (Self.line + "Set-Cookie: z=9\n", false), ("a=1; b=2\n", false), ("127.0.0.1 FALSE / FALSE 0 a 1\n", false),
            ("", true), ("# Netscape HTTP Cookie File\n\n \t\n", true), (Self.line, true),
            ("127.0.0.1\tFALSE\t/\tFALSE\t1\told\t2\n", true), ("#HttpOnly_" + Self.line + "a note\n", true),
        ]
    )
    func `curl -b refuses a file that is no cookies_txt`(_ text: String, _ isRead: Bool) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""))
            let folder = try TemporaryFolder()
            _ = try folder.add("jar", text)
            let result = try await Program(directory: folder.path).run("curl", "-b", "jar", server.url + "/a")
            #expect(result.ending == .exited(isRead ? 0 : 1), "\(result.errors)")
            #expect(result.errors.contains("“jar” is no cookies.txt") == !isRead, "\(result.errors)")
            #expect(server.untakenRequestCount == (isRead ? 1 : 0))
        }
    }

    @Test(.bug(id: "F458"), arguments: ["127.0.0.1", "localhost"])
    func `curl stores and sends a Secure cookie of the local host`(_ host: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(headers: [.setCookie: "s=1; Secure"], body: ""),
                ScriptedResponse(body: "")
            )
            let folder = try TemporaryFolder()
            let url = "http://\(host):\(server.port)/a"
            for options in [["-c", "jar"], ["-b", "jar"]] {
                let result = try await Program(directory: folder.path).run(["curl", "-4"] + options + [url])
                #expect(result.ending == .exited(0), "\(result.errors)")
            }
            #expect(folder.text("jar")?.contains("\tTRUE\t0\ts\t1\n") == true, "\(folder.text("jar") ?? "")")
            _ = try await server.takeRequest()
            #expect(try await server.takeRequest().headers[.cookie] == "s=1")
        }
    }

    @Test(.bug(id: "F693"), arguments: ["site.test", "SITE.test:8080"])
    func `curl sends and stores the cookies of the host in a Host field`(_ host: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(headers: [.setCookie: "new=3"], body: ""))
            let folder = try TemporaryFolder()
            let own = Self.line.replacing("127.0.0.1", with: "site.test").replacing("file", with: "own")
            _ = try folder.add("jar", Self.line + own)
            let words = ["curl", "-b", "jar", "-c", "out", "-H", "Host: \(host)", server.url + "/a"]
            let result = try await Program(directory: folder.path).run(words)
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(try await server.takeRequest().headers[values: .cookie] == ["own=2"])
            let saved = folder.text("out") ?? ""
            #expect(saved.contains("site.test\tFALSE\t/\tFALSE\t0\tnew\t3\n"), "\(saved)")
        }
    }

    @Test(.bug(id: "F693")) func `a redirect to another origin has the cookies of its own host`() async throws {
        try await TestServer.withServer { other in
            try await TestServer.withServer { server in
                server.enqueue(ScriptedResponse(status: .found, headers: [.location: other.url + "/b"], body: ""))
                other.enqueue(ScriptedResponse(body: ""))
                let folder = try TemporaryFolder()
                _ = try folder.add("jar", Self.line)
                let words = ["curl", "-L", "-b", "jar", "-H", "Host: site.test", server.url + "/a"]
                let result = try await Program(directory: folder.path).run(words)
                #expect(result.ending == .exited(0), "\(result.errors)")
                #expect(try await server.takeRequest().headers[.cookie] == nil)
                #expect(try await other.takeRequest().headers[.cookie] == "file=2")
            }
        }
    }

    @Test(.bug(id: "F660")) func `a redirect that leaves out the usual port keeps the cookies of the command`()
        async throws
    {
        try await TestServer.withServer { server in
            let location: HTTPFields = [.location: "http://h.test/b"]
            server.enqueue(ScriptedResponse(status: .found, headers: location), ScriptedResponse(body: ""))
            let folder = try TemporaryFolder()
            let console = TestConsole(directory: folder.path)
            let words = ["-x", server.url, "-L", "-b", "a=1", "-c", "jar", "http://h.test:80/a"]
            #expect(await console.run(["curl"] + words) == .success, "\(console.errors.text)")
            for _ in 0..<2 { #expect(try await server.takeRequest().headers[.cookie] == "a=1") }
        }
    }
}
