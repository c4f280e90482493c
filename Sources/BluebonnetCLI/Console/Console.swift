// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The input, output and environment of a command, which a test can replace.
struct Console: Sendable {
    /// The source of a piped body.
    var input: any InputSource

    /// The sink for results: standard output.
    var output: any OutputSink

    /// The sink for errors, notes and progress: standard error.
    var errors: any OutputSink

    /// The environment variables.
    var environment: [String: String]

    /// The name or path by which the program was called, used in commands that are printed for copying.
    var programPath = "bluebonnet"

    /// The path of the program's executable, to start it again.
    #if os(Linux)
    var executablePath = "/proc/self/exe"
    #else
    var executablePath = CommandLine.arguments.first ?? "bluebonnet"
    #endif

    /// The folder for downloads without a path; nil for the current directory.
    var directory: String?

    /// The number of times that `--quiet` is given: 1 hides notes and progress, 2 also hides warnings.
    var quietness = 0

    /// Reads a line from the terminal without echo.
    var readSecret: @Sendable (_ prompt: String) throws(CommandFailure) -> SecretAnswer = { _ in .noTerminal }

    /// Returns the path of a file, which is in the folder for downloads if it is relative.
    func absolute(_ path: String) -> String {
        guard let directory = self.directory, !path.starts(withScalars: "/") else { return path }
        return directory + "/" + path
    }

    /// Whether colours may be used on a terminal (https://no-color.org).
    var allowsColours: Bool {
        (self.environment["NO_COLOR"] ?? "").isEmpty && self.environment["TERM"] != "dumb"
    }

    /// Whether the locale of the terminal supports more than ASCII.
    var allowsUnicode: Bool {
        // The first of the three variables that is set determines the locale (POSIX 8.2).
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy
            .compactMap { self.environment[$0] }
            .first { !$0.isEmpty }
        guard let locale = locale?.asciiLowercased else { return false }
        return locale.contains("utf-8") || locale.contains("utf8")
    }

    /// Writes a line to standard error, with the program's name; write errors are ignored.
    ///
    /// - Parameters:
    ///   - kind: `error`, `warning` or `note`.
    ///   - message: One sentence; control characters are made visible, and the user information of URLs is removed.
    func report(_ kind: String, _ message: String) {
        if self.quietness > 0, kind == "note" { return }
        if self.quietness > 1, kind == "warning" { return }
        try? self.errors.write("bluebonnet: \(kind): \(TerminalText.escapedLine(TargetURL.redactedAll(in: message)))\n")
    }
}
