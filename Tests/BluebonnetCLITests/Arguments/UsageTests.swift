// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import BluebonnetCLI

@Suite struct UsageTests {
    /// A command line that cannot be carried out, and a part of its explanation.
    struct Case: CustomTestStringConvertible, Sendable {
        var arguments: [String]
        var explanation: String

        init(_ arguments: String..., explanation: String) {
            self.arguments = arguments
            self.explanation = explanation
        }

        var testDescription: String { self.arguments.joined(separator: " ") }
    }

    @Test(arguments: [
        Case(explanation: "there is no URL"),
        Case("--nope", "localhost", explanation: "unknown option '--nope'"),
        Case("--verson", explanation: "did you mean “--version”?"),
        Case("--verbos=1", "localhost", explanation: "did you mean “--verbose”?"),
        Case("--verb", "localhost", explanation: "did you mean “--verbose”?"),
        Case("--check", "localhost", explanation: "did you mean “--check-status”?"),
        Case("--url", "localhost", explanation: "write the URL by itself"),
        Case("-json", "localhost", explanation: "“-json” is read as several options of one letter each: write --json"),
        Case("-form", "localhost", "a=1", explanation: "write --form"),
        Case("-help", explanation: "write --help"),
        Case("-V", explanation: "write --version"),
        Case("--auth", "http://u:p@localhost/a", explanation: "--auth has taken “http://…@localhost/a” as its value"),
        Case("-a", "http://localhost", explanation: "there is no URL: --auth has taken"),
        Case("localhost", "http://x/", explanation: "“http://x/” is a second URL"),
        Case("localhost", "{\"a\":1}", explanation: "write --raw '{\"a\":1}'"),
        Case("localhost", "POST", explanation: "write “bluebonnet POST localhost”"),
        Case("--timeout", "soon", "localhost", explanation: "write a number of seconds, for example 2.5"),
        Case("--bench", "many", "localhost", explanation: "write a whole number, for example 3"),
        Case("serve", "--port", "any", explanation: "write a whole number, for example 3"),
        Case("--ail", "localhost", explanation: "did you mean “--all”?"),
        Case("--xyz", "localhost", explanation: "unknown option '--xyz'"),
        Case("-A", "ua/1", "localhost", explanation: "write “User-Agent:text” after the URL"),
        Case("--resolve", "a:80:b", "localhost", explanation: "--resolve is curl's: write the whole command as"),
        Case("--limit-rate=1k", "localhost", explanation: "“bluebonnet curl …”"),
        Case("-D", "x", "localhost", explanation: "-D is curl's: write the whole command as “bluebonnet curl …”"),
        Case("-r", "0-9", "localhost", explanation: "-r is curl's"),
        Case("--http1.1", "localhost", explanation: "--http1.1 is curl's"),
        Case("--http2", "localhost", explanation: "--http2 is not needed: leave it out"),
        Case("--proxy-user", "a:b", "localhost", explanation: "into the URL of --proxy"),
        Case("--form=yes", "localhost", "a=1", explanation: "--form takes no value"),
        Case("localhost", "--session", explanation: "missing value for '--session <"),
        Case("-i", "localhost", explanation: "--print hb"),
        Case("-s", "localhost", explanation: "leave it out"),
        Case("-sk", "localhost", explanation: "leave it out"),
        Case("-k", "localhost", explanation: "--cacert FILE"),
        Case("-L", "localhost", explanation: "write --follow"),
        Case("-u", "a:b", "localhost", explanation: "--auth user:password"),
        Case("-O", "localhost", explanation: "--download"),
        Case("-XPOST", "localhost", explanation: "write the method before the URL"),
        Case("-H", "A: b", "localhost", explanation: "Header:value"),
        Case("--data-raw", "{}", "localhost", explanation: "--raw TEXT"),
        Case("--data-raw={}", "localhost", explanation: "--raw TEXT"),
        Case("--compressed", "localhost", explanation: "not needed"),
        Case("-d", "{\"a\":1}", "localhost", explanation: "-d is --download here"),
        Case("-d", "a=1&b=2", "localhost", explanation: "-d is --download here"),
        Case("--retry", "-1", "localhost", explanation: "from 0 to 99"),
        Case("--retry-delay", "3", "localhost", explanation: "Retry-After is kept"),
        Case("--continue", "localhost", explanation: "--download --output FILE"),
        Case("-dc", "localhost", explanation: "--download --output FILE"),
        Case("--sha256", "00", "localhost", explanation: "add --download"),
        Case("--sha256", "00", "-d", "localhost", explanation: "64 hexadecimal digits"),
        Case("--trust", "sha1:00", "https://localhost", explanation: "64 hexadecimal digits"),
        Case("--trust=", "https://localhost", explanation: "64 hexadecimal digits"),
        Case("--ciphers", "NULL", "https://localhost", explanation: "“NULL” is not a cipher suite"),
        Case("--ciphers", "TLS_AES_128_GCM_SHA256", "https://localhost", explanation: "no suite of TLS 1.2"),
        Case("--cert-key", "/x", "https://localhost", explanation: "belongs to --cert"),
        Case("--cert-key-pass", "x", "https://localhost", explanation: "belongs to --cert"),
        Case("--pictures", "ascii", "localhost", explanation: "auto, kitty, iterm2, sixel, blocks, none. See"),
        Case("--style", "monokai", "localhost", explanation: "auto, dark, light, mono"),
        Case("--format-options", "json.indent:99", "localhost", explanation: "json.indent:99"),
        Case("--format-options", "wild", "localhost", explanation: "json.sort_keys"),
        Case("--response-charset", "klingon", "localhost", explanation: "not a charset"),
        Case("--response-mime", "json", "localhost", explanation: "not a media type"),
        Case("--session", "a b", "localhost", explanation: "not the name of a session"),
        Case("--session", "x", "localhost", explanation: "no folder for sessions"),
        Case("--session", "/", "localhost", explanation: "cannot read the session"),
        Case(
            "--auth-type",
            "ntlm",
            "--auth",
            "a:b",
            "localhost",
            explanation: "“ntlm” is not a way to send credentials"
        ),
        Case("-m", "5", "localhost", explanation: "write --max-time 5"),
        Case("a=1", "http://localhost", explanation: "stands before the URL"),
        Case("--max-redirects", "3", "localhost", explanation: "add --follow"),
        Case("--all", "localhost", explanation: "add --follow"),
        Case("--follow", "--max-redirects", "0", "localhost", explanation: "at least 1"),
        Case("--verify=no", "localhost", explanation: "certificates are always verified"),
        Case("-X", "POST", "localhost", explanation: "write the method before the URL"),
        Case("--print", "x", "localhost", explanation: "“x” is not a part to print"),
        Case("--offline", "--body", "localhost", explanation: "--offline has no response"),
        Case("--offline", "--print", "hb", "localhost", explanation: "--offline has no response"),
        Case("--offline", "--download", "localhost", explanation: "--offline has no response"),
        Case("--cacert", "/etc/hostname", "https://localhost", explanation: "holds no certificate"),
        Case("--pretty", "wild", "localhost", explanation: "'wild' is invalid"),
        Case("--timeout", "-1", "localhost", explanation: "--timeout"),
        Case("--timeout", "nan", "localhost", explanation: "a number of seconds"),
        Case("--timeout", "inf", "localhost", explanation: "a number of seconds"),
        Case("--max-time", "soon", "localhost", explanation: "--max-time"),
        Case("--plist", "localhost", "a:=null", explanation: "has no null"),
        Case("--plist", "--parameters", "{\"a\":[null]}", "localhost", explanation: "has no null"),
        Case("--plist", "localhost", "a:=1e999", explanation: "cannot keep the number 1e999 exactly"),
        Case("--plist", "localhost", "f@/etc/passwd", explanation: "a property list cannot hold the file"),
        Case("--raw", "x", "localhost", "a=1", explanation: "a request has one body"),
        Case("localhost", "--raw", explanation: "missing value for '--raw <text>'"),
        Case("localhost", "a=1", "-o", explanation: "missing value for '--output <file>'"),
        Case("--download", "--sse", "localhost", explanation: "leave it out with --sse and --bench"),
        Case("--bench", "3", "-d", "localhost", explanation: "leave it out with --sse and --bench"),
        Case("--parameters", "{}", "--raw", "x", "localhost", explanation: "a request has one body"),
        Case("--parameters", "{\"a\":", "localhost", explanation: "line 1, column 6"),
        Case(
            "--plist",
            "--parameters",
            "{\"a\":[1e-400]}",
            "localhost",
            explanation: "cannot keep the number 1e-400 exactly"
        ),
        Case("--parameters", "{\"a\":1,\"\\u0061\":2}", "localhost", explanation: "has the key “a” twice"),
        Case("localhost", "a:={\"b\":[{\"x\":1}],\"c\":\"b\",\"b\":2}", explanation: "has the key “b” twice"),
        Case("--form", "localhost", "a:={\"b\":1,\"b\":2}", explanation: "has the key “b” twice"),
        Case("--boundary", "x", "localhost", explanation: "add --multipart"),
        Case("--multipart", "--boundary", "a\"b", "localhost", "a=1", explanation: "oundary"),
        Case("--form", "localhost", "f@/nonexistent", explanation: "No such file"),
        Case("--form", "localhost", "f@/", explanation: "it is a folder"),
        Case("--form", "localhost", "f@/dev/null", explanation: "not a regular file"),
        Case("localhost", "f@/etc/passwd", explanation: "JSON cannot hold the file"),
        Case("localhost", "a:=@/nonexistent", explanation: "No such file"),
        Case("localhost", "a:=", explanation: "not valid JSON"),
        Case("localhost", "Content-Length:5", explanation: "follows from the body"),
        Case("localhost", "Transfer-Encoding:chunked", explanation: "follows from the body"),
        Case("localhost", "Bad Name:x", explanation: "is not a header name"),
        Case("localhost", ":authority:x", explanation: "has no name"),
        Case("localhost", "X:a\r\nEvil: yes", explanation: "line break"),
        Case("localhost", "X:a\u{0}b", explanation: "line break or another control character"),
        Case("--auth", "a:b\nc", "localhost", explanation: "control characters"),
        Case("--auth", "ada", "localhost", explanation: "no terminal to ask"),
        Case("--auth-type", "bearer", "localhost", explanation: "needs a token"),
        Case("--auth-type", "bearer", "--auth", "a b", "localhost", explanation: "visible ASCII"),
        Case("--cacert", "/nonexistent", "https://localhost", explanation: "No such file"),
        Case("--proxy", "ftp://x", "localhost", explanation: "“ftp” is not a kind of proxy"),
        Case("--proxy", "http://x:0", "localhost", explanation: "not between 1 and 65535"),
        Case("--proxy", "x", "--noproxy", "10.0.0.0/99", "localhost", explanation: "more bits than an address"),
        Case("--noproxy", "a:0", "localhost", explanation: "no port between"),
        Case("--unix-socket", "", "localhost", explanation: "takes the path"),
        Case("--unix-socket", "/x", "--proxy", "y", "localhost", explanation: "choose one of"),
        Case("-x", "http://y", "http://localhost", explanation: "write --proxy http://y"),
        Case("--output", "/nonexistent/x", "localhost", explanation: "cannot write"),
        Case("--output", "/", "localhost", explanation: "is a folder"),
        Case("CONNECT", "localhost", explanation: "opens a tunnel"),
        Case("demo", "--size", "0", explanation: "from 1 to"),
        Case("demo", "--size", "big", explanation: "'big' is invalid"),
        Case("demo", "extra", explanation: "extra"),
        Case("serve", "--port", "70000", explanation: "from 0 to 65535"),
        Case("serve", "--root", "/tmp/x", explanation: "add --tls"),
    ])
    func `explains a mistake in one line and ends with 1`(_ test: Case) async {
        await Self.expectMistake(test)
    }

