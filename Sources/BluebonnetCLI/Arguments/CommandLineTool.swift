// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The command line client, apart from the process it runs in.
public enum CommandLineTool {
    /// The version that `--version` prints and the User-Agent names.
    static let version = "0.1.0"

    /// Carries out a command line.
    ///
    /// - Parameters:
    ///   - arguments: The words after the program's name; nil for one that is not UTF-8.
    ///   - console: What it reads and where it writes.
    /// - Returns: What the process ends with; an error has been reported by then.
    static func run(_ arguments: [String?], console: Console) async -> CommandStatus {
        do {
            if let position = arguments.firstIndex(of: nil) {
                throw CommandFailure.usage(
                    "word \(position + 1) of the command line is not UTF-8: use the locale of your terminal, or percent-encode it"
                )
            }
            let words = arguments.compactMap(\.self)
            return try await Self.command(for: words, columns: Self.helpColumns(console)).run(on: console)
        } catch let help as HelpRequested {
            do {
                try console.output.write(help.text + "\n")
                return .success
            } catch {
                return error.status
            }
        } catch is CancellationError {
            return .interrupted
        } catch {
            // Whatever a cancelled command fails with, it is the interruption that ended it.
            if Task.isCancelled { return .interrupted }
            let failure = CommandFailure(describing: error)
            if failure.status != .outputClosed { console.report("error", failure.message) }
            return failure.status
        }
    }

    /// How wide help may be: as wide as the terminal, within what reads well.
    private static func helpColumns(_ console: Console) -> Int { min(max(console.output.columns, 60), 100) }

    /// A text was asked for instead of work.
    private struct HelpRequested: Error {
        var text: String
    }

    /// Finds out which command is meant.
    static func command(for arguments: [String], columns: Int = 80) throws -> any ConsoleCommand {
        let words = try Self.named(arguments)
        do {
            var command = try BluebonnetCommand.parseAsRoot(words)
            if let command = command as? any ConsoleCommand { return command }
            // The parser's own commands print help; running them throws the text.
            try command.run()
            throw HelpRequested(text: "")
        } catch let help as HelpRequested {
            throw help
        } catch {
            if BluebonnetCommand.exitCode(for: error) == .success {
                throw HelpRequested(text: BluebonnetCommand.fullMessage(for: error, columns: columns))
            }
            throw Self.failure(for: error, words)
        }
    }

    /// Puts the name of the default command in front, so that its help and its version are the program's own.
    private static func named(_ arguments: [String]) throws(CommandFailure) -> [String] {
        if arguments == ["help"] { return ["request", "--help"] }
        let first = arguments.first ?? ""
        let isNamed =
            ["demo", "serve", "help"].contains(first) || first.starts(withScalars: "--generate-completion-script")
        if isNamed { return arguments }
        let words = OptionWords(arguments)
        if let explained = UnavailableOptions.explanation(of: words) { throw .usage(explained) }
        return ["request"] + words.canonical
    }

    private static func failure(for error: any Error, _ words: [String]) -> CommandFailure {
        let message = BluebonnetCommand.message(for: error)
        let sentence = message.prefix(1).lowercased() + message.dropFirst()
        let command = words.first == "request" || words.isEmpty ? "bluebonnet" : "bluebonnet \(words[0])"
        let end = sentence.last == "." || sentence.last == "?" ? " See" : "; see"
        return .usage("\(sentence)\(end) “\(command) --help”")
    }
}
