// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The whole command line as one command: what the manual page and the completions of shells are made from.
///
/// The parser's own root knows the options of a request only behind the name of its command, which nobody writes.
typealias DocumentedCommand = RequestCommandLine<ManualRole>

/// The program with its commands, and with the options of a request as its own.
enum ManualRole: RequestCommandRole {
    /// The names of the subcommands stand where words would.
    struct Words: ParsableArguments {}

    static let configuration = CommandConfiguration(
        commandName: "bluebonnet",
        abstract: BluebonnetCommand.configuration.abstract,
        discussion: HelpText.discussion,
        version: CommandLineTool.version,
        subcommands: [DemoCommand.self, ServeCommand.self],
        helpNames: .long
    )
}
