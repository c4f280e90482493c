// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension TimeAmount {
    /// The longest supported limit, in nanoseconds: 18 years.
    ///
    /// The sum of a dozen such limits still fits into 64 bits.
    fileprivate static let longest: Int64 = .max / 16

    /// Converts a limit to nanoseconds, clamped to zero and the longest supported limit.
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
    /// The limit, clamped to zero and the longest supported limit.
    ///
    /// A duration beyond 64 bits of seconds cannot even be printed.
    var asLimit: Duration { Swift.min(Swift.max(self, .zero), .nanoseconds(TimeAmount.longest)) }
}
