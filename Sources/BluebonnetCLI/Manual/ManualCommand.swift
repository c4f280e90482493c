// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The hidden command that prints the manual page, for `make install`.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page, in the format of man(7).",
        shouldDisplay: false,
        helpNames: .long
    )
}

extension ManualCommand: ConsoleCommand {
    func run(on console: Console) async throws -> CommandStatus {
        try console.output.write(ManualPage().text())
        return .success
    }
}
