// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What `--as` prints.
@Suite(.timeLimit(.minutes(1))) struct ExportTests {
    /// A command line, what the output has, and what it has not.
    struct Case: CustomTestStringConvertible, Sendable {
        var form: String
        var words: [String]
        var contains: [String]
        var lacks: [String] = []
        var warning = ""

        var testDescription: String { "\(self.form) \(self.words.joined(separator: " "))" }
    }

    static let cases = [
        Case(
            form: "curl",
            words: ["-f", "h.test", "f@f.txt", "a=it's", "b:=1"],
            contains: ["-F 'f=@f.txt;type=text/plain'", #"--form-string 'a=it'\''s'"#, "--form-string b=1"],
            lacks: ["Content-Type", "--data", "boundary", "-X"]
        ),
        Case(
            form: "curl",
            words: ["--multipart", "--chunked", "GET", "h.test", "a=1"],
            contains: ["--form-string a=1 -X GET", "-H 'Transfer-Encoding: chunked'"]
        ),
        Case(
            form: "curl",
            words: ["--chunked", "h.test", "a=1"],
            contains: [#"--data-raw '{"a":"1"}'"#, "-H 'Transfer-Encoding: chunked'"]
        ),
        Case(
            form: "curl",
            words: ["h.test", "Accept:", "User-Agent:"],
            contains: ["-H Accept: ", "-H User-Agent: "],
            lacks: ["*/*"]
        ),
        Case(
            form: "curl",
            words: ["--proxy", "http://p.test:1", "--max-time=2.5", "--timeout=3", "--tls-min=1.3", "h.test"],
            contains: ["--proxy http://p.test:1", "--max-time 2.5", "--speed-limit 1 --speed-time 3", "--tlsv1.3"]
        ),
        Case(
            form: "curl",
            words: ["--unix-socket=/s", "--ssl=tls1.2", "--trust", fingerprint, "h.test"],
            contains: ["--unix-socket /s", "--tlsv1.2 --tls-max 1.2"],
            warning: "left out of the curl form: --trust"
        ),
        Case(
            form: "curl",
            words: ["h.test", "Accept-Encoding:identity"],
            contains: ["-H 'Accept-Encoding: identity'"],
            lacks: ["--compressed"]
        ),
        Case(
            form: "curl",
            words: ["h.test", "Accept-Encoding:gzip"],
            contains: ["--compressed", "-H 'Accept-Encoding: gzip'"]
        ),
        Case(form: "httpie", words: ["h.test", "Accept-Encoding:identity"], contains: ["Accept-Encoding:identity"]),
        Case(form: "httpie", words: ["h.test"], contains: [], lacks: ["Accept-Encoding"]),
        Case(
            form: "swift",
            words: ["h.test", "Accept-Encoding:identity"],
            contains: [#"value: "identity""#],
            lacks: ["@main"]
        ),
        Case(
            form: "httpie",
            words: ["curl", "-sSi", "-o", "f", "-X", "PUT", "-H", "X-A: b", "--data-raw", "a=1", "h.test/x"],
            contains: ["--raw=a=1", "PUT http://h.test/x", "X-A:b"]
        ),
        Case(
            form: "swift",
            words: ["curl", "-sOL", "-F", "a=1", "-F", "f=@f.txt;type=a/b", "h.test/x"],
            contains: [
                #"form.append(Data("1".utf8), name: "a")"#,
                #"try form.append(file: URL(filePath: "f.txt"), name: "f", contentType: "a/b")"#,
            ]
        ),
        Case(
            form: "curl",
            words: ["curl", "-F", "a=<f.txt;filename=g", "--anyauth", "-u", "u:p", "-c", "j", "--http1.1", "h.test"],
            contains: ["--form-string a=text", "Authorization: Basic dTpw"],
            warning:
                "left out of the curl form: --http1.1, --cookie-jar, --anyauth, --form (a name of a file, or the type of a text)"
        ),
        Case(
            form: "curl",
            words: ["curl", "-4L", "--post302", "--proto", "=http", "h.test"],
            contains: ["--location"],
            warning: "left out of the curl form: --ipv4, --proto, --post302"
        ),
        Case(form: "curl", words: ["-A", "digest", "-a", "u:p", "h.test"], contains: ["--digest --user u:p"]),
        Case(
            form: "httpie",
            words: ["-f", "h.test", "f@f.txt;type=a/b", "a==b", "c==", "d:=1", "X:y", "Accept:"],
            contains: ["--multipart", "'f@f.txt;type=a/b'", "d=1", "X:y", " Accept:"],
            lacks: ["Content-Type", "--raw"]
        ),
        Case(form: "httpie", words: ["--multipart", "h.test", #"a\;b\:c=1"#], contains: [#"'a\;b\:c=1'"#]),
        Case(
            form: "httpie",
            words: ["--proxy", "http://p.test:1", "--max-time=2", "--timeout=3", "--chunked", "h.test", "a=1"],
            contains: ["--proxy=http:http://p.test:1", "--timeout=3", "--chunked", "--raw="],
            warning: "left out of the httpie form: --max-time"
        ),
        Case(
            form: "swift",
            words: ["-A", "digest", "-a", "u:p", "--max-time=2", "--proxy", "http://p.test:1", "h.test", "Accept:"],
            contains: [#"request.authentication = .digest("u", "p")"#, "totalTimeout = .seconds(2.0)"],
            warning: "left out of the swift form: --proxy, Accept:"
        ),
        Case(
            form: "swift",
            words: ["-f", "h.test", "f@f.txt", "a=1"],
            contains: [
                #"form.append(Data("1".utf8), name: "a")"#,
                #"try form.append(file: URL(filePath: "f.txt"), name: "f", contentType: "text/plain")"#,
                "request.headers[.contentType] = form.contentType",
            ],
            lacks: ["boundary"]
        ),
    ]

    /// What the other program does when it sends the request again, or follows a redirect.
    static let repetitions = [
        Case(form: "curl", words: ["--retry=2", "PUT", "h.test", "a=1"], contains: ["curl --compressed --retry 2 "]),
        Case(
            form: "curl",
            words: ["--retry=2", "h.test", "a=1"],
            contains: ["--data-raw"],
            lacks: ["--retry"],
            warning: "left out of the curl form: --retry"
        ),
        Case(
            form: "curl",
            words: ["curl", "--retry", "2", "--retry-all-errors", "-d", "a=1", "h.test"],
            contains: ["--retry 2 "],
            warning: "left out of the curl form: --retry-all-errors"
        ),
        Case(
            form: "curl",
            words: ["-F", "h.test"],
            contains: ["--location --max-redirs 20 --cookie '' http://h.test/"]
        ),
        Case(form: "curl", words: ["-F", "POST", "h.test"], contains: ["--location", "--data-raw ''"], lacks: ["-X"]),
        Case(
            form: "curl",
            words: ["-F", "PUT", "h.test", "a=1"],
            contains: ["-X PUT"],
            lacks: ["--location", "--cookie"],
            warning: "left out of the curl form: --follow (of PUT)"
        ),
        Case(
            form: "curl",
            words: ["-F", "DELETE", "h.test"],
            contains: ["-X DELETE"],
            lacks: ["--location"],
            warning: "left out of the curl form: --follow (of DELETE)"
        ),
        Case(
            form: "curl",
            words: ["-F", "GET", "h.test", "a=1"],
            contains: ["-X GET"],
            lacks: ["--location"],
            warning: "left out of the curl form: --follow (of GET)"
        ),
        Case(
            form: "curl",
            words: ["curl", "-L", "--max-redirs", "-1", "-X", "PUT", "-d", "a=1", "h.test"],
            contains: ["--location --max-redirs -1 ", "-X PUT"],
            lacks: ["--cookie"]
        ),
        Case(form: "curl", words: ["curl", "-LXPOST", "-d", "a=1", "h.test"], contains: ["--location", "-X POST"]),
        Case(
            form: "curl",
            words: ["curl", "-L", "-T", "f.txt", "h.test/x"],
            contains: ["--location", "http://h.test/x", " -T f.txt\n"],
            lacks: ["-X", "--data", "Content-Type"]
        ),
        Case(
            form: "curl",
            words: ["curl", "-L", "-X", "POST", "-T", "f.txt", "-H", "Content-Type: a/b", "h.test/x"],
            contains: ["--location", " -T f.txt -X POST\n", "-H 'Content-Type: a/b'"],
            lacks: ["--data"]
        ),
        Case(form: "curl", words: ["curl", "-g", "-T", "[f].txt", "h.test/x"], contains: ["--globoff -T '[f].txt'"]),
        Case(
            form: "curl",
            words: ["curl", "-L", "-T", "-", "h.test/x"],
            contains: ["-X PUT"],
            lacks: ["--location"],
            warning: "left out of the curl form: --location (of PUT)"
        ),
        Case(
            form: "curl",
            words: ["-F", "h.test", "Cookie:a=1", "Cookie:b=2"],
            contains: ["--location", "-H 'Cookie: a=1; b=2'"],
            lacks: ["--cookie"]
        ),
        Case(form: "curl", words: ["-F", "h.test", "Cookie:"], contains: ["--location", "--cookie ''"]),
        Case(
            form: "swift",
            words: ["-F", "h.test", "Cookie:a=1"],
            contains: ["value: \"a=1\""],
            lacks: ["CookieJar"]
        ),
        Case(
            form: "curl",
            words: ["curl", "-L", "-b", "jar", "-b", "a=1", "h.test"],
            contains: ["--cookie ''", "-H 'Cookie: a=1'"],
            warning: "left out of the curl form: --cookie"
        ),
        Case(
            form: "httpie",
            words: ["-F", "PUT", "h.test", "a=1"],
            contains: ["PUT"],
            lacks: ["--follow"],
            warning: "left out of the httpie form: --follow (of PUT)"
        ),
        Case(
            form: "httpie",
            words: ["curl", "-LXPOST", "-d", "a=1", "h.test"],
            contains: ["POST"],
            lacks: ["--follow"],
            warning: "left out of the httpie form: --location (of POST)"
        ),
        Case(
            form: "swift",
            words: ["-F", "--max-redirects=1", "PUT", "h.test", "a=1"],
            contains: ["configuration.redirects = .follow(maximum: 1)", "configuration.cookies = CookieJar()"]
        ),
        Case(
            form: "swift",
            words: ["curl", "-L", "h.test"],
            contains: ["let session = Session()"],
            lacks: ["configuration"]
        ),
        Case(
            form: "swift",
            words: ["curl", "-LXPUT", "h.test"],
            contains: ["configuration.redirects = .none"],
            warning: "left out of the swift form: --location (of PUT)"
        ),
    ]

    private static let fingerprint = "sha256:" + String(repeating: "ab", count: 32)

    @Test(.bug(id: "F359"), .bug(id: "F401"), .bug(id: "F407"), arguments: Self.repetitions)
    func `a form repeats a request and follows redirects as it is done here, or says that it does not`(
        _ example: Case
    ) async throws {
        try await Self.check(example)
    }

    @Test(
        .bug(id: "F360"),
        arguments: [
            (["--multipart", "POST", "h.test", "--", "-a=1"], "POST http://h.test/ -- 'Accept"),
            (["h.test", "--", "-X-A:it's"], "GET http://h.test/ -- "),
            (["h.test", "--", "-X-A:"], "GET http://h.test/ -- "),
            (["h.test", "X-A:-1"], "GET http://h.test/ 'Accept"),
        ]
    )
    func `an item that begins with a hyphen is no option of HTTPie`(_ words: [String], _ expected: String) async throws
    {
        let result = try await Program().run(["--as", "httpie"] + words)
        #expect(result.output.contains(expected), "\(result.output) \(result.errors)")
    }

    @Test(arguments: Self.cases)
    func `a request is written with all that the form can say`(_ example: Case) async throws {
        try await Self.check(example)
    }

    private static func check(_ example: Case) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("f.txt", "text")
        _ = try folder.add("[f].txt", "text")
        let program = Program(directory: folder.path)
        let result = try await program.run(["--as", example.form] + example.words)
        #expect(result.ending == .exited(0), "\(result.errors)")
        for text in example.contains { #expect((result.output + " ").contains(text), "\(result.output)") }
        for text in example.lacks { #expect(!result.output.contains(text), "\(result.output)") }
        #expect(result.errors == (example.warning.isEmpty ? "" : "bluebonnet: warning: \(example.warning)\n"))
    }

    @Test(arguments: [
        ["HEAD", "h.test", "a=1"], ["-f", "HEAD", "h.test", "a=1"], ["--multipart", "HEAD", "h.test", "a=1"],
    ])
    func `a body with HEAD is refused for curl, which would wait for that of the response`(
        _ words: [String]
    ) async throws {
        let result = try await Program().run(["--as", "curl"] + words)
        #expect(result.ending == .exited(1), "\(result.output)")
        #expect(result.errors.contains("curl sends no body with HEAD"), "\(result.errors)")
    }

    @Test(arguments: [
        ["--ssl=tls1.2", "h.test"], ["--ssl=tls1.3", "--cert=c.p12:secret", "h.test"], ["--tls-min=1.3", "h.test"],
        ["--chunked", "h.test", "a=1"], ["-f", "h.test", "f@f.txt", "a=it's"], ["-F", "h.test", "Accept:", "X-A;"],
        ["-A", "digest", "-a", "u:p", "--max-time=2.5", "--timeout=3", "PUT", "h.test/a?b=c"],
        ["-F", "POST", "h.test"],
        ["-F", "--max-redirects=1", "h.test", "Cookie:a=1"],
    ])
    func `the command for curl is read as the same request`(_ words: [String]) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("f.txt", "text")
        let bundle = PackageFolder.path + "Tests/BluebonnetTransportTests/Fixtures/identity/modern.p12"
        try FileManager.default.copyItem(atPath: bundle, toPath: folder.path + "/c.p12")
        let written = try await Program(directory: folder.path).run(["--as", "curl"] + words)
        #expect(written.ending == .exited(0), "\(written.errors)")
        let shell = Program(directory: folder.path, path: "/bin/sh")
        let read = try await shell.run("-c", "'\(Program.path)' --as curl \(written.output)")
        #expect(read.ending == .exited(0), "\(read.errors)")
        #expect(read.output == written.output)
        #expect(read.errors == "")
    }

    @Test(arguments: [
        ["h.test", "a=1"], ["-F", "--max-redirects=\(Int.max)", "-f", "LINK", "h.test", "f@f.txt", "a=1"],
        ["-A", "digest", "-a", "u:p", "--max-time=2", "h.test", "@f.txt", "X-A:b", "Accept-Encoding:identity"],
        ["curl", "h.test/a", "h.test/b"], ["curl", "h.test/a", "--next", "-F", "f=@f.txt", "h.test/b"],
        ["curl", "-F", "f=@f.txt", "-H", "Content-Type: multipart/mixed", "h.test"],
    ])
    func `the program in Swift compiles as main.swift`(_ words: [String]) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("f.txt", "text")
        let written = try await Program(directory: folder.path).run(["--as", "swift"] + words)
        let source = try folder.add("main.swift", written.output)
        let flags = try await Program(path: PackageFolder.path + "scripts/module-flags").run()
        let search = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        let compiler = try #require(
            search.map { "\($0)/swiftc" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        )
        let options = ["-typecheck", "-swift-version", "6"] + flags.output.split(separator: "\n").map { String($0) }
        let compiled = try await Program(path: compiler).run(options + [source])
        #expect(compiled.ending == .exited(0), "\(compiled.output) \(compiled.errors)")
    }

    @Test(arguments: [#"a\\:b=1"#, #"a=1\\:2"#, #"X-A:1\\=2"#])
    func `a backslash that HTTPie would take for an escape is refused`(item: String) async throws {
        let result = try await Program().run("--as", "httpie", "--multipart", "h.test", item, "c=1")
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("a backslash before"), "\(result.errors)")
    }

    @Test(.bug(id: "F310")) func `a netrc file does not replace a field of the command for HTTPie`() async throws {
        let result = try await Program().run("--as", "httpie", "h.test", "Authorization:Token x")
        #expect(result.output.hasPrefix("http --ignore-stdin --ignore-netrc "), "\(result.output)")
        #expect(result.output.contains("'Authorization:Token x'"), "\(result.output)")
    }

    @Test(.bug(id: "F313"), arguments: [("1", "2"), ("20", "21"), ("\(Int.max)", "\(Int.max)")])
    func `the limit of the command for HTTPie counts requests`(_ redirects: String, _ requests: String) async throws {
        let result = try await Program().run("--as", "httpie", "--follow", "--max-redirects", redirects, "h.test")
        #expect(result.output.contains(" --follow --max-redirects=\(requests) "), "\(result.output) \(result.errors)")
    }

    @Test(arguments: ["curl", "httpie"], [#"a:="\u0000""#, #"a:="\u001b[2J""#, #"a:="\u009b""#])
    func `control characters in a form are refused`(form: String, item: String) async throws {
        let result = try await Program().run("--as", form, "--multipart", "h.test", item)
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("cannot be copied as a command"), "\(result.errors)")
        #expect(result.output == "")
    }

    @Test(arguments: ["curl", "httpie", "swift"])
    func `a body that is read as it comes is refused`(form: String) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.add("large", String(repeating: "x", count: 2 * 1024 * 1024))
        let program = Program(preparation: "exec < \(path)")
        let result = try await program.run("--as", form, "h.test")
        #expect(result.ending != .exited(0))
        #expect(result.errors.contains("a body that is read as it arrives cannot be exported"), "\(result.errors)")
        #expect(result.output == "")
    }
}
