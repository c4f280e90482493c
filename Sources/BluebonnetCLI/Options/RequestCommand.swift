// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The default subcommand, which sends one request.
typealias RequestCommand = RequestCommandLine<RequestRole>

/// The role of the default subcommand.
enum RequestRole: RequestCommandRole {
    struct Words: ParsableArguments {
        /// Method, URL and items; hidden, because the usage line describes them better than a list of arguments.
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

    /// Checks what can be checked of a command of curl before those in front of it are carried out: no item of it names
    /// a file, and a file that it names otherwise may be one that those write.
    ///
    /// - Throws: `CommandFailure` for the first thing that is wrong.
    func check() throws(CommandFailure) {
        let words = try CommandWords(self.words)
        _ = try TargetURL(words.url)
        _ = try RequestItems(words.items, home: nil)
        _ = try self.connection.limits()
        _ = try self.connection.redirectPolicy(showsAll: self.output.all)
    }

    func run(on console: Console) async throws -> CommandStatus {
        let quietedConsole = self.quieted(console)
        return try await RequestRun(plan: RequestPlan(self, console: quietedConsole), console: quietedConsole).run()
    }

    /// Runs the command, with the changes from a curl command line beyond the options.
    func run(
        on console: Console,
        changing changes: CurlChanges,
        over connections: inout CurlConnections
    ) async throws -> CommandStatus {
        var quietedConsole = self.quieted(console)
        // Unlike --quiet, curl's --silent leaves standard output as it is.
        if changes.isSilent { quietedConsole.quietness = max(quietedConsole.quietness, 1) }
        var plan = try RequestPlan(self, console: quietedConsole, curl: changes)
        try changes.apply(to: &plan, quietedConsole)
        return try await changes.run(plan, on: quietedConsole, console, over: &connections)
    }

    /// Returns the console without the output that `--quiet` hides; a file of `--output` is still written.
    private func quieted(_ console: Console) -> Console {
        guard self.output.quiet > 0 else { return console }
        var console = console
        console.quietness = self.output.quiet
        console.output = SilentSink(of: console.output)
        return console
    }
}
