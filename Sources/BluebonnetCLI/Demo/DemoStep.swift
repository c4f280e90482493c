// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// One step of the demonstration: an action and its check.
struct DemoStep: Sendable {
    /// The result of a step.
    struct Outcome: Sendable {
        /// A short description of what was received.
        var detail: String

        /// The number of bytes that were transferred, to print a rate; nil to print the time.
        var byteCount: Int64?

        /// The time of the transfer without the checks; nil for that of the whole step.
        var duration: Duration?

        /// Lines to print below the step.
        var lines: [String] = []
    }

    /// The error of a check that failed.
    struct Mismatch: Error {
        var reason: String
    }

    /// The title of the step.
    var title: String

    /// The action, which throws if a check fails.
    var body: @Sendable () async throws -> Outcome

    /// Throws unless a condition holds.
    static func check(_ condition: Bool, _ reason: @autoclosure () -> String) throws {
        if !condition { throw Mismatch(reason: reason()) }
    }
}
