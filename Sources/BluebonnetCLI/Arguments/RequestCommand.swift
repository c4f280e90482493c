// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Sends one request; what `bluebonnet` does when no other command is named.
struct RequestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Send an HTTP request and print the response.",
        usage: """
            bluebonnet [OPTIONS] [METHOD] URL [ITEM ...]
            bluebonnet demo
            bluebonnet serve
            """,
        discussion: HelpText.discussion,
        version: CommandLineTool.version,
        shouldDisplay: false,
        helpNames: .long
    )

    /// Method, URL and items; the usage line above shows them better than a list of words would.
    @Argument(help: .hidden)
    var words: [String] = []

    @OptionGroup(title: "Body")
    var body: BodyOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions
}

extension RequestCommand: ConsoleCommand {
    func run(on console: Console) async throws -> CommandStatus {
        let plan = try RequestPlan(self, console: console)
        return try await RequestRun(plan: plan, console: console).run()
    }
}
