// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension TestServer {
    /// The numbers of the server's connections.
    public var connections: ConnectionCounts { self.state.read { $0.connections } }

    /// The number of open connections.
    public var openConnections: Int { self.connections.open }

    /// The number of connections accepted so far.
    public var totalConnections: Int { self.connections.total }

    /// The number of completed TLS handshakes.
    public var handshakes: Int { self.connections.handshakes }

    /// Waits until the numbers of connections satisfy a condition, for example `{ $0.open == 0 }`.
    ///
    /// - Parameters:
    ///   - limit: The maximum time to wait.
    ///   - condition: Called with the numbers after every change, under a lock, so it must be fast.
    /// - Returns: The numbers at that moment.
    /// - Throws: ``TestServerError/Code/timedOut``; `CancellationError` when the task is cancelled.
    @discardableResult
    public func waitForConnections(
        within limit: Duration = .seconds(10),
        until condition: @escaping @Sendable (ConnectionCounts) -> Bool
    ) async throws -> ConnectionCounts {
        try await self.state.wait(for: "a number of connections", within: limit) { state in
            condition(state.connections) ? state.connections : nil
        }
    }

    /// Closes every connection at once, idle or not; new ones are still accepted.
    public func closeConnections() {
        for channel in self.state.read({ Array($0.channels.values) }) {
            channel.pipeline.fireUserInboundEventTriggered(ShutdownEvent())
        }
    }
}
