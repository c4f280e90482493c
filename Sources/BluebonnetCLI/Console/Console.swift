// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The input, output and environment of a command, so that a test can replace them.
struct Console: Sendable {
    /// Where a piped body comes from.
    var input: any InputSource

    /// Where results go.
    var output: any OutputSink

    /// Where errors, notes and progress go.
    var errors: any OutputSink

    /// The environment's variables.
    var environment: [String: String]

    /// How the program was called; used in commands that are printed for copying.
    var programPath = "bluebonnet"

    /// The file of the program, to run it once more.
    #if os(Linux)
    var executablePath = "/proc/self/exe"
    #else
    var executablePath = CommandLine.arguments.first ?? "bluebonnet"
    #endif

    /// Where downloads without a path go; nil for the current directory.
    var directory: String?

    /// What is not told on standard error: with 1 notes and progress, with 2 warnings, too.
    var quietness = 0

    /// Reads a line from the terminal without showing it; nil if there is no terminal.
    var readSecret: @Sendable (_ prompt: String) -> String? = { _ in nil }

    /// Whether colours may be used on a sink that is a terminal (https://no-color.org).
    var allowsColours: Bool {
        (self.environment["NO_COLOR"] ?? "").isEmpty && self.environment["TERM"] != "dumb"
    }

    /// Whether the terminal shows more than ASCII.
    var allowsUnicode: Bool {
        // The first of the three that is set decides (POSIX 8.2).
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy
            .compactMap { self.environment[$0] }
            .first { !$0.isEmpty }
        guard let locale = locale?.asciiLowercased else { return false }
        return locale.contains("utf-8") || locale.contains("utf8")
    }

    /// Writes a line to standard error, with the program's name; what cannot be written is lost.
    ///
    /// - Parameters:
    ///   - kind: `error`, `warning` or `note`.
    ///   - message: One sentence; control characters are made visible, and the user information of URLs is left out.
    func report(_ kind: String, _ message: String) {
        if self.quietness > 0, kind == "note" { return }
        if self.quietness > 1, kind == "warning" { return }
        try? self.errors.write("bluebonnet: \(kind): \(TerminalText.escapedLine(TargetURL.redactedAll(in: message)))\n")
    }
}
