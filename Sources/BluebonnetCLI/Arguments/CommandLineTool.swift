// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Bluebonnet

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
            if let transfers = try CurlTransfers(commandLine: words) {
                return try await CurlRun(transfers: transfers, console: console).run()
            }
            let defaults = Self.defaults(console)
            let command = try Self.command(for: words, on: console, defaults)
            do {
                return try await command.run(on: console)
            } catch let failure as CommandFailure where failure.status == .usage && command is RequestCommand {
                throw try defaults().explaining(failure, besides: OptionWords(words))
            }
        } catch let help as HelpRequested {
            do {
                try console.output.write(help.text + "\n")
                return .success
            } catch {
                if error.status != .outputClosed { console.report("error", error.message) }
                return error.status
            }
        } catch is CancellationError {
            return .interrupted
        } catch {
            // Whatever a cancelled command fails with, it is the interruption that ended it.
            if Task.isCancelled { return .interrupted }
            let status = Self.report(error, on: console)
            if let first = arguments.first.flatMap(\.self), let name = MistakenWords.command(for: first),
                (error as? SessionError)?.code == .nameResolutionFailed
            {
                console.report(
                    "note",
                    "\(first) was taken for a host: if the command is meant, write “bluebonnet \(name)”"
                )
            }
            return status
        }
    }

    /// Reports an error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - console: Where it is reported.
    ///   - isOfCurl: Whether the command was one of curl.
    /// - Returns: What the process ends with.
    static func report(_ error: any Error, on console: Console, isOfCurl: Bool = false) -> CommandStatus {
        let failure = CommandFailure(describing: error, isOfCurl: isOfCurl)
        // The signal that ended the command says enough, and so does the reader that closed the pipe.
        guard failure.status != .outputClosed, failure.status != .interrupted else { return failure.status }
        console.report("error", failure.message)
        for line in failure.details { try? console.errors.write("  \(TerminalText.escapedLine(line))\n") }
        return failure.status
    }

    /// Finds out which command is meant, with help as wide as the terminal, within what reads well.
    ///
    /// Without other options nothing stands before those of the arguments: what a command of curl leaves out is as curl has it.
    static func command(
        for arguments: [String],
        on console: Console,
        _ defaults: () throws(CommandFailure) -> DefaultOptions = { DefaultOptions() }
    ) throws -> any ConsoleCommand {
        try Self.command(for: arguments, columns: min(max(console.output.columns, 60), 100), defaults)
    }

    /// The options that stand before those of the command line: those of the program's name, and those that a person has chosen.
    private static func defaults(_ console: Console) -> () throws(CommandFailure) -> DefaultOptions {
        let name = console.programPath.unicodeScalars.split(separator: "/").last.map { String($0) } ?? ""
        // As `https` is to `http`.
        let scheme = name.ends(withScalars: "s") ? ["--default-scheme=https"] : []
        return { () throws(CommandFailure) in
            var defaults = try DefaultOptions(console.environment)
            defaults.words = scheme + defaults.words
            return defaults
        }
    }

    /// A text was asked for instead of work.
    private struct HelpRequested: Error {
        var text: String
    }

    /// Finds out which command is meant.
    ///
    /// - Parameters:
    ///   - arguments: The words after the program's name.
    ///   - columns: How wide help may be.
    ///   - defaults: The options of a request that stand before those of the command line; asked for only then.
    /// - Returns: The command.
    /// - Throws: `CommandFailure` for a mistake, and what asks for a text.
    static func command(
        for arguments: [String],
        columns: Int = 80,
        _ defaults: () throws(CommandFailure) -> DefaultOptions = { DefaultOptions() }
    ) throws -> any ConsoleCommand {
        if let script = Self.completionScript(for: arguments) { throw HelpRequested(text: script) }
        let words = try Self.named(arguments, defaults)
        // The parser is asked for help and mistakes.
        if words.first == "request", let request = RequestCommand(OptionWords(Array(words.dropFirst()))) {
            return request
        }
        do {
            var command = try BluebonnetCommand.parseAsRoot(words)
            if let command = command as? any ConsoleCommand { return command }
            // The parser's own commands print help; running them throws the text.
            try command.run()
            throw HelpRequested(text: "")
        } catch let help as HelpRequested {
            throw help
        } catch {
            // `exitCode(for:)` lays the help out for the width of the terminal, and traps where that is narrow.
            let text = BluebonnetCommand.fullMessage(for: error, columns: columns)
            if !text.starts(withScalars: BluebonnetCommand._errorPrefix) { throw HelpRequested(text: text) }
            let failure = Self.failure(for: error, words)
            if words.first == "request", let chosen = Self.failure(of: try defaults(), like: failure) { throw chosen }
            throw failure
        }
    }

    /// The failure of the default options; nil if the parser takes them, or has something else to say about them.
    private static func failure(of defaults: DefaultOptions, like failure: CommandFailure) -> CommandFailure? {
        let words = ["request"] + OptionWords(defaults.words + ["localhost"]).canonical
        do {
            _ = try BluebonnetCommand.parseAsRoot(words)
            return nil
        } catch {
            let own = Self.failure(for: error, words)
            return own.message == failure.message ? defaults.failure(own.message) : nil
        }
    }

    /// Puts the name of the default command in front, so that its help and its version are the program's own.
    private static func named(
        _ arguments: [String],
        _ defaults: () throws(CommandFailure) -> DefaultOptions
    ) throws(CommandFailure) -> [String] {
        if arguments == ["help"] { return ["request", "--help"] }
        let first = arguments.first ?? ""
        let isNamed =
            ["demo", "serve", "manual", "help"].contains(first)
            || first.starts(withScalars: "--generate-completion-script")
        if isNamed {
            let mistake = Subcommand(rawValue: first).flatMap {
                SubcommandMistakes.explanation(of: Array(arguments.dropFirst()), behind: $0)
            }
            if let mistake { throw .usage(mistake) }
            return arguments
        }
        let words = OptionWords(arguments)
        let explained =
            SubcommandMistakes.explanation(of: arguments, words) ?? MistakenWords.explanation(of: words)
            ?? UnavailableOptions.explanation(of: words)
        if let explained { throw .usage(explained) }
        if words.contains("help") || words.contains("version") { return ["request"] + words.canonical }
        return ["request"] + OptionWords(try defaults().words + arguments).canonical
    }

    /// The script that completes options in a shell; nil if none is asked for, or the shell is not known.
    private static func completionScript(for arguments: [String]) -> String? {
        let option = "--generate-completion-script"
        guard let first = arguments.first, first.starts(withScalars: option) else { return nil }
        let name = first.split(atScalar: "=").map { String($0.after) } ?? arguments.dropFirst().first
        // Without a name it is the shell of the person, as in the parser's own option.
        let shell = name.map { CompletionShell(rawValue: $0) } ?? CompletionShell.autodetected()
        return shell.map { CompletionScript.text(for: $0) }
    }

    /// The parser's message, whose list of more than two choices has a line for each.
    private static func inOneLine(_ message: String) -> String {
        let lines = message.unicodeScalars.split(separator: "\n").map { String($0).trimmingBlanks }
        guard let first = lines.first, lines.count > 1 else { return message }
        let choices = lines.dropFirst().map { $0.starts(withScalars: "- ") ? $0.droppingScalars(2) : $0[...] }
        return "\(first) \(choices.joined(separator: ", "))."
    }

    private static func failure(for error: any Error, _ words: [String]) -> CommandFailure {
        var message = Self.inOneLine(BluebonnetCommand.message(for: error))
        // The parser's guesses are three edits away, and lack the names that a subcommand inherits: ours come first.
        if let guess = message.firstRange(of: ". Did you mean ") { message = String(message[..<guess.lowerBound]) }
        // Characters: a sentence for people.
        let sentence = message.prefix(1).lowercased() + message.dropFirst()
        let command = words.first == "request" || words.isEmpty ? "bluebonnet" : "bluebonnet \(words[0])"
        // Characters: a sentence for people.
        if let advice = Self.adviceOnNumber(in: sentence) { return .usage("\(sentence): \(advice)") }
        // Characters: a sentence for people.
        let end = sentence.last == "." || sentence.last == "?" ? " See" : "; see"
        return .usage("\(sentence)\(end) “\(command) --help”")
    }

    /// What to write where the parser refuses the value of an option that takes a number.
    private static func adviceOnNumber(in sentence: String) -> String? {
        guard sentence.contains("is invalid for") else { return nil }
        if sentence.ends(withScalars: " <seconds>'") { return "write a number of seconds, for example 2.5" }
        let isCount = [" <count>'", " <number>'"].contains { sentence.ends(withScalars: $0) }
        return isCount ? "write a whole number, for example 3" : nil
    }
}