    @Test(
        .bug(id: "F311"),
        arguments: [
            Case("--auth", "a:b", "localhost:1", "authorization:Token x", explanation: "set the same field"),
            Case("-A", "digest", "-a", "a:b", "localhost:1", "Authorization:", explanation: "set the same field"),
            Case("http://a:b@localhost:1", "Authorization;", explanation: "set the same field"),
        ]
    )
    func `credentials beside an item for the same field are refused`(_ test: Case) async {
        await Self.expectMistake(test)
    }

    @Test(.bug(id: "F311")) func `a field of a curl command overrides its credentials`() async {
        let console = TestConsole()
        let words = ["--offline", "curl", "-u", "a:b", "-H", "Authorization: Token x", "localhost"]
        #expect(await console.run(words) == .success, "\(console.errors.text)")
        #expect(console.output.text.contains("Authorization: Token x\r\n"), "\(console.output.text)")
        #expect(!console.output.text.contains("Basic"), "\(console.output.text)")
    }

    @Test(
        .bug(id: "F318"),
        arguments: [
            Case("localhost:1", "X:a\u{1B}b", explanation: "control character"),
            Case("--offline", "--explain", "localhost:1", explanation: "--explain reports an exchange, and --offline"),
            Case("--offline", "--debug", "localhost:1", explanation: "--debug reports an exchange, and --offline"),
            Case("--as", "curl", "--explain", "localhost:1", explanation: "--explain reports an exchange, and --as"),
            Case("--as=swift", "--debug", "localhost:1", explanation: "--debug reports an exchange, and --as"),
        ]
    )
    func `what would be ignored, or is named wrongly, is explained`(_ test: Case) async {
        await Self.expectMistake(test)
    }

