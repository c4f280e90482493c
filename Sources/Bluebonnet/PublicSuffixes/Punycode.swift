// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The ASCII form of international labels (RFC 3492).
enum Punycode {
    /// The longest label that is encoded, in characters; a label of a domain has 63 bytes at most.
    private static var longestLabel: Int { 63 }

    /// The ASCII form of a label: `xn--` and its code, or the label in lower case if it is ASCII already.
    ///
    /// - Returns: Nil if the label is not UTF-8, or longer than a label can be.
    static func label(_ label: ArraySlice<UInt8>) -> [UInt8]? {
        guard label.contains(where: { $0 >= 0x80 }) else { return label.map(\.asciiLowercased) }
        guard let text = String(validating: label, as: UTF8.self) else { return nil }
        let scalars = text.lowercased().unicodeScalars.map(\.value)
        guard scalars.count <= Self.longestLabel else { return nil }
        return Array("xn--".utf8) + Self.encode(scalars)
    }

    /// The encoding procedure of RFC 3492 section 6.3.
    ///
    /// With 63 characters at most, no number comes near the end of its range.
    private static func encode(_ scalars: [UInt32]) -> [UInt8] {
        var output = scalars.filter { $0 < 0x80 }.map { UInt8(truncatingIfNeeded: $0) }
        var handled = output.count
        if handled > 0 { output.append(UInt8(ascii: "-")) }
        let basic = handled
        var (code, delta, bias): (UInt32, Int, Int) = (0x80, 0, 72)
        while handled < scalars.count, let next = scalars.filter({ $0 >= code }).min() {
            delta += Int(next - code) * (handled + 1)
            code = next
            for scalar in scalars {
                if scalar < code { delta += 1 }
                guard scalar == code else { continue }
                Self.append(delta, bias, to: &output)
                bias = Self.adapt(delta, count: handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            code += 1
        }
        return output
    }

    /// Writes a number as digits of variable length.
    private static func append(_ delta: Int, _ bias: Int, to output: inout [UInt8]) {
        var (rest, position) = (delta, 36)
        while true {
            let threshold = min(max(position - bias, 1), 26)
            guard rest >= threshold else { break }
            output.append(Self.digit(threshold + (rest - threshold) % (36 - threshold)))
            rest = (rest - threshold) / (36 - threshold)
            position += 36
        }
        output.append(Self.digit(rest))
    }

    private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var position = 0
        while delta > 455 {
            delta /= 35
            position += 36
        }
        return position + 36 * delta / (delta + 38)
    }

    private static func digit(_ value: Int) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value)
        return value < 26 ? UInt8(ascii: "a") + value : UInt8(ascii: "0") + (value - 26)
    }
}
