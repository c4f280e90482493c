// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension TransportConformance {
    /// One rule of the contract, and how it is checked.
    public struct Check: Sendable, Hashable, CustomStringConvertible {
        enum Need: Sendable, Hashable {
            case wire, tls
        }

        /// The name, for example `trailers`: it is stable, so that a suite can exclude a check by name.
        public let name: String

        /// The rule, in a sentence.
        public let rule: String

        let needs: Set<Need>
        let body: @Sendable (ConformanceVisit) async throws -> Void

        init(
            _ name: String,
            _ rule: String,
            needs: Set<Need> = [],
            _ body: @escaping @Sendable (ConformanceVisit) async throws -> Void
        ) {
            self.name = name
            self.rule = rule
            self.needs = needs
            self.body = body
        }

        /// All checks.
        static let all: [Check] = responses + bodies + requests + cancellation + failures

        /// The name and the rule.
        public var description: String { "\(self.name): \(self.rule)" }

        /// Whether both have the same name.
        public static func == (left: Self, right: Self) -> Bool { left.name == right.name }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(self.name)
        }
    }
}
