// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The edit distance of two words, for suggesting corrections.
enum EditDistance {
    /// Returns the optimal string alignment distance: the least number of insertions, removals, replacements, and swaps
    /// of two neighbours, where no letter is edited twice.
    static func between(_ first: String, _ second: String) -> Int {
        let first = Array(first.unicodeScalars)
        let second = Array(second.unicodeScalars)
        var beforePrevious: [Int] = []
        var previous = Array(0...second.count)
        for (row, letter) in first.enumerated() {
            var current = [row + 1]
            for (column, other) in second.enumerated() {
                let replaced = previous[column] + (letter == other ? 0 : 1)
                var least = min(replaced, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
                    least = min(least, beforePrevious[column - 1] + 1)
                }
                current.append(least)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[second.count]
    }
}
