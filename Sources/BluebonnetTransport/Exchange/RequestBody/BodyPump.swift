// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Writes a request body to a connection.
protocol BodyPump: AnyObject {
    /// Whether it waits for its source; the server is then not the slow side.
    var isReading: Bool { get }

    /// Continues writing, unless that is in progress already; called when the connection has room.
    ///
    /// - Parameter room: The number of bytes that there is room for; slightly more may be written.
    func pull(room: Int)

    /// Stops permanently.
    func stop()
}

extension ChannelHandlerContext {
    /// The number of bytes that wait in the channel for the server to accept them.
    var unsentByteCount: Int { (try? self.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }
}
