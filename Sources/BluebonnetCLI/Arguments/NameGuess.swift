// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The names of options from which a mistyped one is guessed, without the hyphens.
struct NameGuess: Sendable {
    let names: [String]

    /// Returns the names that may be meant by a word without its hyphens: those that begin with it, or the nearest ones.
    ///
    /// - Returns: The names, in their order; none where nothing is near, or too many are.
    func candidates(for word: String) -> [String] {
        let word = Self.normalized(word)
        let longer = self.names.filter { $0.starts(withScalars: word) }
        if !longer.isEmpty, !word.isEmpty { return longer.count <= 4 ? longer : [] }
        return self.nearest(to: word).names
    }

    /// Returns the names at the least distance, if it is small, and that distance.
    func nearest(to word: String) -> (names: [String], distance: Int) {
        let word = Self.normalized(word)
        // Of a short name two letters are too much: “--url” is not “--all”.
        let most = word.utf8.count >= 7 ? 2 : word.utf8.count >= 3 ? 1 : 0
        var found: [String] = []
        var least = most
        for name in self.names where Self.digits(of: name) == Self.digits(of: word) {
            guard abs(name.unicodeScalars.count - word.unicodeScalars.count) <= least else { continue }
            let distance = EditDistance.between(name, word)
            if distance < least { found = [] }
            guard distance <= least, !found.contains(name) else { continue }
            least = distance
            found.append(name)
        }
        return found.count <= 2 ? (found, least) : ([], least)
    }

    /// Returns the names as they are written on a command line, in quotes.
    static func text(_ names: [String]) -> String {
        names.map { "“--\($0)”" }.joined(separator: " or ")
    }

    private static func normalized(_ word: String) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: word.asciiLowercased.unicodeScalars.map { $0 == "_" ? "-" : $0 })
        return String(scalars)
    }

    /// The digits, whatever their order: `--http3` is no mistyped `--http2`, and `--sha265` is `--sha256`.
    private static func digits(of word: String) -> [UInt8] {
        word.utf8.filter(\.isASCIIDigit).sorted()
    }
}
