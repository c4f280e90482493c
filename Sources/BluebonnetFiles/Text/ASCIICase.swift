// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

// Protocol names are compared with ASCII case-insensitivity only: `lowercased()` also converts U+212A KELVIN SIGN to
// "k".

extension UInt8 {
    /// The byte, with an ASCII capital letter converted to lower case.
    @inlinable package var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

    /// The byte, with an ASCII small letter converted to upper case.
    @inlinable package var asciiUppercased: UInt8 { self >= 0x61 && self <= 0x7A ? self & 0xDF : self }
}

extension StringProtocol {
    /// The text with ASCII capital letters converted to lower case, and everything else unchanged.
    @inlinable package var asciiLowercased: String {
        // Most names are in lower case. The loop over contiguous bytes takes a third of the time of one over a
        // string's.
        let isLowercase = self.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.allSatisfy { $0.asciiLowercased == $0 }
        }
        if isLowercase == true { return String(self) }
        return String(decoding: self.utf8.map(\.asciiLowercased), as: UTF8.self)
    }

    /// The text with ASCII small letters converted to upper case, and everything else unchanged.
    @inlinable package var asciiUppercased: String {
        guard self.utf8.contains(where: { $0.asciiUppercased != $0 }) else { return String(self) }
        return String(decoding: self.utf8.map(\.asciiUppercased), as: UTF8.self)
    }

    /// Whether this is an ASCII word, regardless of case.
    ///
    /// - Parameter word: The word in lower case.
    /// - Returns: Whether it is that word.
    @inlinable package func isASCIIWord(_ word: StaticString) -> Bool {
        guard self.utf8.count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { word in
            zip(self.utf8, word).allSatisfy { $0.asciiLowercased == $1 }
        }
    }
}
