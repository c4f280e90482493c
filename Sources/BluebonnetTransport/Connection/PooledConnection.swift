// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// One connection as the pool sees it: a handle that may be used from any thread.
final class PooledConnection: Sendable {
    let key: PoolKey
    let channel: any Channel
    /// Whether it carries many exchanges at a time.
    let isShared: Bool
    /// How it was made; nil in tests.
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

    /// How many exchanges it carries at a time, as far as its peer has said by now; to be asked on its event loop.
    var capacity: Int { self.driver.value.capacity }

    /// Whether an exchange can be started on it; to be asked on its event loop.
    var isUsable: Bool { self.driver.value.isUsable }

    /// Starts an exchange on the connection, which was lent for it.
    func start(_ exchange: Exchange) {
        self.onLoop { $0.start(exchange) }
    }

    /// Ends an exchange early, if it is still under way here.
    func cancel(_ exchange: Exchange) {
        // Always asynchronously, to avoid re-entrancy: an observer may cancel while the connection hands its exchange an event.
        self.channel.eventLoop.execute { [driver] in driver.value.cancel(exchange) }
    }

    /// Goes on reading, or gives the rest of a response up, if the exchange is still under way here.
    func demand(_ demand: ResponseStream.Demand, of exchange: Exchange) {
        // Always asynchronously, for the same reason: an abandoned response is dropped while its connection hands it over.
        self.channel.eventLoop.execute { [driver] in
            switch demand {
            case .resumeReading: driver.value.resumeReading(exchange)
            case .abandon: driver.value.cancel(exchange)
            }
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
