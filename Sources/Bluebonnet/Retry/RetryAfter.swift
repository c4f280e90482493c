// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

/// The field `Retry-After` (RFC 9110 section 10.2.3): a number of seconds, or a date.
enum RetryAfter {
    /// The limit to which longer times are reduced: 34,865 years.
    private static let longest = Int64(1) << 40

    /// How long the server asks to wait.
    ///
    /// A date is measured against the response's Date field, because the server's clock may be wrong; without one, against the time of day.
    ///
    /// - Parameters:
    ///   - headers: The header fields of the response.
    ///   - now: The time of day, in seconds since 1970.
    /// - Returns: The time, the longest of several; nil if there is no valid field.
    static func delay(_ headers: HTTPFields, now: () -> Int64) -> Duration? {
        let values = headers[values: .retryAfter]
        guard !values.isEmpty else { return nil }
        return values.compactMap { self.seconds($0, headers, now) }.max().map { .seconds($0) }
    }

    private static func seconds(_ value: String, _ headers: HTTPFields, _ now: () -> Int64) -> Int64? {
        let text = value.utf8.trimmingBlanks
        if let seconds = text.decimalNumber(clampedTo: self.longest) { return seconds }
        let now = now()
        guard let date = HTTPDate.seconds(text, now: now) else { return nil }
        let reference = headers[.date].flatMap { HTTPDate.seconds($0.utf8.trimmingBlanks, now: now) } ?? now
        return min(max(date - reference, 0), self.longest)
    }
}
