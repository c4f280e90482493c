// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Brings a request body onto a connection.
protocol BodyPump: AnyObject {
    /// Whether it waits for its source; the peer is then not the slow side.
    var isReading: Bool { get }

    /// Goes on, unless that is under way: the connection has room.
    ///
    /// - Parameter room: For how many bytes; a little more may come.
    func pull(room: Int)

    /// Stops for good.
    func stop()
}
