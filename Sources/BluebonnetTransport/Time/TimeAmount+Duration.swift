// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension TimeAmount {
    /// The longest limit that is counted, in nanoseconds: 18 years.
    ///
    /// A sum of a dozen of them still fits into 64 bits.
    fileprivate static let longest: Int64 = .max / 16

    /// A limit as an amount of nanoseconds: a negative limit is zero, and a longer one than is counted is the longest.
    init(_ limit: Duration) {
        if limit <= .zero {
            self = .nanoseconds(0)
        } else if limit >= .nanoseconds(Self.longest) {
            self = .nanoseconds(Self.longest)
        } else {
            let (seconds, attoseconds) = limit.components
            self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        }
    }
}

extension Duration {
    /// The limit as it is counted: not below zero, and not above the longest.
    ///
    /// A duration beyond 64 bits of seconds cannot even be printed.
    var asLimit: Duration { Swift.min(Swift.max(self, .zero), .nanoseconds(TimeAmount.longest)) }
}
