// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A date of the proleptic Gregorian calendar.
///
/// The calculations are those of years that begin in March, so that the leap day is the last day of its year, and of eras
/// of 400 years, which always have 146,097 days.
package struct CivilDate {
    package var year: Int
    /// The month, from 1 to 12.
    package var month: Int
    /// The day of the month, from 1.
    package var day: Int

    /// Creates a date that is not checked.
    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Creates the date of a day, counted from 1 January 1970.
    package init(dayNumber: Int) {
        let shiftedDay = dayNumber + 719_468
        let era = Self.era(shiftedDay, of: 146_097)
        let dayOfEra = shiftedDay - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        self.month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        self.year = era * 400 + yearOfEra + (self.month <= 2 ? 1 : 0)
        self.day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    }

    /// The number of days since 1 January 1970.
    package var dayNumber: Int {
        let shiftedYear = self.month <= 2 ? self.year - 1 : self.year
        let era = Self.era(shiftedYear, of: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * ((self.month + 9) % 12) + 2) / 5 + self.day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Whether there is such a day.
    package var isValid: Bool { 1...12 ~= self.month && self.day >= 1 && self.day <= self.dayCountOfMonth }

    private var dayCountOfMonth: Int {
        let isLeap = self.year.isMultiple(of: 4) && (!self.year.isMultiple(of: 100) || self.year.isMultiple(of: 400))
        return switch self.month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the quotient, rounded down.
    private static func era(_ number: Int, of length: Int) -> Int {
        (number >= 0 ? number : number - length + 1) / length
    }
}
