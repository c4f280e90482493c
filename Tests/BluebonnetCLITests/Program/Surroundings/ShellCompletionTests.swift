// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What zsh and fish offer for the last word of a line, where they are installed.
@Suite(.timeLimit(.minutes(1))) struct ShellCompletionTests {
    /// A line behind the name of the program, and what is offered.
    struct Case: CustomTestStringConvertible, Sendable {
        var line: String
        var offers: [String]
        var lacks: [String] = []

        var testDescription: String { self.line }
    }

    static let cases = [
        Case(line: "", offers: ["curl", "demo", "serve", "help"], lacks: ["--form"]),
        Case(line: "--fo", offers: ["--form", "--follow", "--format-options"], lacks: ["--json"]),
        Case(line: "localhost --fo", offers: ["--form", "--follow"], lacks: ["--json"]),
        Case(line: "POST http://localhost a=1 --ca", offers: ["--cacert"]),
        Case(line: "localhost --pretty ", offers: ["all", "colors", "format", "none"], lacks: ["--form", "curl"]),
        Case(line: "--pretty=a", offers: ["--pretty=all"], lacks: ["--pretty=none"]),
        Case(line: "localhost -s ", offers: ["auto", "dark", "light", "mono"]),
        Case(line: "localhost --cacert pi", offers: ["picture.jpg"], lacks: ["root.pem"]),
        Case(line: "-o r", offers: ["root.pem"]), Case(line: "--raw ", offers: [], lacks: ["root.pem", "curl"]),
        Case(line: "localhost @pi", offers: ["@picture.jpg"]),
        Case(line: "localhost photo@pi", offers: ["photo@picture.jpg"], lacks: ["curl"]),
        Case(line: "localhost ", offers: [], lacks: ["curl", "serve"]),
        Case(line: "--as swift cu", offers: ["curl"]),
        Case(line: "--as swift curl --data-u", offers: ["--data-urlencode"], lacks: ["--form"]),
        Case(line: "curl --form", offers: ["--form-string"], lacks: ["--format-options"]),
        Case(line: "curl -d @r", offers: ["@root.pem"]), Case(line: "curl -K ro", offers: ["root.pem"]),
        Case(line: "serve --re", offers: ["--replay"], lacks: ["--resumable"]),
        Case(line: "serve --replay pi", offers: ["picture.jpg"]),
    ]

    private static let zsh = Self.path(of: "zsh")
    private static let fish = Self.path(of: "fish")

    private static func path(of shell: String) -> String? {
        ["/usr/bin/", "/bin/"].map { $0 + shell }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func folder(script name: String, for shell: String) async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in ["picture.jpg", "root.pem", "my file.txt"] { _ = try folder.add(name, "") }
        let functions = folder.path + "/functions"
        try FileManager.default.createDirectory(atPath: functions, withIntermediateDirectories: false)
        _ = try folder.add("functions/" + name, try await Program().run("--generate-completion-script", shell).output)
        return folder
    }

    @Test(.enabled(if: zsh != nil), .bug(id: "F149"), .bug(id: "F696"), arguments: cases)
    func `zsh completes every word`(_ example: Case) async throws {
        let folder = try await Self.folder(script: "_bluebonnet", for: "zsh")
        let harness = FixtureFile.url("complete.zsh").path(percentEncoded: false)
        let shell = Program(environment: ["HOME": folder.path], directory: folder.path, path: Self.zsh ?? "")
        let result = try await shell.run("-f", harness, "bluebonnet " + example.line)
        let offered = result.output.matches(of: /OFFER<(.*?)>/).map { String($0.output.1) }
        Self.check(example, offered)
        #expect(!result.output.contains("no matches found"), "\(result.output)")
    }

    /// Words with escapes and quotes, of which one may be open.
    static let quoted = ["'f@my", #"f@"my"#, "f@'my fi", #""f@my"#, #"f@my\ f"#].map { word in
        Case(line: "localhost \(word)", offers: ["f@my file.txt"])
    }

    @Test(.enabled(if: fish != nil), .bug(id: "F149"), .bug(id: "F697"), arguments: cases + quoted)
    func `fish completes every word`(_ example: Case) async throws {
        let folder = try await Self.folder(script: "bluebonnet.fish", for: "fish")
        let environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin", "LINE": example.line]
        let shell = Program(environment: environment, directory: folder.path, path: Self.fish ?? "")
        let harness = "source functions/bluebonnet.fish; complete -C \"bluebonnet $LINE\""
        let result = try await shell.run("--no-config", "-c", harness)
        #expect(result.errors.isEmpty, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        Self.check(example, lines.map { String($0.split(separator: "\t", maxSplits: 1)[0]) })
        // What an option is for stands beside it, apart from those of curl.
        let bare = lines.filter { $0.hasPrefix("--") && !$0.contains("\t") }
        #expect(bare.isEmpty || example.line.contains("curl"), "\(bare)")
    }

    private static func check(_ example: Case, _ offered: [String]) {
        for word in example.offers { #expect(offered.contains(word), "\(offered)") }
        for word in example.lacks { #expect(!offered.contains(word), "\(offered)") }
        if example.offers.isEmpty { #expect(offered.isEmpty, "\(offered)") }
    }
}
