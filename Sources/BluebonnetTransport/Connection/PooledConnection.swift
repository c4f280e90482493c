// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A pooled connection: a handle that may be used from any thread.
final class PooledConnection: Sendable {
    let key: PoolKey
    let channel: any Channel
    /// Whether it carries many exchanges at a time (HTTP/2).
    let isShared: Bool
    /// The timestamps of its establishment; nil in tests.
    let stamps: ConnectionStamps?
    private let driver: NIOLoopBound<any ConnectionDriver>

    init(
        key: PoolKey,
        channel: any Channel,
        driver: NIOLoopBound<any ConnectionDriver>,
        stamps: ConnectionStamps? = nil,
        isShared: Bool = false
    ) {
        self.key = key
        self.channel = channel
        self.driver = driver
        self.stamps = stamps
        self.isShared = isShared
    }

    /// How many exchanges it carries at a time, as far as its peer has announced so far; read only on its event loop.
    var capacity: Int { self.driver.value.capacity }

    /// Whether its peer has announced that number; read only on its event loop.
    var isCapacityKnown: Bool { self.driver.value.isCapacityKnown }

    /// Whether an exchange can be started on it; read only on its event loop.
    var isUsable: Bool { self.driver.value.isUsable }

    /// Starts an exchange for which the connection was leased.
    func start(_ exchange: Exchange) {
        self.onLoop { $0.start(exchange) }
    }

    /// Cancels an exchange, if it is still in progress on this connection.
    func cancel(_ exchange: Exchange) {
        // Always asynchronously, to avoid re-entrancy: an observer may cancel while the connection delivers an event to
        // its exchange.
        self.channel.eventLoop.execute { [driver] in driver.value.cancel(exchange) }
    }

    /// Resumes reading, or abandons the rest of a response, if the exchange is still in progress on this connection.
    func demand(_ demand: ResponseStream.Demand, of exchange: Exchange) {
        // Always asynchronously, for the same reason: a response may be abandoned while its connection delivers it.
        self.channel.eventLoop.execute { [driver] in
            switch demand {
            case .resumeReading: driver.value.resumeReading(exchange)
            case .abandon: driver.value.cancel(exchange)
            }
        }
    }

    /// Closes the connection; exchanges in progress fail.
    func shutDown() {
        self.onLoop { $0.shutDown() }
    }

    private func onLoop(_ action: @escaping @Sendable (any ConnectionDriver) -> Void) {
        if self.channel.eventLoop.inEventLoop {
            action(self.driver.value)
        } else {
            self.channel.eventLoop.execute { [driver] in action(driver.value) }
        }
    }
}
