// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Sends one request; what `bluebonnet` does when no other command is named.
typealias RequestCommand = RequestCommandLine<RequestRole>

/// The command that `bluebonnet` stands for where no other one is named.
enum RequestRole: RequestCommandRole {
    struct Words: ParsableArguments {
        /// Method, URL and items; the usage line shows them better than a list of words would.
        @Argument(help: .hidden)
        var words: [String] = []
    }

    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Send an HTTP request and print the response.",
        usage: """
            bluebonnet [OPTIONS] [METHOD] URL [ITEM ...]
            bluebonnet curl CURL'S OPTIONS AND URL
            bluebonnet demo
            bluebonnet serve
            """,
        discussion: HelpText.discussion,
        version: CommandLineTool.version,
        shouldDisplay: false,
        helpNames: .long
    )
}

extension RequestCommandLine: ConsoleCommand where Role == RequestRole {
    /// Method, URL and items.
    var words: [String] { self.positional.words }

    func run(on console: Console) async throws -> CommandStatus { try await self.run(on: console, changing: nil) }

    /// Does the command's work, with what a command of curl asks for beyond the options.
    func run(on console: Console, changing changes: CurlChanges?) async throws -> CommandStatus {
        let quietedConsole = self.quieted(console)
        var plan = try RequestPlan(self, console: quietedConsole)
        guard let changes else { return try await RequestRun(plan: plan, console: quietedConsole).run() }
        try changes.apply(to: &plan, quietedConsole)
        return try await changes.run(plan, on: quietedConsole, console)
    }

    /// The console without what `--quiet` silences; a file of `--output` is written all the same.
    private func quieted(_ console: Console) -> Console {
        guard self.output.quiet > 0 else { return console }
        var console = console
        console.quietness = self.output.quiet
        console.output = SilentSink(of: console.output)
        return console
    }
}
