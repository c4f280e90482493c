// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import Testing

/// What the real program takes from its name and from a configuration file.
@Suite(.timeLimit(.minutes(1))) struct ConfigurationTests {
    @Test func `the default options of the file stand before those of the command line`() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("config.json", #"{"default_options": ["--form", "--offline", "--print=B"]}"#)
        let program = Program(environment: ["BLUEBONNET_CONFIG_DIR": folder.path])
        #expect(try await program.run("localhost", "a=1").output == "a=1")
        #expect(try await program.run("localhost", "a=1", "--json").output == #"{"a":"1"}"#)
        #expect(try await program.run("--help").ending == .exited(0))
    }

    @Test(arguments: [
        ("{", "is not valid JSON at line 1"), ("[]", "no JSON object"), (#"{"default_options": 1}"#, "is no array"),
        (#"{"default_options": ["--wild"]}"#, "“--wild” is not an option"),
        (#"{"default_options": ["--style", "dark", "x"]}"#, "“x” is not an option"),
        (#"{"default_options": ["--form=yes"]}"#, "--form takes no value"),
        (#"{"default_options": ["--raw"]}"#, "--raw has no value"),
        (#"{"default_options": ["--timeout=soon"]}"#, "cannot be used: "),
        (#"{"default_options": ["--style=wild"]}"#, "wild"),
        (#"{"default_options": [], "default_options": []}"#, "has the key “default_options” twice"),
    ])
    func `a file that cannot be used is an error that names it`(_ text: String, _ explanation: String) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.add("config.json", text)
        let result = try await Program(environment: ["BLUEBONNET_CONFIG_DIR": folder.path]).run(
            "--offline",
            "localhost"
        )
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains(explanation), "\(result.errors)")
        #expect(result.errors.contains(path))
    }

    @Test(
        .bug(id: "F318"),
        arguments: [
            ("--max-redirects=3", []), ("--check-status", ["--offline"]), ("--all", []), ("--explain", ["--offline"]),
        ] as [(String, [String])]
    )
    func `a default option that contradicts others is named with its file`(
        _ option: String,
        _ words: [String]
    ) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.add("config.json", #"{"default_options": ["\#(option)"]}"#)
        let program = Program(environment: ["BLUEBONNET_CONFIG_DIR": folder.path])
        let result = try await program.run(words + ["localhost:1"])
        let name = String(option.split(separator: "=")[0].dropFirst(2))
        #expect(result.ending == .exited(1))
        let end = "the default options in “\(path)” hold --\(name) (--no-\(name) takes it back)\n"
        #expect(result.errors.hasSuffix(end), "\(result.errors)")
        let other = try await program.run(["--no-\(name)", "--offline", "localhost:1"])
        #expect(other.ending == .exited(0), "\(other.errors)")
        let typed = try await program.run(words + [option, "localhost:1"])
        #expect(typed.ending == .exited(1))
        #expect(!typed.errors.contains(path), "\(typed.errors)")
    }

    @Test func `a name that ends with an s means https, and an option says otherwise`() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/bluebonnets",
            withDestinationPath: Program.path
        )
        let program = Program(path: folder.path + "/bluebonnets")
        let words = ["--as", "curl", "localhost/x"]
        #expect(try await program.run(words).output.contains("https://localhost/x"))
        #expect(try await program.run(["--default-scheme=http"] + words).output.contains("http://localhost/x"))
        #expect(try await Program().run(["--default-scheme=https"] + words).output.contains("https://localhost/x"))
    }

    @Test func `quiet prints errors and warnings, and twice errors alone`() async throws {
        try await TestServer.withServer { server in
            for (options, hasWarning) in [("-q", true), ("-qq", false)] {
                let result = try await Program().run(options, "--check-status", server.url + "/status/404")
                #expect(result.ending == .exited(4))
                #expect(result.output == "")
                #expect(result.errors.contains("HTTP 404") == hasWarning, "\(result.errors)")
            }
            let failed = try await Program().run("-qq", "http://127.0.0.1:1")
            #expect(failed.errors.contains("error: "))
            let folder = try TemporaryFolder()
            let saved = try await Program(directory: folder.path).run("-q", "-do", "f", server.url + "/bytes/10")
            #expect(saved.errors == "")
            #expect(folder.names == ["f"])
        }
    }

    @Test func `debug tells the events without queries and values`() async throws {
        try await TestServer.withServer { server in
            let result = try await Program().run("--debug", server.url + "/echo?q=secret", "X-Key:secret")
            for part in ["connecting to 127.0.0.1", "status 200", "the call ends"] {
                #expect(result.errors.contains(part), "\(result.errors)")
            }
            #expect(!result.errors.contains("secret"))
        }
    }
}
