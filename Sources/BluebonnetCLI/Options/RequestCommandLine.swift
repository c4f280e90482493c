// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What a command that takes the options of a request is, apart from these options.
protocol RequestCommandRole: Sendable {
    /// The words beside the options.
    associatedtype Words: ParsableArguments

    /// Its name, its help and its subcommands.
    static var configuration: CommandConfiguration { get }
}

/// The command line of a request: its words and its options, group by group, as help and manual show them.
///
/// The groups are not one more group, because the parser takes several times as long for groups in groups.
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