    @Test(
        .bug(id: "F434"),
        arguments: [
            Case(
                "localhost:1",
                "Proxy-Authorization:Basic x",
                explanation: "password into the URL of --proxy, before the host"
            ),
            Case("--as=curl", "localhost:1", "proxy-authorization;", explanation: "into the URL of --proxy"),
            Case("--proxy", "http://u:p@h.test", "localhost:1", "Proxy-Authorization:", explanation: "of --proxy"),
            Case("--offline", "localhost:1", "Proxy-Connection:close", explanation: "is never sent"),
            Case("--offline", "localhost:1", "Host:", explanation: "cannot be removed"),
        ]
    )
    func `a field that would be dropped, or sent in spite of its removal, is refused`(_ test: Case) async {
        await Self.expectMistake(test)
    }

    @Test(.bug(id: "F434")) func `fields of the connection are sent as they are written`() async {
        let console = TestConsole()
        let items = ["Connection:X-A", "TE:trailers", "Keep-Alive:x", "Upgrade:h2c", "Expect:x", "Host:h.test"]
        #expect(await console.run(["--offline", "localhost:1", "Proxy-Connection:"] + items) == .success)
        for item in items {
            let line = item.replacing(":", with: ": ") + "\r\n"
            #expect(console.output.text.contains("\r\n" + line), "\(console.output.text)")
        }
        #expect(!console.output.text.contains("Proxy"), "\(console.output.text)")
    }

