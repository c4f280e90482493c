// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// The dates of cookies, in all forms that servers use (RFC 6265bis section 5.1.1).
struct CookieDate {
    private var time: (hour: Int, minute: Int, second: Int)?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// Parses a date.
    ///
    /// - Returns: The date; nil if a part is missing, out of its range, or if there is no such day.
    static func parse(_ text: some Collection<UInt8>) -> Date? {
        var date = CookieDate()
        for token in text.split(whereSeparator: Self.isDelimiter) { date.take(Array(token)) }
        return date.seconds.map { Date(timeIntervalSince1970: Double($0)) }
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Uses a token for the first missing part whose form it has, in the order of the specification.
    private mutating func take(_ token: [UInt8]) {
        if self.time == nil, let time = Self.time(token) {
            self.time = time
        } else if self.day == nil, let day = Self.number(token, digits: 1...2) {
            self.day = day
        } else if self.month == nil, let month = Self.month(token) {
            self.month = month
        } else if self.year == nil, let year = Self.number(token, digits: 2...4) {
            self.year = year
        }
    }

    /// The leading digits of a token, if their number is allowed; what follows them does not matter.
    private static func number(_ token: [UInt8], digits: ClosedRange<Int>) -> Int? {
        let number = token.prefix { $0.isASCIIDigit }
        guard digits.contains(number.count) else { return nil }
        return number.decimalNumber()
    }

    private static func time(_ token: [UInt8]) -> (Int, Int, Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(\.isASCIIDigit), parts[1].allSatisfy(\.isASCIIDigit),
            let hour = Self.number(Array(parts[0]), digits: 1...2),
            let minute = Self.number(Array(parts[1]), digits: 1...2),
            let second = Self.number(Array(parts[2]), digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func month(_ token: [UInt8]) -> Int? {
        let name = token.prefix(3).map(\.asciiLowercased)
        return self.months.firstIndex { $0.utf8.elementsEqual(name) }.map { $0 + 1 }
    }

    /// The seconds since 1970, if all parts are present and form a date.
    private var seconds: Int? {
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 }
        if (0...69).contains(year) { year += 2000 }
        let date = CivilDate(year: year, month: month, day: day)
        guard year >= 1601, date.isValid, time.hour <= 23, time.minute <= 59, time.second <= 59 else { return nil }
        return (date.dayNumber * 24 + time.hour) * 3600 + time.minute * 60 + time.second
    }
}
