// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The failure of a command, reported as one line on standard error.
struct CommandFailure: Error, Equatable {
    /// The exit status of the process.
    var status: CommandStatus

    /// What happened and what to try, without the program's name; it is printed as one line.
    var message: String

    /// Details for the user, printed below the message, one per line.
    var details: [String] = []

    init(_ status: CommandStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Creates the failure for a mistake in the command line, or in a file that it names.
    static func usage(_ message: String) -> CommandFailure { CommandFailure(.usage, message) }
}
