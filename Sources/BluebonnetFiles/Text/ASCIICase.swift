// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text with the capital letters of ASCII made small, and everything else as it is.
    ///
    /// Names in protocols are compared without regard to the case of ASCII alone: `lowercased()` would make a "k" of KELVIN SIGN.
    package var asciiLowercased: String {
        guard self.utf8.contains(where: \.isASCIICapital) else { return self }
        return String(decoding: self.utf8.map { $0.isASCIICapital ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isASCIICapital: Bool { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") }
}
