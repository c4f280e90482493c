// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The complete command line as one command, from which the manual page and shell completions are generated.
///
/// The parser's root command lists the options of a request only under the name of its subcommand, which is the default
/// and usually omitted.
typealias DocumentedCommand = RequestCommandLine<ManualRole>

/// The root command with its subcommands and the options of a request.
enum ManualRole: RequestCommandRole {
    /// No positional arguments: the names of the subcommands take their place.
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
