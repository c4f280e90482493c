// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A row of `Fixtures/habits.json`: a command line, and what HTTPie 3.2.4 does with it; `scripts/compare-httpie` has recorded it.
struct Habit: Decodable, Sendable {
    /// What a program does.
    struct Outcome: Decodable, Sendable {
        var exit: Int32
        /// What the server receives.
        var sent: [Message]
        /// The lines of standard output.
        var output: [String]?
    }

    /// A request without the fields that every client sends as it likes.
    struct Message: Decodable, Sendable {
        var line: String
        var fields: [[String]]
        var body: String
        var chunked: Bool
    }

    var habit: String
    var arguments: [String]
    /// A command line that is carried out before.
    var before: [String]?
    var stdin: String?
    var environment: [String: String]?
    var configuration: [String: [String]]?
    /// The file that is written.
    var file: String?
    /// What HTTPie does.
    var httpie: Outcome
    /// What is done here, where that is something else.
    var here: Outcome?
    /// Why it is something else.
    var why: String?

    var expected: Outcome { self.here ?? self.httpie }
}

/// Habits that belong together.
struct HabitGroup: Decodable, CustomTestStringConvertible, Sendable {
    var group: String
    var habits: [Habit]

    var testDescription: String { self.group }

    static func all() throws -> [HabitGroup] {
        try JSONDecoder().decode([HabitGroup].self, from: FixtureFile.data("habits.json"))
    }
}
