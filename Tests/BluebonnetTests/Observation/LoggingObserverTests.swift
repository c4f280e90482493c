// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Logging
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct LoggingObserverTests {
    private typealias Record = RecordingLogHandler.Record

    private let records = Recorder<Record>()

    private func session(
        _ style: LoggingObserver.Style = .line,
        showing visibility: LogVisibility = LogVisibility(),
        level: Logger.Level = .debug,
        loggerLevel: Logger.Level = .trace,
        _ answer: @escaping StubTransport.Answer = { _ in .plain("body") }
    ) -> Session {
        var configuration = Session.Configuration()
        configuration.observers = [
            .logging(self.records.logger(level: loggerLevel), style: style, level: level, showing: visibility)
        ]
        return Session(configuration: configuration, transport: StubTransport(answer))
    }

    private static func request() throws -> Request {
        var request = Request(
            method: .post,
            url: try Peer.url("http://ada:pass@h:81/users?token=t0ken&page=2#part"),
            body: .data(Data("name=Ada".utf8))
        )
        request.headers[.accept] = "text/plain"
        request.headers[.authorization] = "Bearer s3cret"
        return request
    }

    @Test func `the observer without a logger of the program writes what its logger shows`() {
        var configuration = Session.Configuration()
        configuration.observers = [.logging]
        let observer = configuration.observers.first as? LoggingObserver
        #expect(observer?.logger.label == "bluebonnet")
        #expect(observer?.level == .info)
        // The level that swift-log gives to a logger of which nothing is configured.
        #expect(Logger(label: "any", factory: { StreamLogHandler.standardError(label: $0) }).logLevel == .info)
    }

    // MARK: Styles

    @Test(
        arguments: [
            (.line, ["HTTP call ended"]),
            (.headers, ["HTTP request", "HTTP response", "HTTP call ended"]),
            (.cURL, ["HTTP request as a command", "HTTP call ended"]),
        ] as [(LoggingObserver.Style, [String])]
    )
    func `a style writes its records, each with the number of the call`(
        _ style: LoggingObserver.Style,
        _ messages: [String]
    ) async throws {
        _ = try await self.session(style).response(for: Self.request())
        #expect(self.records.elements.map(\.message) == messages)
        #expect(self.records.elements.allSatisfy { $0.level == .debug })
        let ids = Set(self.records.elements.map { $0["call-id"] })
        #expect(ids.count == 1 && ids.first??.hasPrefix("#") == true)
    }

    @Test func `the record of a call says what happened`() async throws {
        _ = try await self.session().response(for: Self.request())
        let record = try #require(self.records.elements.first)
        let expected = [
            "method": "POST", "url": "http://h:81/users", "status": "200", "response-bytes": "4", "attempt": "1",
            "hop": "1",
        ]
        for (key, value) in expected { #expect(record[key] == value, "\(key)") }
        #expect(record["duration"]?.hasSuffix(" seconds") == true)
        #expect(record["error"] == nil)
    }

    @Test func `a failed call gives one record, which names the error`() async throws {
        let session = self.session(.headers) { _ in
            throw TransportError(.connectFailed, phase: .connect, reason: "refused")
        }
        _ = try? await session.response(for: Self.request())
        #expect(self.records.elements.map(\.message) == ["HTTP request", "HTTP call failed"])
        let record = try #require(self.records.elements.last)
        #expect(record["error"] == "connectFailed")
        #expect(record["phase"] == "connect")
        #expect(record["reason"] == "refused")
        #expect(record["status"] == nil)
    }

    @Test func `a response that is dropped gives a record of a cancelled call`() async throws {
        let session = self.session { _ in
            TransportResponse(status: .ok, body: ResponseBody(source: ScriptedBody([.hang]), expectedLength: nil))
        }
        _ = try await session.send(Self.request())
        #expect(self.records.elements.map(\.message) == ["HTTP call cancelled"])
        #expect(self.records.elements.first?["status"] == "200")
    }

    @Test(arguments: [10, 100_000])
    func `a download that is refused gives a record of a failed call`(_ byteCount: Int) async throws {
        let directory = try TemporaryDirectory()
        let session = self.session { _ in
            let body = ScriptedBody([.bytes(byteCount), .bytes(1)])
            return TransportResponse(status: .notFound, body: ResponseBody(source: body, expectedLength: nil))
        }
        _ = try? await session.download(Self.request(), to: directory.file("a"))
        #expect(self.records.elements.map(\.message) == ["HTTP call failed"])
        #expect(self.records.elements.first?["error"] == "unacceptableStatus")
    }

    @Test func `a response over the limit gives a record of a failed call`() async throws {
        var configuration = Session.Configuration()
        configuration.observers = [.logging(self.records.logger())]
        configuration.limits.responseByteCount = 10
        let transport = StubTransport { _ in
            let body = ScriptedBody([.bytes(8), .bytes(8), .bytes(8)])
            return TransportResponse(status: .ok, body: ResponseBody(source: body, expectedLength: nil))
        }
        let session = Session(configuration: configuration, transport: transport)
        _ = try? await session.response(for: Self.request())
        #expect(self.records.elements.map { $0["error"] } == ["responseTooLarge"])
    }

    @Test func `nothing is recorded, or kept, below the level of the logger`() async throws {
        _ = try await self.session(.cURL, loggerLevel: .info).response(for: Self.request())
        #expect(self.records.elements.isEmpty)
        _ = try await self.session(.cURL, level: .notice, loggerLevel: .info).response(for: Self.request())
        #expect(self.records.elements.map(\.level) == [.notice, .notice])
    }

    // MARK: Redaction

    @Test(arguments: LoggingObserver.Style.allCases)
    func `no secret of a request or a response is written`(_ style: LoggingObserver.Style) async throws {
        var request = try Self.request()
        request.headers[.cookie] = "c00kie"
        request.headers[.proxyAuthorization] = "Basic pr0xy"
        request.headers[try #require(HTTPField.Name("X-Unknown"))] = "unkn0wn"
        let headers: HTTPFields = [.setCookie: "id=c00kie", .location: "/l0cation", .contentType: "text/plain"]
        _ = try await self.session(style) { _ in .plain("b0dy", headers: headers) }.response(for: request)
        let text = self.records.elements.map(\.text).joined(separator: "\n")
        for secret in [
            "ada", "pass", "t0ken", "page", "part", "s3cret", "c00kie", "pr0xy", "unkn0wn", "l0cation", "b0dy", "Ada",
        ] {
            #expect(!text.contains(secret), "\(secret)")
        }
        #expect(text.contains("http://h:81/users"))
        if style != .line { #expect(text.contains("X-Unknown: REDACTED") && text.contains("Accept: text/plain")) }
    }

    @Test func `what is secret by its name stays hidden where everything is shown`() async throws {
        let all = LogVisibility(headers: [.authorization, .contentType], showsQuery: true, showsBodies: true)
        var request = try Self.request()
        request.headers[.contentType] = "application/x-www-form-urlencoded"
        request.body = .data(Data("name=Ada&password=hunter2".utf8))
        _ = try await self.session(.cURL, showing: all).response(for: request)
        let command = try #require(self.records.elements.first?["command"])
        #expect(command.contains("page=2") && command.contains("name=Ada"))
        for secret in ["t0ken", "s3cret", "hunter2", "ada:", "pass@"] {
            #expect(!command.contains(secret), "\(secret)")
        }
    }

    @Test(.bug(id: "F204"), arguments: ["http:/ada:pass@h/?a=1", "http:ada:pass@h", "ftp://ada:pass@h/", "ada:pass@h"])
    func `a URL that cannot be used is not written, whatever is shown`(_ text: String) throws {
        let visibility = LogVisibility(showsQuery: true, showsBodies: true)
        let logged = LoggedRequest(request: Request(url: try Peer.url(text)), visibility: visibility)
        #expect(logged.url == "(unusable URL)")
        #expect(!logged.command.contains("pass"))
    }

    @Test(
        arguments: [
            ("no body", RequestBody.none, false, "curl http://h/a"),
            ("a hidden body", .data(Data("x".utf8)), false, "curl http://h/a --data-binary @-"),
            ("a shown body", .data(Data("x".utf8)), true, "curl http://h/a --data-raw x"),
            ("a body of two lines", .data(Data("x\ny".utf8)), true, "curl http://h/a --data-binary @-"),
            (
                "a large body", .data(Data(repeating: 0x78, count: 17 * 1024)), true,
                "curl http://h/a --data-binary @-"
            ),
        ] as [(String, RequestBody, Bool, String)]
    )
    func `a command is one line`(_ name: String, _ body: RequestBody, _ isShown: Bool, _ expected: String) throws {
        var request = Request(method: .post, url: try Peer.url("http://h/a"), body: body)
        if case .none = body { request.method = .get }
        let logged = LoggedRequest(request: request, visibility: LogVisibility(showsBodies: isShown))
        let command = logged.command.replacing(" -H Content-Type:", with: "")
        #expect(command == expected)
    }

    @Test func `a shell reads the command of a record as it is`() async throws {
        var request = Request(method: .put, url: try Peer.url("http://h/it's%20here"))
        request.headers[.userAgent] = "it's \"$HOME\" `id` \\"
        _ = try await self.session(.cURL).response(for: request)
        let command = try #require(self.records.elements.first?["command"])
        let words = try Self.words(of: command)
        #expect(words.first == "curl")
        #expect(words.contains("http://h/it's%20here"))
        #expect(words.contains("User-Agent: it's \"$HOME\" `id` \\"))
    }

    @Test(
        .bug(id: "F329"),
        arguments: ["\u{61C}", "\u{200E}", "\u{200F}", "\u{202E}", "\u{2069}", "\u{2028}", "\u{2029}"]
    )
    func `text that changes direction is sent by the command as it was`(_ mark: String) throws {
        let text = "a\(mark)b"
        let all = LogVisibility(headers: [.userAgent], showsBodies: true)
        var request = Request(method: .post, url: try Peer.url("http://h/"), headers: [.userAgent: text])
        request.body = .file(URL(filePath: "/tmp/\(text)"))
        let words = try Self.words(of: LoggedRequest(request: request, visibility: all).command)
        #expect(words.last?.utf8.elementsEqual("@/tmp/\(text)".utf8) == true)
        #expect(words.contains { $0.utf8.elementsEqual("User-Agent: \(text)".utf8) })
        request.body = .data(Data(text.utf8))
        let command = LoggedRequest(request: request, visibility: all).command
        #expect(!command.contains("u{"))
        let pipe = try #require(command.unicodeScalars.firstRange(of: " | ".unicodeScalars))
        // The words of `printf` are its own output here.
        let sent = try Self.words(of: "\"$(\(command[..<pipe.lowerBound]))\"")
        #expect(sent.first?.utf8.elementsEqual(text.utf8) == true)
    }

    /// The words that a shell makes of a command.
    private static func words(of command: String) throws -> [String] {
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", "set -- \(command)\nprintf '%s\\n' \"$@\""]
        let output = Pipe()
        shell.standardOutput = output
        try shell.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(.bug(id: "F202"), arguments: ["\u{61C}", "\u{200E}", "\u{200F}"])
    func `marks that change the direction of text are escaped`(_ mark: String) throws {
        let scalar = try #require(mark.unicodeScalars.first)
        #expect(LogText.line("a\(mark)b") == "a\\u{\(String(scalar.value, radix: 16))}b")
    }

    @Test(.bug(id: "F201")) func `a field that is shown and holds a URL loses the secrets in it`() async throws {
        let all = LogVisibility(headers: [.location, .referer])
        var request = try Self.request()
        request.headers[.referer] = "https://ada:pass@h/?token=t0ken&page=2"
        let headers: HTTPFields = [.location: "/next?code=c0de&state=1&page=3"]
        _ = try await self.session(.headers, showing: all) { _ in .plain("", status: 201, headers: headers) }
            .response(for: request)
        let text = self.records.elements.map(\.text).joined(separator: "\n")
        #expect(text.contains("Referer: https://REDACTED@h/?token=REDACTED&page=2"))
        #expect(text.contains("Location: /next?code=REDACTED&state=1&page=3"))
        for secret in ["pass", "t0ken", "c0de"] { #expect(!text.contains(secret), "\(secret)") }
    }

    @Test(arguments: [
        ("plain", "plain"), ("tab\tstays", "tab\tstays"), ("a\r\nb", "a\\u{d}\\u{a}b"), ("\u{1B}[31m", "\\u{1b}[31m"),
        ("\u{85}\u{2028}\u{2029}", "\\u{85}\\u{2028}\\u{2029}"), ("\u{202E}gpj", "\\u{202e}gpj"), ("é 花 🌼", "é 花 🌼"),
    ])
    func `control characters of a text are escaped`(_ text: String, _ line: String) {
        #expect(LogText.line(text) == line)
    }

    @Test func `an error whose text has line breaks stays on its line`() async throws {
        struct Hostile: Interceptor {
            func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
                throw SessionError(.interceptorFailed, reason: "a\r\n2026-01-01 error : forged")
            }
        }
        var configuration = Session.Configuration()
        configuration.interceptors = [Hostile()]
        configuration.observers = [.logging(self.records.logger())]
        let session = Session(configuration: configuration, transport: StubTransport())
        _ = try? await session.response(for: Self.request())
        #expect(self.records.elements.first?["reason"] == "a\\u{d}\\u{a}2026-01-01 error : forged")
    }
}
