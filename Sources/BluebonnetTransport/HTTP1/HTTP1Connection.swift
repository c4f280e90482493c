// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// One HTTP/1.1 connection as the pool sees it: a handle that may be used from any thread.
final class HTTP1Connection: Sendable {
    let key: PoolKey
    let channel: any Channel
    let idleTimeout: TimeAmount
    private let handler: NIOLoopBound<HTTP1Handler>

    init(key: PoolKey, channel: any Channel, idleTimeout: TimeAmount, handler: NIOLoopBound<HTTP1Handler>) {
        self.key = key
        self.channel = channel
        self.idleTimeout = idleTimeout
        self.handler = handler
    }

    /// Starts an exchange; the connection belongs to it until it is released.
    func start(_ exchange: Exchange) {
        self.onLoop { $0.start(exchange) }
    }

    /// Closes the connection if it still belongs to this exchange.
    func cancel(_ exchange: Exchange) {
        self.onLoop { $0.cancel(exchange) }
    }

    /// Goes on reading, or gives the rest of a reply up, if the connection still belongs to this exchange.
    func demand(_ demand: ReplyStream.Demand, of exchange: Exchange) {
        switch demand {
        case .resumeReading: self.onLoop { $0.resumeReading(exchange) }
        case .abandon: self.cancel(exchange)
        }
    }

    /// Closes the connection; an exchange that is under way fails.
    func shutDown() {
        self.onLoop { $0.shutDown() }
    }

    private func onLoop(_ action: @escaping @Sendable (HTTP1Handler) -> Void) {
        if self.channel.eventLoop.inEventLoop {
            action(self.handler.value)
        } else {
            self.channel.eventLoop.execute { [handler] in action(handler.value) }
        }
    }
}
