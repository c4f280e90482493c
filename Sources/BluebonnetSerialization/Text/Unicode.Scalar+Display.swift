// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
    /// Whether it affects the display of other text, or controls a terminal, instead of being displayed itself.
    ///
    /// Besides the C0 and C1 controls, these are the bidirectional formatting characters, which can make a line read as
    /// another.
    package var changesDisplay: Bool {
        switch self.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029: true
        default: false
        }
    }
}
