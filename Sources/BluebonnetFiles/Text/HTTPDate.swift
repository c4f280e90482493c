// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Parses an HTTP-date in its three formats (RFC 9110 section 5.6.7), and formats the first one.
///
/// ```text
/// Sun, 06 Nov 1994 08:49:37 GMT        IMF-fixdate
/// Sunday, 06-Nov-94 08:49:37 GMT       RFC 850
/// Sun Nov  6 08:49:37 1994             asctime
/// ```
package enum HTTPDate {
    private static let shortDays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let longDays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses a date as seconds since 1 January 1970.
    ///
    /// The day name must be valid, but is not compared with the date. A leap second becomes the second that follows it.
    ///
    /// - Parameters:
    ///   - text: The date.
    ///   - now: The current time: a two-digit year is in the hundred years that end 50 years after it.
    /// - Returns: Nil if the text has none of the formats, or the date does not exist.
    package static func seconds(_ text: Substring.UTF8View, now: Int64) -> Int64? {
        var scanner = DateScanner(rest: text)
        if scanner.skip(anyOf: self.longDays, then: ", ") { return self.rfc850(&scanner, now) }
        if scanner.skip(anyOf: self.shortDays, then: ", ") { return self.fixdate(&scanner) }
        if scanner.skip(anyOf: self.shortDays, then: " ") { return self.asctime(&scanner) }
        return nil
    }

    /// Parses the whole value of a field in the same way.
    package static func seconds(_ text: String, now: Int64) -> Int64? { self.seconds(text.utf8[...], now: now) }

    /// Formats a time as an IMF-fixdate; a time before the year 1 or after 9999 becomes the nearest one that can be
    /// formatted.
    package static func text(_ seconds: Int64) -> String {
        let seconds = min(max(seconds, -62_135_596_800), 253_402_300_799)
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let time = Int(seconds) - days * 86_400
        let date = CivilDate(dayNumber: days)
        let clock = [time / 3600, time / 60 % 60, time % 60].map { self.padded($0, 2) }.joined(separator: ":")
        let day = "\(self.padded(date.day, 2)) \(self.months[date.month - 1]) \(self.padded(date.year, 4))"
        // 1 January 1970 was a Thursday.
        return "\(self.shortDays[((days + 3) % 7 + 7) % 7]), \(day) \(clock) GMT"
    }

    private static func fixdate(_ scanner: inout DateScanner) -> Int64? {
        guard let day = scanner.number(2), scanner.skip(" "), let month = scanner.index(in: self.months),
            scanner.skip(" "), let year = scanner.number(4), scanner.skip(" "), let time = scanner.time(),
            scanner.skip(" GMT"), scanner.isAtEnd
        else { return nil }
        return self.seconds(year, month + 1, day, time)
    }

    private static func rfc850(_ scanner: inout DateScanner, _ now: Int64) -> Int64? {
        guard let day = scanner.number(2), scanner.skip("-"), let month = scanner.index(in: self.months),
            scanner.skip("-"), let shortYear = scanner.number(2), scanner.skip(" "), let time = scanner.time(),
            scanner.skip(" GMT"), scanner.isAtEnd
        else { return nil }
        let latest = self.year(of: now) + 50
        // The last year up to then that ends with these digits.
        let year = latest - (latest - shortYear) % 100
        return self.seconds(year, month + 1, day, time)
    }

    private static func asctime(_ scanner: inout DateScanner) -> Int64? {
        guard let month = scanner.index(in: self.months), scanner.skip(" "),
            let day = scanner.skip(" ") ? scanner.number(1) : scanner.number(2), scanner.skip(" "),
            let time = scanner.time(), scanner.skip(" "), let year = scanner.number(4), scanner.isAtEnd
        else { return nil }
        return self.seconds(year, month + 1, day, time)
    }

    private static func seconds(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> Int64? {
        let date = CivilDate(year: year, month: month, day: day)
        guard year >= 1, date.isValid else { return nil }
        return Int64(date.dayNumber) * 86_400 + Int64(time)
    }

    private static func padded(_ number: Int, _ digitCount: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(digitCount - digits.utf8.count, 0)) + digits
    }

    /// Returns the year of a time; its boundaries are accurate to a day, because years have 365.2425 days.
    private static func year(of seconds: Int64) -> Int {
        1970 + Int(min(max(seconds, 0), 1 << 40)) / 31_556_952
    }
}

/// Parses a date from its beginning, byte by byte.
private struct DateScanner {
    var rest: Substring.UTF8View

    var isAtEnd: Bool { self.rest.isEmpty }

    mutating func skip(_ text: String) -> Bool {
        guard self.rest.starts(with: text.utf8) else { return false }
        self.rest = self.rest.dropFirst(text.utf8.count)
        return true
    }

    mutating func skip(anyOf words: [String], then end: String) -> Bool {
        words.contains { self.skip($0 + end) }
    }

    mutating func index(in words: [String]) -> Int? {
        words.firstIndex { self.skip($0) }
    }

    /// Parses a number with exactly this many digits.
    mutating func number(_ digitCount: Int) -> Int? {
        let digits = self.rest.prefix(digitCount)
        guard digits.count == digitCount, let number: Int = digits.decimalNumber() else { return nil }
        self.rest = self.rest.dropFirst(digitCount)
        return number
    }

    /// Parses the time of day in seconds.
    mutating func time() -> Int? {
        guard let hour = self.number(2), hour < 24, self.skip(":"), let minute = self.number(2), minute < 60,
            self.skip(":"), let second = self.number(2), second <= 60
        else { return nil }
        return (hour * 60 + minute) * 60 + second
    }
}
