// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

@testable import BluebonnetCLI

/// Runs command lines in memory and keeps what they write.
struct TestConsole {
    let output: MemorySink
    let errors: MemorySink
    var console: Console

    init(
        isTerminal: Bool = false,
        columns: Int = 80,
        environment: [String: String] = ["LANG": "C.UTF-8", "TERM": "xterm"],
        input: any InputSource = EmptySource(),
        directory: String? = nil
    ) {
        self.output = MemorySink(isTerminal: isTerminal, columns: columns)
        self.errors = MemorySink(isTerminal: isTerminal, columns: columns)
        self.console = Console(
            input: input,
            output: self.output,
            errors: self.errors,
            environment: environment,
            directory: directory
        )
    }

    /// Carries out a command line.
    func run(_ arguments: String...) async -> CommandStatus {
        await self.run(arguments)
    }

    /// Carries out a command line.
    func run(_ arguments: [String]) async -> CommandStatus {
        await CommandLineTool.run(arguments, console: self.console)
    }
}
