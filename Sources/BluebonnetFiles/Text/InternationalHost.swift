// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The ASCII form of an internationalized host name (IDNA 2008, RFC 5891; mapped to lower case as in UTS #46).
package enum InternationalHost {
    /// The longest label of a host name (RFC 1035 section 2.3.4).
    private static let longestLabel = 63

    /// Converts a host.
    ///
    /// - Parameter host: The host as it is written.
    /// - Returns: The host with `xn--` labels; nil if it contains an invalid character, or one that has to be
    ///   normalized first, for example full-width letters or a Latin letter with a combining mark.
    package static func ascii(_ host: some StringProtocol) -> String? {
        var labels: [String] = []
        // Characters: labels outside ASCII are converted to lower case by Unicode's rules (UTS #46).
        for label in host.lowercased().unicodeScalars.split(
            omittingEmptySubsequences: false,
            whereSeparator: Self.isDot
        ) {
            guard let converted = Self.ascii(label: Array(label)) else { return nil }
            labels.append(converted)
        }
        return labels.joined(separator: ".")
    }

    private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "." || scalar == "\u{3002}" || scalar == "\u{FF0E}" || scalar == "\u{FF61}"
    }

    private static func ascii(label: [Unicode.Scalar]) -> String? {
        if label.allSatisfy(\.isASCII) { return String(String.UnicodeScalarView(label)) }
        // Punycode has a byte for each character at least, and takes a time that grows with their square.
        guard label.count <= Self.longestLabel, label.allSatisfy(Self.isAllowed) else { return nil }
        guard let encoded = Punycode.encode(label) else { return nil }
        let text = "xn--" + encoded
        return text.utf8.count <= Self.longestLabel ? text : nil
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "ß" || scalar == "ς" { return true }
        let isCombiningDiacritic = (0x300...0x36F).contains(scalar.value)
        if isCombiningDiacritic || scalar.properties.changesWhenNFKCCaseFolded { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
            .paragraphSeparator:
            return false
        default:
            return true
        }
    }
}
