// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Why a command ends early, as one line for standard error.
struct CommandFailure: Error, Equatable {
    /// What the process ends with.
    var status: CommandStatus

    /// What happened and what to try; without the program's name, and in one line once it is printed.
    var message: String

    /// What a person can decide by, line by line below the message.
    var details: [String] = []

    init(_ status: CommandStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// A mistake in the command line, or in a file that it names.
    static func usage(_ message: String) -> CommandFailure { CommandFailure(.usage, message) }
}
