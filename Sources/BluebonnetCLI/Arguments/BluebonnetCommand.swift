// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The root of the command line.
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

/// A command that runs on a console that it is given.
protocol ConsoleCommand: ParsableCommand {
    /// Does the command's work.
    ///
    /// - Parameter console: What it reads and where it writes.
    /// - Returns: What the process ends with.
    /// - Throws: `CommandFailure`, `SessionError` or `CancellationError`.
    func run(on console: Console) async throws -> CommandStatus
}
