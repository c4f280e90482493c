// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport
import Dispatch
import Foundation
import Testing

/// Cookies between us, Python's `http.cookies` in aiohttp's server, and curl.
@Suite(.timeLimit(.minutes(1)))
struct CookieTests {
    private struct Echo: Decodable {
        var cookies: [String: String]
        var field: [String]
    }

    private static let expected = [
        "plain": "1", "quoted": "a \"b\"; c, d\\e", "umlaut": "bücher", "below": "2", "aged": "4", "dated": "5",
    ]

    /// Runs a server, and gives a session with a jar, and a folder for files.
    private func withJar(_ body: (HTTPSession, CookieJar, ExternalServer) async throws -> Void) async throws {
        try await ExternalServer.run(.cookies) { server in
            var engine = NIOTransport.Configuration()
            engine.proxy = .direct
            let jar = CookieJar()
            var configuration = Session.Configuration()
            configuration.cookies = jar
            let transport = NIOTransport(configuration: engine)
            let http = HTTPSession(baseURL: server.http, configuration: configuration, transport: transport)
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(http, jar, server)) } catch { outcome = .failure(error) }
            await transport.shutdown()
            try outcome.get()
        }
    }

    @Test func `the server reads the cookies that it has set`() async throws {
        try await self.withJar { http, jar, _ in
            _ = try await http.get("set")
            #expect(try await http.get("echo", as: Echo.self).cookies == Self.expected)
            _ = try await http.get("remove")
            var rest = Self.expected
            rest["plain"] = nil
            rest["hop"] = "9"
            // The redirect sets a cookie, which the next hop sends.
            let echo = try await http.get("away", as: Echo.self)
            #expect(echo.cookies == rest)
            #expect(echo.field.count == 1)
            #expect(Set(jar.cookies.map(\.name)) == Set(rest.keys).union(["elsewhere"]))
        }
    }

    @Test func `curl sends the cookies of our file`() async throws {
        try await self.withJar { http, jar, server in
            _ = try await http.get("set")
            let file = server.files.appending(path: "cookies.txt")
            try jar.exportCookies(to: file)
            let echo = try await Self.curl("--cookie", file.path(), server.http.appending(path: "echo").absoluteString)
            #expect(try JSONDecoder().decode(Echo.self, from: echo).cookies == Self.expected)
        }
    }

    @Test func `curl's file is read`() async throws {
        try await self.withJar { http, jar, server in
            let file = server.files.appending(path: "curl.txt")
            _ = try await Self.curl("--cookie-jar", file.path(), server.http.appending(path: "set").absoluteString)
            try jar.importCookies(from: file)
            #expect(try await http.get("echo", as: Echo.self).cookies == Self.expected)
            #expect(jar.cookies.first { $0.name == "aged" }?.isHTTPOnly == true)
            #expect(jar.cookies.first { $0.name == "plain" }?.expires == nil)
        }
    }

    /// Runs curl and gives what it prints.
    private static func curl(_ arguments: String...) async throws -> Data {
        let child = Process()
        child.executableURL = URL(filePath: "/usr/bin/env")
        child.arguments = ["curl", "--silent", "--show-error", "--noproxy", "*", "--max-time", "20"] + arguments
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                let data = (try? output.fileHandleForReading.readToEnd()) ?? Data()
                child.waitUntilExit()
                if child.terminationStatus == 0 {
                    continuation.resume(returning: data)
                } else {
                    continuation.resume(
                        throwing: ExternalServer.NotStarted(description: "curl: \(child.terminationStatus)")
                    )
                }
            }
        }
    }
}
