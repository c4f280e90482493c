// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Formatting of sizes, rates and times.
enum ByteText {
    private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]

    /// Returns a size with its unit, for example `256.0 MiB`.
    static func size(_ byteCount: Int64) -> String {
        var value = Double(byteCount)
        var unit = 0
        // 1023.95 would be rounded to 1024.0.
        while value >= 1023.95, unit < Self.units.count - 1 {
            value /= 1024
            unit += 1
        }
        return unit == 0 ? "\(byteCount) B" : "\(Self.fixed(value, digits: 1)) \(Self.units[unit])"
    }

    /// Returns a rate, for example `84.3 MiB/s`.
    static func rate(_ bytesPerSecond: Double) -> String {
        guard bytesPerSecond.isFinite, bytesPerSecond >= 0 else { return "- B/s" }
        return Self.size(Int64(min(bytesPerSecond, 1e18))) + "/s"
    }

    /// Returns a time in hours, minutes and seconds, for example `0:07` or `1:02:03`.
    static func clock(_ duration: Duration) -> String {
        // Rounded up, except for the rounding error of the division.
        let seconds = max(0, Int((min(duration / .seconds(1), 1e9) - 1e-6).rounded(.up)))
        let (minutes, hours) = (seconds / 60 % 60, seconds / 3600)
        let tail = Self.twoDigits(seconds % 60)
        return hours > 0 ? "\(hours):\(Self.twoDigits(minutes)):\(tail)" : "\(minutes):\(tail)"
    }

    /// Returns a short time with its unit, for example `12.3 ms` or `4.21 s`.
    static func span(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        if milliseconds < 1000 { return "\(Self.fixed(milliseconds, digits: 1)) ms" }
        return "\(Self.fixed(milliseconds / 1000, digits: 2)) s"
    }

    /// Returns a number with a fixed number of fractional digits.
    static func fixed(_ value: Double, digits: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "-" }
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int64((abs(value) * scale).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % Int64(scale))
        return sign + "\(scaled / Int64(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
