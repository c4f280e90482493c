// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The time of day, from which the ages of stored responses are calculated.
package struct WallClock: Sendable {
    private let source: @Sendable () -> Int64

    /// The system's time.
    package static let system = WallClock {
        let now = Date().timeIntervalSince1970.rounded(.down)
        return Int64(exactly: now) ?? 0
    }

    /// Creates a clock that a test controls.
    ///
    /// - Parameter source: The seconds since 1970.
    package init(_ source: @escaping @Sendable () -> Int64) {
        self.source = source
    }

    /// The seconds since 1970.
    package var now: Int64 { self.source() }
}
