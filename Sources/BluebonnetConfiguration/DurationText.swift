// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Durations in a readable form: a number and a unit, `500ms`, `1.5s`, `2m`, `1h` or `1d`.
enum DurationText {
    /// The units, in milliseconds.
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    private static var largestDigitCount: Int { 9 }

    /// Parses a duration; nil if it is invalid, negative, or has more than nine digits before or after its point.
    static func parse(_ text: String) -> Duration? {
        let number = text.utf8.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        let unit = text.utf8[number.endIndex...]
        guard let milliseconds = Self.units.first(where: { $0.name.utf8.elementsEqual(unit) })?.milliseconds else {
            return nil
        }
        let parts = number.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ (1...Self.largestDigitCount).contains($0.count) }),
            let whole = parts.first.flatMap({ Int64(String(decoding: $0, as: UTF8.self)) })
        else { return nil }
        // Nine digits times the largest unit cannot overflow.
        let duration = Duration.milliseconds(whole * milliseconds)
        guard parts.count == 2 else { return duration }
        let digits = String(decoding: parts[1], as: UTF8.self)
        let padded = digits + String(repeating: "0", count: Self.largestDigitCount - parts[1].count)
        guard let billionths = Int64(padded) else { return nil }
        return duration + .nanoseconds(billionths * milliseconds / 1_000)
    }
}
