// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The script that completes the words of a command line in a shell.
///
/// The parser's script for a command with subcommands ends at the first word that is no option. Here the options of a request may stand behind
/// its URL, a file may stand behind an `@`, and a command of curl behind the word `curl`.
enum CompletionScript {
    /// Returns the script of a shell.
    static func text(for shell: CompletionShell) -> String {
        let script = DocumentedCommand.completionScript(for: shell)
        switch shell {
        case .bash: return script + BashCompletion.text
        case .zsh: return ZshCompletion.text(extending: script)
        case .fish: return script + FishCompletion.text
        default: return script
        }
    }

    /// The names of the subcommands.
    static let commands =
        ManualRole.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]

    /// The options of a request that take a value.
    static var optionsWithValue: [String] {
        RequestOption.all.filter(\.takesValue).flatMap { option in
            let names = [option.name, option.alias].compactMap(\.self).map { "--\($0)" }
            return names + (option.letter.map { ["-\($0)"] } ?? [])
        }
    }
}
