// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import BluebonnetCLI

@Suite struct SubcommandTests {
    /// The options that the argument parser has for a subcommand, as its help lists them, without `--version` of the program.
    private static func parsed(_ command: any ParsableCommand.Type) -> Set<String> {
        let help = BluebonnetCommand.helpMessage(for: command, includeHidden: true)
        let lines = help.split(separator: "\n").filter { $0.hasPrefix("  -") }
        return Set(
            lines.map { line in
                let isShort = line.hasPrefix("  -") && !line.hasPrefix("  --")
                let words = line.split(separator: " ")
                let takesValue = words.dropFirst(isShort ? 2 : 1).first?.hasPrefix("<") ?? false
                return words.prefix(isShort ? 2 : 1).joined(separator: " ") + (takesValue ? " VALUE" : "")
            }
        ).subtracting(["--version"])
    }

    private static func text(_ option: RequestOption) -> String {
        (option.letter.map { "-\($0), " } ?? "") + "--" + option.name + (option.takesValue ? " VALUE" : "")
    }

    @Test func `the options of the subcommands are those of the argument parser`() {
        let commands: [(Subcommand, any ParsableCommand.Type)] = [
            (.demo, DemoCommand.self), (.serve, ServeCommand.self), (.manual, ManualCommand.self),
        ]
        for (subcommand, command) in commands {
            #expect(Set(subcommand.options.map(Self.text)) == Self.parsed(command), "\(subcommand)")
        }
    }
}
