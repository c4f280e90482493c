// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import NIOSSL

/// Makes connections, in stages: a socket, a proxy's consent, TLS where the scheme asks for it, then the handler that speaks HTTP.
///
/// Each stage is a future on the connection's event loop, so that the next one begins before another byte is read.
final class Connector: Sendable {
    private let configuration: NIOTransport.Configuration
    private let dialer: Dialer
    private let proxies: ProxyConnector
    private let tls: TLSContextCache
    private let threadPool: NIOThreadPool

    init(configuration: NIOTransport.Configuration, threadPool: NIOThreadPool) {
        self.configuration = configuration
        self.tls = TLSContextCache(options: configuration.tls)
        self.threadPool = threadPool
        self.dialer = Dialer(resolver: configuration.resolver, options: configuration.socket)
        self.proxies = ProxyConnector(
            dialer: self.dialer,
            tls: TLSContextCache(options: configuration.proxyTLS),
            threadPool: threadPool,
            limits: configuration.limits
        )
    }

    /// Connects; the future is on the event loop given, and fails with a ``TransportError``.
    func connect(
        _ key: PoolKey,
        timeouts: Timeouts,
        pool: ConnectionPool,
        eventLoop: any EventLoop
    ) -> EventLoopFuture<PooledConnection> {
        self.context(for: key, on: eventLoop).flatMap { context in
            self.open(key, timeouts: timeouts, on: eventLoop).flatMap { dialed in
                let channel = dialed.channel
                return self.secure(channel, context: context, key: key, timeouts: timeouts, stamps: dialed.stamps)
                    .flatMapThrowing { try self.speak(on: channel, key: key, pool: pool, stamps: $0) }
                    .flatMapErrorThrowing { error in
                        channel.close(promise: nil)
                        throw TransportError(mapping: error, phase: .handshake, isRequestSent: false)
                    }
            }
        }
    }

    /// Opens the way to the origin, or to what forwards requests to it.
    private func open(_ key: PoolKey, timeouts: Timeouts, on eventLoop: any EventLoop) -> EventLoopFuture<Dialed> {
        switch key.route {
        case .direct:
            self.dialer.dial(.host(key.origin.host, port: key.origin.port), timeouts: timeouts, on: eventLoop)
        case .unixSocket(let path):
            self.dialer.dial(.unixSocket(path: path), timeouts: timeouts, on: eventLoop)
        case .proxy(let proxy):
            self.proxies.connect(through: proxy, to: key.origin, timeouts: timeouts, on: eventLoop)
        }
    }

    /// The TLS context for a connection; nil where there is no TLS.
    private func context(for key: PoolKey, on eventLoop: any EventLoop) -> EventLoopFuture<NIOSSLContext?> {
        guard key.origin.scheme == .https else { return eventLoop.makeSucceededFuture(nil) }
        // Reading the system's roots takes tens of milliseconds, once; that must not happen on an event loop.
        return self.threadPool.runIfActive(eventLoop: eventLoop) { try self.tls.context().get() }
    }

    private func secure(
        _ channel: any Channel,
        context: NIOSSLContext?,
        key: PoolKey,
        timeouts: Timeouts,
        stamps: ConnectionStamps
    ) -> EventLoopFuture<ConnectionStamps> {
        guard let context else { return channel.eventLoop.makeSucceededFuture(stamps) }
        return TLSHandshake.secure(channel, context: context, origin: key.origin, limit: timeouts.handshake)
            .map { _ in
                var stamps = stamps
                stamps.secured = .now
                return stamps
            }
    }

    /// Adds the handler that speaks HTTP.
    private func speak(
        on channel: any Channel,
        key: PoolKey,
        pool: ConnectionPool,
        stamps: ConnectionStamps
    ) throws -> PooledConnection {
        let handler = HTTP1Handler(
            pool: pool,
            threadPool: self.threadPool,
            limits: self.configuration.limits,
            stamps: stamps
        )
        try channel.pipeline.syncOperations.addHandler(handler)
        let connection = PooledConnection(
            key: key,
            channel: channel,
            idleTimeout: TimeAmount(self.configuration.pool.idleTimeout),
            driver: NIOLoopBound(handler, eventLoop: channel.eventLoop)
        )
        handler.connection = connection
        return connection
    }
}
