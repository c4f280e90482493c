// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The open sockets of an engine: those of the pool's connections, and those of connections that are being made, which
/// the pool does not know yet and the end of the engine closes.
final class OpenSockets: Sendable {
    private struct Socket {
        let channel: any Channel
        /// Whether the pool has its connection.
        var isPooled = false
    }

    private struct State {
        var sockets: [ObjectIdentifier: Socket] = [:]
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
            if !state.isClosed { state.sockets[ObjectIdentifier(channel)] = Socket(channel: channel) }
            return !state.isClosed
        }
        if isAdmitted { channel.closeFuture.whenComplete { _ in self.remove(channel) } }
        return isAdmitted
    }

    /// Notes that the pool has the connection of a socket, and closes it.
    func notePooled(_ channel: any Channel) {
        self.state.withLock { $0.sockets[ObjectIdentifier(channel)]?.isPooled = true }
    }

    /// Removes a socket: it is closed, or belongs to the caller since its upgrade.
    func remove(_ channel: any Channel) {
        _ = self.state.withLock { $0.sockets.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Closes the sockets of the connections that are being made, and admits no other.
    func close() {
        let sockets = self.state.withLock { state in
            state.isClosed = true
            return Array(state.sockets.values)
        }
        for socket in sockets where !socket.isPooled { socket.channel.close(promise: nil) }
    }

    /// Waits until the sockets are closed that are open now.
    func closed() async {
        for socket in self.state.withLock({ Array($0.sockets.values) }) { try? await socket.channel.closeFuture.get() }
    }
}
