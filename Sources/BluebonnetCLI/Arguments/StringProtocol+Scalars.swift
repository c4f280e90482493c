// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

// Separators are compared as Unicode scalars. A Character includes the combining marks that follow it, so that "/" and
// U+0301 are not the Character "/"; and U+037E is equal to ";" as a Character.
extension StringProtocol {
    /// Returns the index of the first occurrence of a scalar.
    func firstIndex(ofScalar scalar: Unicode.Scalar) -> Index? {
        self.unicodeScalars.firstIndex(of: scalar)
    }

    /// Returns whether the text contains a scalar.
    func contains(scalar: Unicode.Scalar) -> Bool { self.unicodeScalars.contains(scalar) }

    /// Returns whether the text begins with the scalars of another one.
    func starts(withScalars prefix: some StringProtocol) -> Bool { self.utf8.starts(with: prefix.utf8) }

    /// Returns whether the text ends with the scalars of another one.
    func ends(withScalars suffix: some StringProtocol) -> Bool {
        self.utf8.reversed().starts(with: suffix.utf8.reversed())
    }

    /// Returns the text without its first scalars.
    func droppingScalars(_ count: Int) -> SubSequence {
        self[self.unicodeScalars.index(self.startIndex, offsetBy: count)...]
    }

    /// Returns the text before and after the first occurrence of a scalar; nil if there is none.
    func split(atScalar scalar: Unicode.Scalar) -> (before: SubSequence, after: SubSequence)? {
        guard let index = self.firstIndex(ofScalar: scalar) else { return nil }
        return (self[..<index], self[self.unicodeScalars.index(after: index)...])
    }

    /// The text without leading and trailing blanks (SP and HTAB).
    var trimmingBlanks: SubSequence {
        let scalars = self.unicodeScalars
        guard let start = scalars.firstIndex(where: { !Self.isBlank($0) }),
            let end = scalars.lastIndex(where: { !Self.isBlank($0) })
        else { return self[self.endIndex...] }
        return self[start...end]
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}
