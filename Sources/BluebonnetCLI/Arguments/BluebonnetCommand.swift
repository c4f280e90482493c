// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The root command, `bluebonnet`.
struct BluebonnetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluebonnet",
        abstract: "An HTTP client for the command line.",
        version: CommandLineTool.version,
        subcommands: [RequestCommand.self, DemoCommand.self, ServeCommand.self, ManualCommand.self],
        defaultSubcommand: RequestCommand.self,
        helpNames: .long
    )
}

/// A command that runs on a given console.
protocol ConsoleCommand: ParsableCommand {
    /// Runs the command.
    ///
    /// - Parameter console: The command's input and output.
    /// - Returns: The exit status of the process.
    /// - Throws: `CommandFailure`, `SessionError` or `CancellationError`.
    func run(on console: Console) async throws -> CommandStatus
}
