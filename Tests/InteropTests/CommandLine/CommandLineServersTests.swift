// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The command line client against servers that nobody here wrote: what it shows of a request is what the server got.
@Suite(.timeLimit(.minutes(1)))
struct CommandLineServersTests {
    /// The head of a request, as `--verbose` shows it.
    struct Head {
        var line: String
        /// By name in lower case.
        var fields: [String: String] = [:]
        /// The bytes with the empty line.
        var byteCount: Int

        /// Reads the first head of an output.
        init(shownIn output: String) throws {
            let end = try #require(output.range(of: "\r\n\r\n"))
            self.byteCount = output[..<end.upperBound].utf8.count
            let lines = output[..<end.lowerBound].components(separatedBy: "\r\n")
            self.line = lines[0]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                self.fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// A request: the words before its URL, and those after it.
    struct Command: CustomTestStringConvertible, Sendable {
        var before: [String] = []
        var after: [String] = []

        func words(_ url: String) -> [String] { ["--verbose"] + self.before + [url] + self.after }
        var testDescription: String { self.words("URL").joined(separator: " ") }
    }

    static let commands = [
        Command(),
        Command(after: ["X-Word:one  two", "Accept:text/plain", "q==a b"]),
        Command(before: ["-a", "ada:s3cret"], after: ["Cookie:a=1; b=2", "User-Agent:me/1 (x; y)"]),
        Command(before: ["DELETE"], after: ["Accept-Encoding:", "X-Word;"]),
        Command(before: ["PUT"], after: ["a=1", "X-Word:\u{E9}\u{4E00}"]),
        Command(before: ["--form"], after: ["a=1", "b=c d"]),
    ]

    @Test(arguments: Self.commands)
    func `verbose shows the head that nginx has logged`(_ command: Command) async throws {
        try await ExternalServer.run(.nginx) { server in
            let url = server.http.appending(path: "heads").absoluteString
            let result = try await CommandLineClient.run(command.words(url))
            #expect(result.status == 0, "\(result.errors)")
            let (shown, logged) = try await (Head(shownIn: result.output), Self.log(of: server))
            #expect(shown.line == logged["request"])
            Self.compare(shown, logged)
            // Every byte of the head is accounted for; nginx does not count the body, which it passes over.
            #expect(logged["size"] == "\(shown.byteCount)", "\(result.output)")
        }
    }

    @Test(arguments: Self.commands)
    func `verbose shows the head that nginx has logged over TLS and HTTP 2`(_ command: Command) async throws {
        try await ExternalServer.run(.nginx) { server in
            let url = try #require(server.https2).appending(path: "heads").absoluteString
            let root = try #require(server.root)
            let result = try await CommandLineClient.run(["--cacert", root] + command.words(url))
            #expect(result.status == 0, "\(result.errors)")
            let (shown, logged) = try await (Head(shownIn: result.output), Self.log(of: server))
            #expect(shown.line.hasSuffix(" HTTP/2"), "\(shown.line)")
            #expect(shown.line + ".0" == logged["request"])
            Self.compare(shown, logged)
        }
    }

    @Test(arguments: Self.commands)
    func `verbose shows the head that httpbin gives back`(_ command: Command) async throws {
        try await ExternalServer.run(.httpbin) { server in
            let url = server.http.appending(path: "anything").absoluteString
            let result = try await CommandLineClient.run(command.words(url))
            #expect(result.status == 0, "\(result.errors)")
            let shown = try Head(shownIn: result.output)
            let body = try #require(result.output.range(of: "\r\n\r\n", options: .backwards))
            let echo = try JSONDecoder().decode(Echo.self, from: Data(result.output[body.upperBound...].utf8))
            #expect(shown.line.hasPrefix(echo.method + " "))
            var fields = shown.fields
            // Its server hands bytes on as Latin-1, and leaves out an empty Content-Length of its own.
            fields["x-word"] = fields["x-word"].map { String($0.utf8.map { Character(UnicodeScalar($0)) }) }
            var echoed = Dictionary(uniqueKeysWithValues: echo.headers.map { ($0.key.lowercased(), $0.value) })
            if fields["content-length"] == nil { echoed["content-length"] = nil }
            #expect(echoed == fields)
        }
    }

    @Test(arguments: [
        ["--cert", "client.pem", "--cert-key", "client.key"],
        ["--cert", "client.pem", "--cert-key", "encrypted.key", "--cert-key-pass", "secret"],
        ["--cert", "client.pem:secret", "--key", "encrypted.key"],
        ["--cert", "client.p12", "--cert-key-pass", "secret"], ["--cert", "client.p12:secret"],
    ])
    func `a client certificate is shown in every form`(_ options: [String]) async throws {
        try await ExternalServer.run(.mutual) { server in
            let words = Self.paths(options, of: server)
            let url = try #require(server.https).appending(path: "x").absoluteString
            let root = try #require(server.root)
            let result = try await CommandLineClient.run(["--cacert", root, "--headers"] + words + [url])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("X-Client: CN=a client"), "\(result.output)")
        }
    }

    @Test(arguments: [
        ["--cert", "client.pem"], ["--cert", "client.pem", "--cert-key", "encrypted.key"],
        ["--cert", "client.pem", "--cert-key", "encrypted.key", "--cert-key-pass", "wrong"],
        ["--cert", "client.p12:wrong"],
    ])
    func `a client certificate that cannot be used is a mistake, and its file is named`(
        _ options: [String]
    ) async throws {
        try await ExternalServer.run(.mutual) { server in
            let words = Self.paths(options, of: server)
            let url = try #require(server.https).absoluteString
            let result = try await CommandLineClient.run(words + [url])
            #expect(result.status == 1)
            let name = options.last { $0.hasPrefix("client.") || $0.hasPrefix("encrypted.") } ?? ""
            #expect(result.errors.contains(name.prefix { $0 != ":" } + "”"), "\(result.errors)")
            #expect(result.errors.contains("--cert-key"), "\(result.errors)")
        }
    }

    private struct Echo: Decodable {
        var method: String
        var headers: [String: String]
    }

    /// The files of the server's folder by their paths.
    private static func paths(_ words: [String], of server: ExternalServer) -> [String] {
        let folder = server.files.deletingLastPathComponent().path(percentEncoded: false)
        return words.map { $0.hasPrefix("client.") || $0.hasPrefix("encrypted.") ? "\(folder)/\($0)" : $0 }
    }

    /// What nginx has logged of the one request; it does so a moment after its response.
    private static func log(of server: ExternalServer) async throws -> [String: String] {
        let file = server.files.deletingLastPathComponent().appending(path: "heads.log")
        while true {
            if let line = try? Data(contentsOf: file), line.last == UInt8(ascii: "\n") {
                return try JSONDecoder().decode([String: String].self, from: line)
            }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// nginx logs an empty text for a field that is not there.
    private static func compare(_ shown: Head, _ logged: [String: String]) {
        var logged = logged
        (logged["request"], logged["size"]) = (nil, nil)
        #expect(Set(shown.fields.keys).isSubset(of: logged.keys), "\(shown.fields)")
        for (name, value) in logged { #expect(shown.fields[name] ?? "" == value, "\(name)") }
    }
}
