// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The role of a command with the options of a request: its configuration and positional arguments.
protocol RequestCommandRole: Sendable {
    /// The positional arguments.
    associatedtype Words: ParsableArguments

    /// The name, help and subcommands of the command.
    static var configuration: CommandConfiguration { get }
}

/// The command line of a request: positional arguments and groups of options, in the order of the help.
///
/// The groups are not nested, because the argument parser takes several times as long for nested groups.
struct RequestCommandLine<Role: RequestCommandRole>: ParsableCommand {
    static var configuration: CommandConfiguration { Role.configuration }

    @OptionGroup
    var positional: Role.Words

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
