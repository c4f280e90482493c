// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What bash offers for a word of a command line.
@Suite(.timeLimit(.minutes(1))) struct CompletionTests {
    /// Words as bash breaks them, of which the last one is completed.
    struct Case: CustomTestStringConvertible, Sendable {
        var words: [String]
        var offers: [String]
        var lacks: [String] = []

        var testDescription: String { self.words.joined(separator: " ") }
    }

    static let cases = [
        Case(words: [""], offers: ["curl", "demo", "serve", "help", "picture.jpg"], lacks: ["--form"]),
        Case(words: ["--fo"], offers: ["--form", "--follow", "--format-options"], lacks: ["--json"]),
        Case(words: ["localhost", "--fo"], offers: ["--form", "--follow"], lacks: ["--json"]),
        // A whole option that others begin with.
        Case(words: ["--auth"], offers: ["--auth", "--auth-type"], lacks: ["basic", "--json"]),
        Case(words: ["localhost", "--session"], offers: ["--session", "--session-read-only"]),
        Case(words: ["--form"], offers: ["--form", "--format-options"], lacks: ["--json"]),
        Case(words: ["POST", "http", ":", "//localhost", "a", "=", "1", "--ca"], offers: ["--cacert"]),
        Case(words: ["localhost", "--pretty", ""], offers: ["all", "none"], lacks: ["--form", "picture.jpg"]),
        Case(words: ["--pretty", "=", "a"], offers: ["all"], lacks: ["none"]),
        Case(words: ["localhost", "--cacert", "pi"], offers: ["picture.jpg"], lacks: ["root.pem"]),
        Case(words: ["--cacert", "=", ""], offers: ["picture.jpg", "root.pem"], lacks: ["--form", "curl"]),
        Case(words: ["-o", "r"], offers: ["root.pem"]), Case(words: ["--raw", ""], offers: [], lacks: ["root.pem"]),
        Case(words: ["localhost", "@pi"], offers: ["@picture.jpg"]),
        Case(words: ["localhost", "photo@pi"], offers: ["photo@picture.jpg"]),
        Case(words: ["localhost", "photo", "@", "pi"], offers: ["picture.jpg"], lacks: ["curl"]),
        Case(words: ["--form", "localhost", "name", "=@", "r"], offers: ["root.pem"]),
        Case(words: ["--as", "swift", "cu"], offers: ["curl"]),
        Case(words: ["--as", "=", "swift", "curl", "--data-u"], offers: ["--data-urlencode"], lacks: ["--form"]),
        // Values with a colon, at which readline breaks a word.
        Case(words: ["--proxy", "http", ":", "//p", ":", "1", "curl", "--data-u"], offers: ["--data-urlencode"]),
        Case(words: ["--proxy", "=", "http", ":", "//p", "curl", "--data-u"], offers: ["--data-urlencode"]),
        Case(words: ["-a", "user", ":", "pw", "curl", "--data-u"], offers: ["--data-urlencode"]),
        Case(words: ["-a", "user", ":", "pw", "serve", "--re"], offers: ["--replay"], lacks: ["--resumable"]),
        Case(words: ["curl", "-d", "@r"], offers: ["@root.pem"]),
        Case(words: ["serve", "--re"], offers: ["--replay"], lacks: ["--resumable"]),
        Case(words: ["serve", "--replay", "pi"], offers: ["picture.jpg"]),
        Case(words: ["serve", "--folder", ""], offers: ["folder"], lacks: ["root.pem"]),
    ]

    private static let harness = """
        source ./script
        COMP_WORDS=(bluebonnet "$@") COMP_CWORD=$# COMP_LINE="bluebonnet $*"
        COMP_POINT=${#COMP_LINE}
        function=$(complete -p bluebonnet); function=${function#*-F }; function=${function%% *}
        "$function" bluebonnet "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """

    @Test(.bug(id: "F698"), .bug(id: "F887"), arguments: Self.cases)
    func `bash completes every word`(_ example: Case) async throws {
        let folder = try TemporaryFolder()
        for name in ["picture.jpg", "root.pem"] { _ = try folder.add(name, "") }
        try FileManager.default.createDirectory(atPath: folder.path + "/folder", withIntermediateDirectories: false)
        _ = try folder.add("script", try await Program().run("--generate-completion-script", "bash").output)
        let shell = Program(directory: folder.path, path: "/bin/bash")
        let result = try await shell.run(["--norc", "-c", Self.harness, "bash"] + example.words)
        #expect(result.ending == .exited(0) && result.errors.isEmpty, "\(result.errors)")
        let offered = result.output.split(separator: "\n").map { String($0) }
        for word in example.offers { #expect(offered.contains(word), "\(offered)") }
        for word in example.lacks { #expect(!offered.contains(word), "\(offered)") }
        #expect(Set(offered).count == offered.count, "\(offered)")
    }

    @Test(
        .bug(id: "F317"),
        arguments: [
            ("photo@a", #"photo@a\$HOME.txt "#), ("@my", #"@my\ file.txt "#), ("name=@it", #"name=@it\'s "#),
            ("@fol", "@folder/"), ("@folder/x", "@folder/x "),
        ]
    )
    func `bash writes a path behind an at sign so that it names the same file`(
        _ typed: String,
        _ offered: String
    ) async throws {
        let folder = try TemporaryFolder()
        for name in ["a$HOME.txt", "my file.txt", "it's"] { _ = try folder.add(name, "") }
        try FileManager.default.createDirectory(atPath: folder.path + "/folder", withIntermediateDirectories: false)
        _ = try folder.add("folder/x", "")
        _ = try folder.add("script", try await Program().run("--generate-completion-script", "bash").output)
        let shell = Program(directory: folder.path, path: "/bin/bash")
        // Without a person at a terminal, there is no completion whose options could be changed.
        let harness = "compopt() { return 0; }\n" + Self.harness
        let result = try await shell.run(["--norc", "-c", harness, "bash", "localhost", typed])
        #expect(result.ending == .exited(0) && result.errors.isEmpty, "\(result.errors)")
        #expect(result.output == offered + "\n")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `the shell of the person is meant where none is named`(_ shell: String) async throws {
        let named = try await Program().run("--generate-completion-script", shell)
        let own = try await Program(environment: ["SHELL": "/usr/bin/" + shell]).run("--generate-completion-script")
        #expect(own.ending == .exited(0), "\(own.errors)")
        #expect(own.output == named.output)
    }

    @Test(arguments: ["/bin/tcsh", ""])
    func `an unknown shell is an error`(_ shell: String) async throws {
        let result = try await Program(environment: ["SHELL": shell]).run("--generate-completion-script")
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("shell"), "\(result.errors)")
    }
}
