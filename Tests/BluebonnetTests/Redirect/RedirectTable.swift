// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

/// The tables of `Fixtures/redirects`.
enum RedirectTable {
    struct Methods: Decodable {
        struct Row: Decodable, Sendable, CustomTestStringConvertible {
            var status: Int
            var keepsPost: Bool
            var following: [String: String]

            var testDescription: String { "\(self.status)\(self.keepsPost ? ", keepsPost" : "")" }
        }

        var bodyFields: [String]
        var otherFields: [String]
        var rows: [Row]

        static func load() throws -> Self { try Fixture.load("redirects/methods") }
    }

    struct Locations: Decodable {
        struct Row: Decodable, Sendable, CustomTestStringConvertible {
            var location: String
            var leadsTo: String?

            var testDescription: String { "\"\(self.location)\"" }
        }

        var rows: [Row]

        static func load() throws -> Self { try Fixture.load("redirects/locations") }
    }

    struct Origins: Decodable {
        struct Row: Decodable, Sendable, CustomTestStringConvertible {
            var location: String
            var isSame: Bool
            var isDowngrade: Bool

            var testDescription: String { self.location }
        }

        var statuses: [Int]
        var travel: [String]
        var stay: [String]
        var rows: [Row]

        static func load() throws -> Self { try Fixture.load("redirects/origins") }
    }
}
