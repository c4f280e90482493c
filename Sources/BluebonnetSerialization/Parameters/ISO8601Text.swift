// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// Dates as text: `2001-01-01T00:00:00Z` (RFC 3339), encoded in UTC.
///
/// A fraction of a second has 3, 6 or 9 digits, the fewest that parse to the same date; a date without a fraction has
/// none.
enum ISO8601Text {
    /// The seconds from 1 January 1970 to 1 January 2001, the reference date of `Date`.
    private static let referenceSeconds = 978_307_200

    /// Returns the text of a date.
    ///
    /// - Throws: ``SerializationError/Code/unencodableValue`` outside the years 0 to 9999, which four digits can
    ///   represent.
    static func text(of date: Date) throws(SerializationError) -> String {
        let interval = date.timeIntervalSinceReferenceDate
        // Far outside every valid range, so that the conversion to an integer cannot trap; false for not-a-number.
        guard interval > -1e12, interval < 1e12 else { throw Self.outOfRange }
        var seconds = Int(interval.rounded(.down)) + Self.referenceSeconds
        let fraction = Self.fraction(of: interval)
        if fraction.carries { seconds += 1 }
        // The first second of year 0 and of year 10000.
        guard seconds >= -62_167_219_200, seconds < 253_402_300_800 else { throw Self.outOfRange }
        let secondOfDay = ((seconds % 86_400) + 86_400) % 86_400
        let date = CivilDate(dayNumber: (seconds - secondOfDay) / 86_400)
        var output = ByteBuilder(capacity: 32)
        Self.append(date.year, digits: 4, to: &output)
        output.append("-")
        Self.append(date.month, digits: 2, to: &output)
        output.append("-")
        Self.append(date.day, digits: 2, to: &output)
        output.append("T")
        Self.append(secondOfDay / 3_600, digits: 2, to: &output)
        output.append(":")
        Self.append(secondOfDay / 60 % 60, digits: 2, to: &output)
        output.append(":")
        Self.append(secondOfDay % 60, digits: 2, to: &output)
        if fraction.digits > 0 {
            output.append(".")
            Self.append(fraction.number, digits: fraction.digits, to: &output)
        }
        output.append("Z")
        return output.makeString()
    }

    /// Parses RFC 3339 text; returns nil for anything else.
    ///
    /// Any number of fractional digits is accepted, of which 9 count. The offset may lack its colon or its minutes (ISO
    /// 8601), `T` and `Z` may be in lower case, and a space may replace `T` (RFC 3339 section 5.6). A leap second
    /// becomes the first second after it.
    static func date(of text: String) -> Date? {
        var reader = ISO8601Reader(text)
        guard let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"),
            let day = reader.number(digits: 2), reader.skip("T", "t", " "),
            let hour = reader.number(digits: 2), reader.skip(":"),
            let minute = reader.number(digits: 2), reader.skip(":"),
            let second = reader.number(digits: 2),
            let fraction = reader.fraction(),
            let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.isValid, hour <= 23, minute <= 59, second <= 60 else { return nil }
        let seconds =
            date.dayNumber * 86_400 + hour * 3_600 + minute * 60 + second - offset - Self.referenceSeconds
        return Date(timeIntervalSinceReferenceDate: Double(seconds) + fraction)
    }

    private static var outOfRange: SerializationError {
        SerializationError(
            .unencodableValue,
            reason: "the date lies outside the years 0 to 9999 and has no ISO 8601 text"
        )
    }

    /// Returns the fractional digits, and whether they round up to the next second.
    private static func fraction(of interval: Double) -> (number: Int, digits: Int, carries: Bool) {
        let whole = interval.rounded(.down)
        // Exact: a number minus its own integral part needs no more bits than the number has.
        let fraction = interval - whole
        for (digits, scale) in [(0, 1.0), (3, 1e3), (6, 1e6), (9, 1e9)] {
            let number = (fraction * scale).rounded()
            guard whole + number / scale == interval || digits == 9 else { continue }
            return number < scale ? (Int(number), digits, false) : (0, 0, true)
        }
        return (0, 0, false)
    }

    private static func append(_ number: Int, digits: Int, to output: inout ByteBuilder) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }
}
