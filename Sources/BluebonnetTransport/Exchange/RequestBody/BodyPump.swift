// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Writes a request body to a connection.
protocol BodyPump: AnyObject {
    /// Whether it waits for its source; the peer is then not the one that is slow.
    var isReading: Bool { get }

    /// Continues writing, unless that is in progress already; called when the connection has room.
    ///
    /// - Parameter room: The number of bytes that there is room for; slightly more may be written.
    func pull(room: Int)

    /// Stops permanently.
    func stop()
}
