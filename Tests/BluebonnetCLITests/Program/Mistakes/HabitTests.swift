// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What people are used to from HTTPie and curl, in what the real program would send.
@Suite(.timeLimit(.minutes(1))) struct HabitTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var arguments: [String]
        var contains: [String] = []
        var lacks: [String] = []

        var testDescription: String { self.arguments.joined(separator: " ") }
    }

    static let cases = [
        Case(arguments: ["localhost", "X-Foo: bar "], contains: ["\r\nX-Foo: bar\r\n"]),
        Case(arguments: ["localhost", "X-Foo:\tbar"], contains: ["\r\nX-Foo: bar\r\n"]),
        Case(arguments: ["localhost", "X-Foo: "], lacks: ["X-Foo"]),
        Case(arguments: ["localhost", "X-Foo:bar", "X-Foo:"], lacks: ["X-Foo"]),
        Case(arguments: ["localhost", "X-Foo:", "X-Foo:bar"], contains: ["X-Foo: bar"]),
        Case(arguments: ["localhost", "X-Foo:a", "X-Foo:b"], contains: ["X-Foo: a\r\nX-Foo: b"]),
        Case(arguments: ["--raw=", "localhost"], contains: ["POST / HTTP/1.1", "Content-Length: 0"]),
        Case(arguments: ["--raw", "", "localhost"], contains: ["POST / HTTP/1.1"]),
        Case(
            arguments: ["--auth=", "--raw=x", "localhost", "--no-auth"],
            contains: ["\r\n\r\nx"],
            lacks: ["Authorization"]
        ),
        Case(arguments: ["-f", "localhost", "a=1", "--json"], contains: ["{\"a\":\"1\"}"]),
        Case(arguments: ["-f", "localhost", "a=1", "--no-form"], contains: ["{\"a\":\"1\"}"]),
        Case(arguments: ["localhost", "=x"], contains: ["{\"\":\"x\"}"]),
        Case(arguments: ["--form", "localhost", "=x"], contains: ["\r\n\r\n=x"]),
        Case(arguments: ["localhost", "==x"], contains: ["GET /?=x HTTP/1.1"]),
        Case(arguments: ["localhost", "[]=a", "[]:=1"], contains: ["[\"a\",1]"]),
        Case(arguments: ["localhost/a b?c d"], contains: ["GET /a%20b?c%20d HTTP/1.1"]),
        Case(arguments: ["  localhost/x  "], contains: ["GET /x HTTP/1.1"]),
        Case(arguments: ["GET", "localhost/a b", "q==c d"], contains: ["GET /a%20b?q=c%20d HTTP/1.1"]),
        // A separator is one, whatever joins it.
        Case(arguments: ["localhost", "q==\u{301}"], contains: ["GET /?q=%CC%81 HTTP/1.1"]),
        Case(arguments: ["localhost", "a=\u{200D}=@/etc/hostname"], contains: ["{\"a\":\"\u{200D}=@/etc/hostname\"}"]),
        Case(arguments: ["user:pw@localhost/\u{301}@evil.example/"], contains: ["Host: localhost\r\n"]),
    ]

    @Test(arguments: Self.cases) func `the request is what the words say`(_ one: Case) async throws {
        let result = try await Program().run(["--offline"] + one.arguments)
        #expect(result.ending == .exited(0), "\(result.errors)")
        for part in one.contains {
            #expect(Self.contains(result.output, part), "\(result.output)")
        }
        for part in one.lacks {
            #expect(!Self.contains(result.output, part), "\(result.output)")
        }
    }

    /// Whether a text contains the bytes of another one.
    private static func contains(_ text: String, _ part: String) -> Bool {
        text.unicodeScalars.contains(part.unicodeScalars)
    }

    @Test(arguments: [(["localhost", "a[-1]=x"], "is negative"), (["-k", "https://localhost"], "--cacert FILE")])
    func `what cannot be done is explained`(_ arguments: [String], _ explanation: String) async throws {
        let result = try await Program().run(["--offline"] + arguments)
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains(explanation), "\(result.errors)")
        #expect(result.output == "")
    }
}
