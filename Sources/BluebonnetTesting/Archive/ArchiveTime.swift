// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Moments and durations in the words of an archive: ISO 8601, and milliseconds.
enum ArchiveTime {
    static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// A moment with or without fractions of a second; nil for a text that is none.
    static func date(_ text: String) -> Date? {
        let styles = [true, false].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
        return styles.lazy.compactMap { try? $0.parse(text) }.first
    }

    static func milliseconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) * 1e3 + Double(duration.components.attoseconds) / 1e15
    }

    /// Zero for what is no time: programs write -1 for one that they do not know.
    static func duration(milliseconds: Double?) -> Duration {
        // A year is longer than any exchange, and far from what a duration cannot hold.
        guard let milliseconds, milliseconds > 0, milliseconds < 365 * 86_400_000 else { return .zero }
        return .microseconds(Int64(milliseconds * 1000))
    }
}
