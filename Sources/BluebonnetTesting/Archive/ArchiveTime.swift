// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Dates and durations in the format of an archive: ISO 8601, and milliseconds.
enum ArchiveTime {
    static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Parses a date with or without fractional seconds; returns nil for anything else.
    static func date(_ text: String) -> Date? {
        let styles = [true, false].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
        return styles.lazy.compactMap { try? $0.parse(text) }.first
    }

    static func milliseconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) * 1e3 + Double(duration.components.attoseconds) / 1e15
    }

    /// Converts milliseconds; zero for invalid values, because programs write -1 for unknown ones.
    static func duration(milliseconds: Double?) -> Duration {
        // A year is longer than any exchange, and far below the range of a duration.
        guard let milliseconds, milliseconds > 0, milliseconds < 365 * 86_400_000 else { return .zero }
        return .microseconds(Int64(milliseconds * 1000))
    }
}
