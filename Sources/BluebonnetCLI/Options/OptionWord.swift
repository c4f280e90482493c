// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// An option value from a fixed set of words.
///
/// The parser asks for the words each time the program starts. Its default implementation uses key paths, which takes a
/// tenth of the start-up time.
protocol OptionWord: ExpressibleByArgument, CaseIterable, RawRepresentable, Sendable where RawValue == String {}

extension OptionWord {
    static var allValueStrings: [String] { self.allCases.map { $0.rawValue } }

    /// No descriptions: the words are self-explanatory.
    static var allValueDescriptions: [String: String] { [:] }
}
