// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Punycode (RFC 3492): the ASCII encoding of internationalized labels.
package enum Punycode {
    /// Encodes the scalars of a label.
    ///
    /// - Parameter scalars: The label, normalised and in lower case.
    /// - Returns: ASCII text without the prefix `xn--`; nil on overflow.
    package static func encode(_ scalars: [Unicode.Scalar]) -> String? {
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

    /// Appends a generalized variable-length integer (section 6.3).
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

    /// Returns the adapted bias (section 6.1).
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
