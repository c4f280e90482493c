// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The value of an option that is one of a few words.
///
/// The parser asks for the words each time it starts; its own answer goes through key paths, which takes a tenth of the time to start.
protocol OptionWord: ExpressibleByArgument, CaseIterable, RawRepresentable, Sendable where RawValue == String {}

extension OptionWord {
    static var allValueStrings: [String] { self.allCases.map { $0.rawValue } }

    /// The words say what they mean.
    static var allValueDescriptions: [String: String] { [:] }
}
