// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes
import Testing

/// The command lines of requests, run by /bin/sh with a `curl` of our own that tells its arguments and its standard input.
@Suite(.timeLimit(.minutes(1))) struct CommandLineTests {
    private let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
        let script = """
            #!/bin/sh
            printf '%s\\0' "$@" > "$0.arguments"
            case " $* " in *" @- "*) cat > "$0.input";; esac
            """
        let curl = self.directory.file("curl")
        try Data(script.utf8).write(to: curl)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: curl.path)
    }

    /// Runs a command line and gives what reached `curl`.
    private func run(_ command: String) throws -> (arguments: [String], input: Data?) {
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        // From a file, because a command may be longer than an argument.
        let script = self.directory.file("command")
        try Data(command.utf8).write(to: script)
        shell.arguments = [script.path]
        shell.environment = [
            "PATH": "\(self.directory.url.path):/usr/bin:/bin", "HOME": "/nowhere", "secret": "leaked",
        ]
        shell.standardInput = FileHandle.nullDevice
        let errors = Pipe()
        shell.standardError = errors
        try shell.run()
        let complaint = try errors.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0, "\(String(decoding: complaint, as: UTF8.self))")
        let text = try Data(contentsOf: self.directory.file("curl.arguments"))
        let arguments = text.split(separator: 0, omittingEmptySubsequences: false).dropLast()
        let input = try? Data(contentsOf: self.directory.file("curl.input"))
        return (arguments.map { String(decoding: $0, as: UTF8.self) }, input)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var request: Request
        var arguments: [String]

        init(
            _ name: String,
            _ url: String,
            _ method: HTTPRequest.Method = .get,
            headers: HTTPFields = [:],
            body: RequestBody = .none,
            gives arguments: [String]
        ) throws {
            self.testDescription = name
            self.request = try Request(method: method, parsing: url, headers: headers, body: body)
            self.arguments = arguments
        }
    }

    static func cases() throws -> [Case] {
        let quotes = #"it's "$secret" `date` \ $(id) ! * ? # ; & | < > ~ { }"#
        return [
            try Case("a GET", "http://h/p", gives: ["http://h/p"]),
            try Case("a query", "http://h/p?a=1&b=$secret", gives: ["http://h/p?a=1&b=$secret"]),
            try Case("a quote", "http://h/it's?a='", gives: ["http://h/it's?a='"]),
            try Case("brackets", "http://[::1]:8/p", gives: ["--globoff", "http://[::1]:8/p"]),
            try Case("dots", "http://h/a/../b", gives: ["--path-as-is", "http://h/a/../b"]),
            try Case("dots in a name", "http://h/a..b/.c?/../", gives: ["http://h/a..b/.c?/../"]),
            try Case("a HEAD", "http://h/", .head, gives: ["http://h/", "--head"]),
            try Case(
                "POST without a body",
                "http://h/",
                .post,
                gives: ["http://h/", "-H", "Content-Type:", "--data-raw", ""]
            ),
            try Case(
                "PUT without a body",
                "http://h/",
                .put,
                headers: [.contentType: "a/b"],
                gives: ["http://h/", "-X", "PUT", "-H", "Content-Type: a/b", "--data-raw", ""]
            ),
            try Case("a method", "http://h/", .delete, gives: ["http://h/", "-X", "DELETE"]),
            try Case(
                "a method of special characters",
                "http://h/",
                try #require(HTTPRequest.Method("A'`$&|*")),
                gives: ["http://h/", "-X", "A'`$&|*"]
            ),
            try Case(
                "header fields",
                "http://h/",
                headers: [.accept: quotes, .userAgent: ""],
                gives: ["http://h/", "-H", "Accept: \(quotes)", "-H", "User-Agent;"]
            ),
            try Case(
                "a body",
                "http://h/",
                .post,
                headers: [.contentType: "text/plain"],
                body: .data(Data("\(quotes)\n\tlast\nümlaut 🪻".utf8)),
                gives: [
                    "http://h/", "-H", "Content-Type: text/plain", "--data-raw",
                    "\(quotes)\n\tlast\nümlaut 🪻",
                ]
            ),
            try Case(
                "a body without a type that begins with @",
                "http://h/",
                .put,
                body: .data(Data("@/etc/passwd".utf8)),
                gives: ["http://h/", "-X", "PUT", "-H", "Content-Type:", "--data-raw", "@/etc/passwd"]
            ),
            try Case(
                "an empty body",
                "http://h/",
                .post,
                headers: [.contentType: "a/b"],
                body: .data(Data()),
                gives: ["http://h/", "-H", "Content-Type: a/b", "--data-raw", ""]
            ),
            try Case(
                "a body of a GET",
                "http://h/",
                body: .data(Data("x".utf8)),
                gives: ["http://h/", "-X", "GET", "-H", "Content-Type:", "--data-raw", "x"]
            ),
            try Case(
                "a file",
                "http://h/",
                .put,
                headers: [.contentType: "a/b"],
                body: .file(URL(filePath: "/tmp/it's a $secret")),
                gives: ["http://h/", "-X", "PUT", "-H", "Content-Type: a/b", "--data-binary", "@/tmp/it's a $secret"]
            ),
        ]
    }

    @Test(.bug(id: "F747"), arguments: try Self.cases())
    func `a shell gives curl what the request says`(_ example: Case) throws {
        let command = example.request.cURL()
        #expect(try self.run(command).arguments == example.arguments, "\(command)")
        #expect(try self.run(example.request.cURL(redacting: .none)).arguments == example.arguments)
    }

    @Test(arguments: [
        Data(0...255), Data("a\u{0}b".utf8), Data([0xFF]), Data("-n \u{1B}[2J %s \\n 100%".utf8),
        Data(repeating: UInt8(ascii: "'"), count: 200_000),
        Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }),
    ])
    func `bytes that no argument can hold come through a pipe`(_ bytes: Data) throws {
        let request = try Request(
            method: .post,
            parsing: "http://h/",
            headers: [.contentType: "a/b"],
            body: .data(bytes)
        )
        let command = request.cURL()
        #expect(command.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        let result = try self.run(command)
        #expect(result.arguments.suffix(2) == ["--data-binary", "@-"])
        #expect(result.input == bytes)
    }

    @Test(.bug(id: "F185"), arguments: [[0x66, 0xFC, 0x72], Array("\u{9B}2J ü % \\ -".utf8)] as [[UInt8]])
    func `bytes of a header field that are no text reach curl as they are`(_ bytes: [UInt8]) throws {
        let field = HTTPField(name: try #require(HTTPField.Name("X-Name")), value: bytes)
        let request = try Request(parsing: "http://h/", headers: HTTPFields([field]))
        let command = request.cURL()
        #expect(command.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        _ = try self.run(command)
        let arguments = try Data(contentsOf: self.directory.file("curl.arguments"))
        #expect(arguments.split(separator: 0).last == Data("X-Name: ".utf8) + bytes)
    }

    /// Right-to-left mark, Arabic letter mark, right-to-left override, isolate, line separator, C1, and a control in a
    /// redacted value.
    @Test(
        .bug(id: "F329"),
        arguments: ["a\u{200F}b", "\u{61C}\u{202E}x'$y", "\u{2066}%s\\n", "\u{2028}\u{2029}", "\u{9B}2J", "-\u{1B}[2J"]
    )
    func `text that changes its display is sent by the command as it was, and is not in it`(_ text: String) throws {
        let name = try #require(HTTPField.Name("X-Name"))
        let file = URL(filePath: "/tmp/\(text)")
        let isField = HTTPField.isValidValue(text)
        let headers: HTTPFields = isField ? [.contentType: "a/b", name: text] : [.contentType: "a/b"]
        let body = Data("{\"name\":\"\(text)\"}\n".utf8)
        for (body, last) in [(RequestBody.data(body), "@-"), (.file(file), "@/tmp/\(text)")] {
            let request = try Request(method: .post, parsing: "http://h/", headers: headers, body: body)
            let command = request.cURL()
            #expect(command.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
            let result = try self.run(command)
            #expect(result.arguments.last?.utf8.elementsEqual(last.utf8) == true)
            if isField { #expect(result.arguments.contains { $0.utf8.elementsEqual("X-Name: \(text)".utf8) }) }
            if case .data(let bytes) = body { #expect(result.input == bytes) }
        }
    }

    @Test(.bug(id: "F329")) func `a field with a hidden value controls no terminal either`() throws {
        let request = try Request(parsing: "http://h/", headers: [.referer: "http://h/?token=s3cr3t&a=\u{200F}"])
        let command = request.cURL()
        #expect(command.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        let field = try #require(try self.run(command).arguments.last)
        #expect(field.utf8.elementsEqual("Referer: http://h/?token=REDACTED&a=\u{200F}".utf8))
    }

    @Test(.bug(id: "F275")) func `the fields that frame a body are left to curl`() throws {
        let request = try Request(
            method: .post,
            parsing: "http://h/",
            headers: [.contentLength: "999", .contentType: "a/b", .transferEncoding: "chunked"],
            body: .data(Data("abc".utf8))
        )
        let arguments = try self.run(request.cURL()).arguments
        #expect(arguments == ["http://h/", "-H", "Content-Type: a/b", "--data-raw", "abc"])
    }

    @Test func `a body that is made when it is sent is read from standard input`() throws {
        let body = RequestBody.stream(length: nil) { throw SerializationError(.readFailed, reason: "") }
        for body in [body, .multipart(MultipartFormData())] {
            let request = try Request(method: .post, parsing: "http://h/", headers: [.contentType: "a/b"], body: body)
            #expect(request.cURL().hasSuffix(" --data-binary @-"))
        }
    }

    struct Secret: Sendable, CustomTestStringConvertible {
        var url = "http://h/"
        var headers: HTTPFields = [:]
        var body = ""
        var redacted: String
        var testDescription: String { self.redacted }
    }

    private static let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded; charset=utf-8"]
    private static let json: HTTPFields = [.contentType: "application/json"]

    @Test(arguments: [
        Secret(url: "http://user:s3cr3t@h/p", redacted: "http://REDACTED@h/p"),
        Secret(
            url: "http://h/p?a=@b&access_token=s3cr3t&x#/?token=",
            redacted: "http://h/p?a=@b&access_token=REDACTED&x#/?token="
        ),
        Secret(
            url: "http://h/?client%53ecret=s3cr3t&API-KEY=s3cr3t",
            redacted: "client%53ecret=REDACTED&API-KEY=REDACTED"
        ),
        Secret(headers: [.authorization: "Bearer s3cr3t"], redacted: "Authorization: REDACTED"),
        Secret(headers: [.proxyAuthorization: "s3cr3t"], redacted: "Proxy-Authorization: REDACTED"),
        Secret(headers: [.cookie: "id=s3cr3t"], redacted: "Cookie: REDACTED"),
        Secret(headers: Self.form, body: "user=a&pass%77ord=s3cr3t", redacted: "user=a&pass%77ord=REDACTED"),
        Secret(
            headers: Self.json,
            body: #"{"user":"a","Password":"s3cr3t","list":[{"refreshToken":["s3cr3t"]}]}"#,
            redacted: #"{"user":"a","Password":"REDACTED","list":[{"refreshToken":["REDACTED"]}]}"#
        ),
        Secret(
            headers: Self.json,
            body: #"{"password":"s3cr3t","password":"REDACTED"}"#,
            redacted: #"{"password":"REDACTED"}"#
        ),
        Secret(headers: Self.json, body: #"{ "page" : 1.0 }"#, redacted: #"{ "page" : 1.0 }"#),
    ])
    func `secrets are hidden unless asked for`(_ secret: Secret) throws {
        let body: RequestBody = secret.body.isEmpty ? .none : .data(Data(secret.body.utf8))
        let request = try Request(method: .post, parsing: secret.url, headers: secret.headers, body: body)
        let hidden = try self.run(request.cURL()).arguments.joined(separator: " ")
        #expect(hidden.contains(secret.redacted))
        #expect(!hidden.contains("s3cr3t"))
        let shown = try self.run(request.cURL(redacting: .none)).arguments.joined(separator: " ")
        #expect(!shown.contains("REDACTED") || secret.body.contains("REDACTED"))
        #expect(secret.body.isEmpty || shown.contains(secret.body))
        #expect(shown.contains(secret.url))
    }
}
