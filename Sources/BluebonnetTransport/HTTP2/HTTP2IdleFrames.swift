// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Counts frames without progress for any exchange, which cost the peer next to nothing and the client processor time.
struct HTTP2IdleFrames {
    /// The number of consecutive ones after which the peer counts as hostile.
    static let limit = 10_000
    /// The time in which they count; a peer that asks now and then whether we are alive does no harm.
    static let span = TimeAmount.seconds(30)

    private var count = 0
    private var since = NIODeadline.uptimeNanoseconds(0)

    /// There was progress.
    mutating func reset() { self.count = 0 }

    /// A frame came without progress.
    mutating func add(_ now: NIODeadline) throws(HTTP2Fault) {
        if self.count == 0 { self.since = now }
        self.count += 1
        guard self.count > Self.limit else { return }
        guard self.since + Self.span < now else {
            throw .limit("the peer sent \(Self.limit) frames without any part of a response")
        }
        self.count = 0
    }
}
