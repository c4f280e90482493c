// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The seconds without their fraction, clamped to zero and 1,000 years.
    ///
    /// A duration beyond 64 bits of seconds has no `components`, and a date so far away no number of seconds.
    var wholeSeconds: Int64 {
        let longest = Duration.seconds(1_000 * 365 * 86_400)
        return min(max(self, .zero), longest).components.seconds
    }
}
