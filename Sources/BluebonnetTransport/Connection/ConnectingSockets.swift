// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The sockets of connections that are being made, which the pool does not know yet: the end of the engine closes them, too.
final class ConnectingSockets: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Whether no connection may be made any more.
    var isClosed: Bool { self.state.withLock { $0.isClosed } }

    /// Adds a socket before it connects; it is removed when it closes.
    ///
    /// - Returns: Whether it may connect.
    func add(_ channel: any Channel) -> Bool {
        let isAdmitted = self.state.withLock { state in
            if !state.isClosed { state.channels[ObjectIdentifier(channel)] = channel }
            return !state.isClosed
        }
        if isAdmitted { channel.closeFuture.whenComplete { _ in self.remove(channel) } }
        return isAdmitted
    }

    /// Removes a socket: it is closed, or the pool has its connection.
    func remove(_ channel: any Channel) {
        _ = self.state.withLock { $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Closes every socket, and admits no other.
    ///
    /// - Returns: The sockets that are being closed.
    func close() -> [any Channel] {
        let channels = self.state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.close(promise: nil) }
        return channels
    }
}