    /// Expects that a command line is refused with one line.
    private static func expectMistake(_ test: Case) async {
        let console = TestConsole()
        #expect(await console.run(test.arguments) == .usage)
        let text = console.errors.text
        #expect(text.hasPrefix("bluebonnet: error: "))
        #expect(text.contains(test.explanation), "\(text)")
        #expect(text.count { $0 == "\n" } == 1)
        #expect(console.output.bytes.isEmpty)
    }

    @Test(arguments: [("serv", "serve"), ("curll", "curl"), ("version", "--version"), ("localhost", nil), ("h", nil)])
    func `a word that is no host may be a command`(_ word: String, _ command: String?) {
        #expect(MistakenWords.command(for: word) == command)
    }

    @Test func `words after two hyphens are never options`() async {
        let console = TestConsole()
        #expect(await console.run("--offline", "--print", "B", "localhost", "--", "-a=1", "--b=2") == .success)
        #expect(console.output.text == #"{"-a":"1","--b":"2"}"#)
    }

    @Test func `options may stand anywhere`() async {
        let console = TestConsole()
        #expect(await console.run("POST", "localhost", "a=1", "--offline", "--print=B", "b=2") == .success)
        #expect(console.output.text == #"{"a":"1","b":"2"}"#)
    }

    @Test func `parses into the command that is meant`() throws {
        let command = try #require(
            try BluebonnetCommand.parseAsRoot(["-vf", "PUT", ":80/x", "a=1"]) as? RequestCommand
        )
        #expect(command.words == ["PUT", ":80/x", "a=1"])
        #expect(command.output.verbose == 1)
        #expect(command.body.form)
    }
}
