// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// Opens the socket of a connection: name lookup and TCP.
///
/// Addresses are tried in parallel with a head start (RFC 8305).
struct Dialer: Sendable {
    /// Connects; the future is on the event loop given, and fails with a ``TransportError``.
    func dial(_ key: PoolKey, timeouts: Timeouts, on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: eventLoop)
            .connectTimeout(timeouts.connect.map { TimeAmount($0) } ?? .hours(24))
            .channelOption(.writeBufferWaterMark, value: .init(low: 128 * 1024, high: 512 * 1024))
            .channelOption(
                .recvAllocator,
                // Larger reads brought nothing when they were measured, and cost memory per connection.
                value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 64 * 1024)
            )
            .connect(host: key.origin.host, port: key.origin.port)
            .flatMapErrorThrowing { error in
                throw TransportError(connecting: error, to: key.origin, limit: timeouts.connect)
            }
    }
}
