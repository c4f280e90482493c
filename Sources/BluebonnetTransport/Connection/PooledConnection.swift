// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// One connection as the pool sees it: a handle that may be used from any thread.
final class PooledConnection: Sendable {
    let key: PoolKey
    let channel: any Channel
    let idleTimeout: TimeAmount
    private let driver: NIOLoopBound<any ConnectionDriver>

    init(key: PoolKey, channel: any Channel, idleTimeout: TimeAmount, driver: NIOLoopBound<any ConnectionDriver>) {
        self.key = key
        self.channel = channel
        self.idleTimeout = idleTimeout
        self.driver = driver
    }

    /// Starts an exchange on the connection, which was lent for it.
    func start(_ exchange: Exchange) {
        self.onLoop { $0.start(exchange) }
    }

    /// Ends an exchange early, if it is still under way here.
    func cancel(_ exchange: Exchange) {
        self.onLoop { $0.cancel(exchange) }
    }

    /// Goes on reading, or gives the rest of a reply up, if the exchange is still under way here.
    func demand(_ demand: ReplyStream.Demand, of exchange: Exchange) {
        switch demand {
        case .resumeReading: self.onLoop { $0.resumeReading(exchange) }
        case .abandon: self.cancel(exchange)
        }
    }

    /// Closes the connection; exchanges that are under way fail.
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
