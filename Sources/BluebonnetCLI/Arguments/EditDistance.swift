// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The edit distance of two words, for suggesting corrections.
enum EditDistance {
    /// Returns the Levenshtein distance: the least number of insertions, removals and replacements.
    static func between(_ first: String, _ second: String) -> Int {
        let second = Array(second)
        var previous = Array(0...second.count)
        for (row, letter) in first.enumerated() {
            var current = [row + 1]
            for (column, other) in second.enumerated() {
                let replaced = previous[column] + (letter == other ? 0 : 1)
                current.append(min(replaced, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous[second.count]
    }
}
