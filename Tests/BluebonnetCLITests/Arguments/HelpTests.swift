// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetCLI

@Suite struct HelpTests {
    static let snapshots: [(arguments: [String], file: String)] = [
        (["--help"], "request.txt"), (["demo", "--help"], "demo.txt"), (["serve", "--help"], "serve.txt"),
    ]

    @Test(arguments: Self.snapshots)
    func `the help of every command is as reviewed`(_ arguments: [String], _ file: String) async throws {
        let test = TestConsole()
        #expect(await test.run(arguments) == .success)
        let expected = String(decoding: try FixtureFile.data("help/\(file)"), as: UTF8.self)
        #expect(test.output.text == expected)
        #expect(test.errors.text.isEmpty)
    }

    @Test(arguments: Self.snapshots.map(\.arguments))
    func `no line of the help is wider than 80 columns`(_ arguments: [String]) async {
        let test = TestConsole()
        _ = await test.run(arguments)
        let widest = test.output.text.split(separator: "\n").map(\.count).max() ?? 0
        #expect(widest <= 80)
    }

    @Test func `the version is one line`() async {
        let test = TestConsole()
        #expect(await test.run("--version") == .success)
        #expect(test.output.text == "\(CommandLineTool.version)\n")
    }

    @Test func `help is also a word`() async {
        let test = TestConsole()
        #expect(await test.run("help", "demo") == .success)
        #expect(test.output.text.contains("embedded server"))
    }

    @Test(
        .bug(id: "F529"),
        arguments: [("curl", "bluebonnet curl -X PUT"), ("frob", "“frob” is none of the commands “demo”")]
    )
    func `help about a word without its own says what there is`(_ word: String, _ text: String) async {
        let test = TestConsole()
        #expect(await test.run("help", word) == .usage)
        #expect(test.output.text.isEmpty)
        #expect(test.errors.text.contains(text), "\(test.errors.text)")
    }
}
