// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Dates of HTTP (RFC 9110 section 5.6.7), as whole seconds since 1970 in UTC.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let shortDays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let longDays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    /// Parses a date in one of the three forms of the RFC, to the letter.
    ///
    /// - Parameters:
    ///   - text: The field's value.
    ///   - now: The time now: a year of two digits is never more than 50 years ahead of it.
    /// - Returns: The seconds since 1970; nil if it is anything else than one of the three forms.
    static func parse(_ text: some StringProtocol, now: Int64) -> Int64? {
        var scanner = Scanner(Array(text.utf8))
        if let date = scanner.fixDate() { return date }
        scanner.rewind()
        if let date = scanner.obsoleteDate(now: now) { return date }
        scanner.rewind()
        return scanner.asctimeDate()
    }

    /// The seconds since 1970 of a date of the Gregorian calendar; nil if there is no such date.
    static func seconds(year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64) -> Int64? {
        guard (1...12).contains(month), (1...Self.length(of: month, year)).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second), (0...9999).contains(year)
        else { return nil }
        // Days since 1970 by the rule of 400 years, with years that begin in March.
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return days * 86_400 + hour * 3600 + minute * 60 + second
    }

    private static func length(of month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private struct Scanner {
        private let bytes: [UInt8]
        private var position = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func rewind() { self.position = 0 }

        // Sun, 06 Nov 1994 08:49:37 GMT
        mutating func fixDate() -> Int64? {
            guard self.word(of: HTTPDate.shortDays) != nil, self.literal(", "), let day = self.digits(2),
                self.literal(" "), let month = self.word(of: HTTPDate.months), self.literal(" "),
                let year = self.digits(4), self.literal(" "), let time = self.time(), self.literal(" GMT"), self.isAtEnd
            else { return nil }
            return self.seconds(year, month, day, time)
        }

        // Sunday, 06-Nov-94 08:49:37 GMT
        mutating func obsoleteDate(now: Int64) -> Int64? {
            guard self.word(of: HTTPDate.longDays) != nil, self.literal(", "), let day = self.digits(2),
                self.literal("-"), let month = self.word(of: HTTPDate.months), self.literal("-"),
                let year = self.digits(2), self.literal(" "), let time = self.time(), self.literal(" GMT"), self.isAtEnd
            else { return nil }
            // 2070 here would be more than 50 years ahead in 1994: then it was 1970.
            let limit = now &+ 50 * 31_556_952
            let century = self.seconds(2000 + year, month, day, time)
            if let century, century <= limit { return century }
            return self.seconds(1900 + year, month, day, time)
        }

        // Sun Nov  6 08:49:37 1994
        mutating func asctimeDate() -> Int64? {
            guard self.word(of: HTTPDate.shortDays) != nil, self.literal(" "),
                let month = self.word(of: HTTPDate.months), self.literal(" "),
                let day = self.literal(" ") ? self.digits(1) : self.digits(2), self.literal(" "),
                let time = self.time(), self.literal(" "), let year = self.digits(4), self.isAtEnd
            else { return nil }
            return self.seconds(year, month, day, time)
        }

        private var isAtEnd: Bool { self.position == self.bytes.count }

        private mutating func time() -> (Int64, Int64, Int64)? {
            guard let hour = self.digits(2), self.literal(":"), let minute = self.digits(2), self.literal(":"),
                let second = self.digits(2)
            else { return nil }
            return (hour, minute, second)
        }

        private func seconds(_ year: Int64, _ month: Int, _ day: Int64, _ time: (Int64, Int64, Int64)) -> Int64? {
            HTTPDate.seconds(
                year: year,
                month: Int64(month) + 1,
                day: day,
                hour: time.0,
                minute: time.1,
                second: time.2
            )
        }

        private mutating func literal(_ text: StaticString) -> Bool {
            let found = text.withUTF8Buffer { self.bytes[self.position...].starts(with: $0) }
            if found { self.position += text.utf8CodeUnitCount }
            return found
        }

        private mutating func word(of words: [String]) -> Int? {
            guard let index = words.firstIndex(where: { self.bytes[self.position...].starts(with: $0.utf8) }) else {
                return nil
            }
            self.position += words[index].utf8.count
            return index
        }

        private mutating func digits(_ count: Int) -> Int64? {
            guard self.bytes.count - self.position >= count else { return nil }
            var number: Int64 = 0
            for byte in self.bytes[self.position..<self.position + count] {
                guard (0x30...0x39).contains(byte) else { return nil }
                number = number * 10 + Int64(byte - 0x30)
            }
            self.position += count
            return number
        }
    }
}
