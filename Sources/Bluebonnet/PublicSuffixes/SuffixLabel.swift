// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A label of the list in its ASCII form.
enum SuffixLabel {
    /// The longest label that is encoded, in characters; a label of a domain has 63 bytes at most.
    private static var longestLabel: Int { 63 }

    /// The ASCII form of a label: `xn--` and its Punycode, or the label in lower case if it is ASCII already.
    ///
    /// - Returns: Nil if the label is not UTF-8, or longer than a label can be.
    static func ascii(_ label: ArraySlice<UInt8>) -> [UInt8]? {
        guard label.contains(where: { $0 >= 0x80 }) else { return label.map(\.asciiLowercased) }
        guard let text = String(validating: label, as: UTF8.self) else { return nil }
        // Characters: labels outside ASCII are lowered as Unicode does it (UTS #46).
        let scalars = Array(text.lowercased().unicodeScalars)
        guard scalars.count <= Self.longestLabel, let code = Punycode.encode(scalars) else { return nil }
        return Array("xn--\(code)".utf8)
    }
}
