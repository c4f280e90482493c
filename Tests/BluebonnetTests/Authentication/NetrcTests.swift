// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite struct NetrcTests {
    @Test(arguments: [
        ("machine h login ada password s3cret", "h", Credential.password("ada", "s3cret")),
        ("machine h\n  login ada\n  password s3cret\n", "H", .password("ada", "s3cret")),
        ("# machine h login no\nmachine h login ada password \"a \\\"b\\\"\"", "h", .password("ada", "a \"b\"")),
        ("machine h login ada account x password #1", "h", .password("ada", "#1")),
        ("machine h login ada", "h", .password("ada", "")), ("machine h password x", "h", nil),
        ("machine h login a password b machine h login c password d", "h", .password("a", "b")),
        ("default login ada password s3cret", "h", nil),
        ("machine x login a password b default login c password d", "h", nil),
        ("macdef m\nmachine h login no\n\nmachine h login ada password p", "h", .password("ada", "p")),
        ("machine example.com login a password b", "www.example.com", nil),
        ("machine example.com login a password b", "example.com.", nil),
        ("machine example.com login a password b", "example.com:x@evil.com", nil),
        ("machine ex\u{E9} login a password b", "exe\u{301}", nil), ("", "h", nil),
    ])
    func `an entry is for its host alone`(_ text: String, _ host: String, _ credential: Credential?) throws {
        #expect(try Netrc(parsing: Array(text.utf8))[host] == credential)
    }

    @Test(arguments: ["machine", "machine h login", "machine h login \"a", "hello", "machine h hello"])
    func `what cannot be understood is an error`(_ text: String) {
        let error = #expect(throws: SessionError.self) { try Netrc(parsing: Array(text.utf8)) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func `bytes that are not UTF-8 are an error`() {
        #expect(throws: SessionError.self) { try Netrc(parsing: Array("machine ".utf8) + [0xFF]) }
    }

    @Test(arguments: [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o660, false)])
    func `a file that others may read is refused`(_ mode: Int, _ isRead: Bool) throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("netrc")
        try Data("machine h login ada password s3cret".utf8).write(to: file)
        try FileManager.default.setAttributes(
            [.posixPermissions: mode],
            ofItemAtPath: file.path(percentEncoded: false)
        )
        let netrc = try? Netrc(contentsOf: file)
        #expect((netrc?["h"] != nil) == isRead)
        #expect(throws: SessionError.self) { try Netrc(contentsOf: directory.file("missing")) }
        #expect(throws: SessionError.self) { try Netrc(contentsOf: directory.url) }
    }

    /// CVE-2024-47081: the host of the request decides, and nothing else in the URL.
    @Test(arguments: ["http://h:x@evil/", "http://h@evil/", "http://evil/h", "http://evil:80/?@h", "http://evil/#@h"])
    func `user information that looks like a host of the file gets nothing of it`(_ url: String) async throws {
        let transport = AuthenticationStageTests.guarded("Basic realm=\"r\"") { _ in false }
        let netrc = try Netrc(parsing: Array("machine h login ada password s3cret".utf8))
        let session = AuthenticationStageTests.session(transport, .netrc(netrc))
        _ = try await session.response(for: AuthenticationStageTests.request(url))
        for request in transport.requests {
            #expect(request.headers[.authorization] != AuthenticationStageTests.basicField)
        }
        _ = try await session.response(for: AuthenticationStageTests.request("http://h/"))
        #expect(transport.requests.last?.headers[.authorization] == AuthenticationStageTests.basicField)
    }
}
