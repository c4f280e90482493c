// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The ASCII form of a host with letters outside ASCII (IDNA 2008, RFC 5891; mapped to lower case as in UTS #46).
enum InternationalHost {
    /// The longest label of a name (RFC 1035 section 2.3.4).
    private static let longestLabel = 63

    /// Converts a host.
    ///
    /// - Parameter host: The host as a person writes it.
    /// - Returns: The host with `xn--` labels; nil if it contains a character that no host has, or one in a form that has to be normalized
    ///   first, for example full-width letters or a Latin letter with a mark behind it.
    static func ascii(_ host: some StringProtocol) -> String? {
        var labels: [String] = []
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
        guard label.allSatisfy(Self.isAllowed), let encoded = Punycode.encode(label) else { return nil }
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

/// Punycode (RFC 3492).
enum Punycode {
    /// Encodes the scalars of a label.
    ///
    /// - Returns: ASCII text without the prefix `xn--`; nil if a number in it would be too large.
    static func encode(_ scalars: [Unicode.Scalar]) -> String? {
        let basic = scalars.filter(\.isASCII)
        var output = String.UnicodeScalarView(basic)
        if !basic.isEmpty { output.append("-") }
        var (code, delta, bias, handled) = (UInt32(128), 0, 72, basic.count)
        while handled < scalars.count {
            guard let next = scalars.lazy.map(\.value).filter({ $0 >= code }).min() else { return nil }
            let (step, overflow) = Int(next - code).multipliedReportingOverflow(by: handled + 1)
            guard !overflow, delta <= Int(Int32.max) - step else { return nil }
            delta += step
            code = next
            for scalar in scalars {
                if scalar.value < code { delta += 1 }
                guard scalar.value == code else { continue }
                Self.append(delta, bias: bias, to: &output)
                bias = Self.adapted(delta, count: handled + 1, isFirst: handled == basic.count)
                delta = 0
                handled += 1
            }
            delta += 1
            code += 1
        }
        return String(output)
    }

    /// Section 6.3: a number in digits of variable weight.
    private static func append(_ delta: Int, bias: Int, to output: inout String.UnicodeScalarView) {
        var rest = delta
        var position = 36
        while true {
            let threshold = min(max(position - bias, 1), 26)
            guard rest >= threshold else { break }
            output.append(Self.digit(threshold + (rest - threshold) % (36 - threshold)))
            rest = (rest - threshold) / (36 - threshold)
            position += 36
        }
        output.append(Self.digit(rest))
    }

    /// Section 6.1.
    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var position = 0
        while delta > 35 * 26 / 2 {
            delta /= 35
            position += 36
        }
        return position + 36 * delta / (delta + 38)
    }

    private static func digit(_ value: Int) -> Unicode.Scalar {
        Unicode.Scalar(UInt8(truncatingIfNeeded: value < 26 ? 0x61 + value : 0x30 + value - 26))
    }
}
