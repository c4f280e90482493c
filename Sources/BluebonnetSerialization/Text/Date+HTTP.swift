// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials

extension Date {
    /// Creates a date from the value of a field such as Date, Last-Modified or Expires.
    ///
    /// ```swift
    /// let modified = response.headers[.lastModified].flatMap(Date.init(httpDate:))
    /// ```
    ///
    /// The three formats of RFC 9110 section 5.6.7 are accepted. The day of the week is not compared with the date, a
    /// leap second becomes the second that follows it, and a year of two digits is at most 50 years in the future. The
    /// result is nil if the text has none of the formats, or names a date that does not exist.
    ///
    /// - Parameter text: The whole value, without blanks around it.
    public init?(httpDate text: String) {
        guard let seconds = HTTPDate.seconds(text, now: Int64(Date().timeIntervalSince1970)) else { return nil }
        self.init(timeIntervalSince1970: Double(seconds))
    }

    /// The date as the value of a field, for example `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
    ///
    /// Fractions of a second are cut off. A date before the year 1 or after the year 9999 becomes the nearest one that
    /// the format has; one that is not a number becomes the first.
    public var httpDate: String {
        let seconds = self.timeIntervalSince1970.rounded(.down)
        // The first comparison is false for what is not a number, too.
        guard seconds > -0x1p62 else { return HTTPDate.text(.min) }
        guard seconds < 0x1p62 else { return HTTPDate.text(.max) }
        return HTTPDate.text(Int64(seconds))
    }
}
