// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Counts frames that advance no exchange; they cost the server almost nothing and the client processor time.
struct HTTP2IdleFrames {
    /// The number of consecutive such frames after which the server is treated as hostile.
    static let limit = 10_000
    /// The period in which they are counted; an occasional PING does no harm.
    static let span = TimeAmount.seconds(30)

    private var count = 0
    private var since = NIODeadline.uptimeNanoseconds(0)

    /// Resets the count after progress.
    mutating func reset() { self.count = 0 }

    /// Counts a frame without progress.
    mutating func add(_ now: NIODeadline) throws(HTTP2Error) {
        if self.count == 0 { self.since = now }
        self.count += 1
        guard self.count > Self.limit else { return }
        guard self.since + Self.span < now else {
            throw .limit("the server sent \(Self.limit) frames without any part of a response")
        }
        self.count = 0
    }
}
