// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension TestServer {
    /// How many connections there are and were.
    public var connections: ConnectionCounts { self.state.read { $0.connections } }

    /// The number of connections that are open.
    public var openConnections: Int { self.connections.open }

    /// The number of connections that were ever accepted.
    public var totalConnections: Int { self.connections.total }

    /// The number of TLS handshakes that were completed.
    public var handshakes: Int { self.connections.handshakes }

    /// Waits until the numbers of connections are as wanted, for example `{ $0.open == 0 }`.
    ///
    /// - Parameters:
    ///   - limit: How long to wait.
    ///   - condition: Looks at the numbers; called under a lock after every change, so it must be fast.
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

    /// Closes every connection at once, idle or not, as a server does that has had enough; new ones are accepted.
    public func closeConnections() {
        for channel in self.state.read({ Array($0.channels.values) }) {
            channel.pipeline.fireUserInboundEventTriggered(ShutdownEvent())
        }
    }
}
