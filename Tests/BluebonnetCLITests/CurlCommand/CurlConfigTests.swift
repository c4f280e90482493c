// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Commands of curl whose options are in a file, and those that ask for what is newer than a moment.
@Suite(.timeLimit(.minutes(1))) struct CurlConfigTests {
    private static func run(
        _ arguments: [String],
        in folder: TemporaryFolder,
        input: String = "/dev/null"
    ) async throws -> RunningProgram.Result {
        let program = Program(directory: folder.path, preparation: "exec < '\(input)'")
        return try await program.run(["--offline", "curl"] + arguments)
    }

    static let config = #"""
        # a comment

        url = "localhost/a"
        header: "X-A: \"q\"\\"
        -H "X-B: 1" # the rest
          user-agent = me/1   # the rest
        data-urlencode "q=a b"
        get
        -sS
        """#

    @Test(arguments: [["-K", "curl.conf"], ["-Kcurl.conf"], ["--config", "-"], ["--config", "outer.conf"]])
    func `options are read from a file`(_ arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.add("curl.conf", Self.config + "\r\n")
        _ = try folder.add("outer.conf", "config = curl.conf\n")
        let result = try await Self.run(arguments, in: folder, input: path)
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output.hasPrefix("GET /a?q=a+b HTTP/1.1\r\n"), "\(result.output)")
        for field in [#"X-A: "q"\"#, "X-B: 1", "User-Agent: me/1"] {
            #expect(result.output.contains("\r\n\(field)\r\n"), "\(result.output)")
        }
    }

    @Test(arguments: [
        ("wild = 1", "--wild has no counterpart"), ("get = yes", "--get in “curl.conf” takes no value"),
        ("header", "--header lacks its value"), ("config = curl.conf", "name each other"),
        ("config = none.conf", "cannot read “none.conf”"),
    ])
    func `a line that cannot be read is explained`(_ line: String, _ explanation: String) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("curl.conf", line)
        let result = try await Self.run(["-K", "curl.conf", "localhost"], in: folder)
        #expect(result.ending == .exited(1), "\(result.output)")
        #expect(result.errors.contains(explanation), "\(result.errors)")
    }

    @Test(
        .bug(id: "F406"),
        arguments: [
            ("--data =foo", "=foo"), ("-d :x", ":x"), ("data = #x", "#x"), ("-d #x", "#x"), ("data =:x", "x"),
            ("data = =x", "x"), ("data : \"a\"", "a"), ("data = a #b", "a"), ("data=a#b", "a#b"),
            ("--data  \"=x\"", "=x"), ("-s # note\ndata = a", "a"), ("silent # note\ndata = a", "a"),
        ]
    )
    func `a value keeps what it begins with`(_ lines: String, _ body: String) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("curl.conf", lines)
        let result = try await Self.run(["-K", "curl.conf", "localhost"], in: folder)
        #expect(result.output.hasSuffix("\r\n\r\n" + body), "\(result.output) \(result.errors)")
    }

    @Test(.bug(id: "F406")) func `a user without a name is no part of an error`() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("curl.conf", "--user :pw")
        let result = try await Self.run(["-K", "curl.conf", "localhost"], in: folder)
        #expect(result.output.contains("\r\nAuthorization: Basic OnB3\r\n"), "\(result.output)")
        #expect(result.errors == "")
    }

    @Test(arguments: [
        ("2023-11-14 22:13:20", "If-Modified-Since: Tue, 14 Nov 2023 22:13:20 GMT"),
        ("20231114", "If-Modified-Since: Tue, 14 Nov 2023 00:00:00 GMT"),
        ("+2023-11-14T22:13:20Z", "If-Modified-Since: Tue, 14 Nov 2023 22:13:20 GMT"),
        ("-Tue, 14 Nov 2023 22:13:20 GMT", "If-Unmodified-Since: Tue, 14 Nov 2023 22:13:20 GMT"),
        ("f.txt", "If-Modified-Since: Tue, 14 Nov 2023 22:13:20 GMT"),
    ])
    func `what has changed since a moment is asked for`(_ moment: String, _ field: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write([], to: "f.txt", changed: 1_700_000_000)
        let result = try await Self.run(["-z", moment, "localhost"], in: folder)
        #expect(result.output.contains("\r\n\(field)\r\n"), "\(result.output) \(result.errors)")
    }

    @Test(arguments: ["soon", "2023-02-30", "2023-13-01", ""])
    func `a moment that is none is explained`(_ moment: String) async throws {
        let result = try await Self.run(["-z", moment, "localhost"], in: TemporaryFolder())
        #expect(result.ending == .exited(1), "\(result.output)")
        #expect(result.errors.contains("--time-cond takes a date"), "\(result.errors)")
    }
}
