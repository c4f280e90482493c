// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// Whether this is a word of ASCII, in whatever case.
    ///
    /// Bytes are compared: `lowercased()` turns other characters into letters of ASCII too, U+212A KELVIN SIGN into `k` for example.
    ///
    /// - Parameter word: The word in lower case.
    /// - Returns: Whether it is that word.
    func isASCIIWord(_ word: StaticString) -> Bool {
        guard self.utf8.count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { word in
            zip(self.utf8, word).allSatisfy { byte, expected in
                ((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) == expected
            }
        }
    }
}
