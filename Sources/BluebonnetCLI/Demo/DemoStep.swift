// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// One thing the demonstration does and checks.
struct DemoStep: Sendable {
    /// What a step found out.
    struct Outcome: Sendable {
        /// What arrived, in a few words.
        var detail: String

        /// The bytes that were moved, for a rate; nil to show the time.
        var byteCount: Int64?

        /// The time that moving them took, without the checks; the whole step's unless given.
        var duration: Duration?

        /// Lines to show below.
        var lines: [String] = []
    }

    /// A check that did not hold.
    struct Mismatch: Error {
        var reason: String
    }

    /// What it does.
    var title: String

    /// Does it, and throws if anything is not as it should be.
    var body: @Sendable () async throws -> Outcome

    /// Throws unless a condition holds.
    static func check(_ condition: Bool, _ reason: @autoclosure () -> String) throws {
        if !condition { throw Mismatch(reason: reason()) }
    }
}
