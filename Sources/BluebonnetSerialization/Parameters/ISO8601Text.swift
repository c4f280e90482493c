// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Dates as text: `2001-01-01T00:00:00Z` (RFC 3339), always in UTC, without fractions of a second.
enum ISO8601Text {
    /// The text of a date.
    ///
    /// - Throws: ``SerializationError/Code/unencodableValue`` outside the years 0 to 9999, which is what four digits can say.
    static func text(of date: Date) throws(SerializationError) -> String {
        let interval = date.timeIntervalSince1970.rounded(.down)
        // The first second of year 0 and of year 10000.
        guard interval >= -62_167_219_200, interval < 253_402_300_800 else {
            throw SerializationError(
                .unencodableValue,
                reason: "The date lies outside the years 0 to 9999 and has no ISO 8601 text."
            )
        }
        let seconds = Int(interval)
        let secondOfDay = ((seconds % 86_400) + 86_400) % 86_400
        let (year, month, day) = Self.civilDate(dayNumber: (seconds - secondOfDay) / 86_400)
        var output = ByteBuilder(capacity: 32)
        Self.append(year, digits: 4, to: &output)
        output.append("-")
        Self.append(month, digits: 2, to: &output)
        output.append("-")
        Self.append(day, digits: 2, to: &output)
        output.append("T")
        Self.append(secondOfDay / 3_600, digits: 2, to: &output)
        output.append(":")
        Self.append(secondOfDay / 60 % 60, digits: 2, to: &output)
        output.append(":")
        Self.append(secondOfDay % 60, digits: 2, to: &output)
        output.append("Z")
        return output.makeString()
    }

    private static func append(_ number: Int, digits: Int, to output: inout ByteBuilder) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }

    /// The date of a day in the proleptic Gregorian calendar, counted from 1 January 1970.
    ///
    /// Years begin in March here, so that the leap day is the last of its year, and 400 of them always have 146,097 days.
    private static func civilDate(dayNumber: Int) -> (year: Int, month: Int, day: Int) {
        let day = dayNumber + 719_468
        let era = (day >= 0 ? day : day - 146_096) / 146_097
        let dayOfEra = day - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
