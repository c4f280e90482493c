// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The whole command line as one command: what the manual page and the completions of shells are made from.
///
/// The parser's own root knows the options of a request only behind the name of its command, which nobody writes.
struct DocumentedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluebonnet",
        abstract: BluebonnetCommand.configuration.abstract,
        discussion: HelpText.discussion,
        version: CommandLineTool.version,
        subcommands: [DemoCommand.self, ServeCommand.self],
        helpNames: .long
    )

    @OptionGroup(title: "Body")
    var body: BodyOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "Other things to do with the request")
    var action: ActionOptions

    @OptionGroup(title: "Format")
    var format: FormatCommandOptions

    @OptionGroup(title: "Download")
    var download: DownloadCommandOptions

    @OptionGroup(title: "Authentication and sessions")
    var authentication: AuthenticationOptions

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "TLS")
    var tls: TLSCommandOptions
}
