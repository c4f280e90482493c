// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import NIOSSL

/// Makes connections, in stages: a socket, TLS where the scheme asks for it, then the handler that speaks HTTP.
///
/// Each stage is a future on the connection's event loop, so that the next one begins before another byte is read.
final class Connector: Sendable {
    private let configuration: NIOTransport.Configuration
    private let dialer = Dialer()
    private let tls: TLSContextCache
    private let threadPool: NIOThreadPool

    init(configuration: NIOTransport.Configuration, threadPool: NIOThreadPool) {
        self.configuration = configuration
        self.tls = TLSContextCache(options: configuration.tls, protocols: configuration.httpVersions.protocols)
        self.threadPool = threadPool
    }

    /// Connects; the future is on the event loop given, and fails with a ``TransportError``.
    func connect(
        _ key: PoolKey,
        timeouts: Timeouts,
        pool: ConnectionPool,
        observation: ExchangeObservation?,
        eventLoop: any EventLoop
    ) -> EventLoopFuture<PooledConnection> {
        let started = self.configuration.clock.instant()
        return self.context(for: key, on: eventLoop).flatMap { context in
            self.dialer.dial(key, timeouts: timeouts, on: eventLoop).flatMap { channel in
                var stamps = ConnectionStamps(connectStarted: started, connected: self.configuration.clock.instant())
                stamps.remoteAddress = channel.remoteAddress.map(Self.text)
                stamps.localAddress = channel.localAddress.map(Self.text)
                return self.secure(channel, context: context, key: key, timeouts: timeouts, stamps: stamps, observation)
                    .flatMapThrowing { try self.speak(on: channel, key: key, pool: pool, stamps: $0) }
                    .flatMapErrorThrowing { error in
                        channel.close(promise: nil)
                        throw TransportError(mapping: error, phase: .handshake, isRequestSent: false)
                    }
            }
        }
    }

    /// Whether a connection for this key may turn out to be one that carries many exchanges at a time.
    func mayShare(_ key: PoolKey) -> Bool {
        switch self.configuration.httpVersions {
        case .negotiated: key.origin.scheme == .https
        case .http1: false
        case .http2: true
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
        stamps: ConnectionStamps,
        _ observation: ExchangeObservation?
    ) -> EventLoopFuture<ConnectionStamps> {
        guard let context else { return channel.eventLoop.makeSucceededFuture(stamps) }
        let clock = self.configuration.clock
        observation?.tell(.handshakeStarted)
        return TLSHandshake.secure(channel, context: context, origin: key.origin, limit: timeouts.handshake)
            .map { outcome in
                var stamps = stamps
                stamps.secured = clock.instant()
                stamps.applicationProtocol = outcome.applicationProtocol
                observation?.tell(.handshakeEnded(applicationProtocol: outcome.applicationProtocol))
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
        if try self.speaksHTTP2(key, stamps) {
            let handler = HTTP2Handler(
                pool: pool,
                threadPool: self.threadPool,
                limits: self.configuration.limits,
                options: self.configuration.http2,
                stamps: stamps
            )
            let connection = PooledConnection(
                key: key,
                channel: channel,
                driver: NIOLoopBound(handler, eventLoop: channel.eventLoop),
                stamps: stamps,
                isShared: true,
                initialCapacity: handler.peer.maximumConcurrentStreams
            )
            handler.connection = connection
            try channel.pipeline.syncOperations.addHandler(handler)
            return connection
        }
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
            driver: NIOLoopBound(handler, eventLoop: channel.eventLoop),
            stamps: stamps
        )
        handler.connection = connection
        return connection
    }

    private func speaksHTTP2(_ key: PoolKey, _ stamps: ConnectionStamps) throws -> Bool {
        switch self.configuration.httpVersions {
        case .http1: return false
        case .negotiated: return stamps.applicationProtocol == "h2"
        case .http2:
            if key.origin.scheme == .http || stamps.applicationProtocol == "h2" { return true }
            throw TransportError(
                .tlsFailed,
                phase: .handshake,
                reason: "\(key.origin) does not speak HTTP/2, and nothing else may be spoken"
            )
        }
    }

    private static func text(_ address: SocketAddress) -> String {
        guard let ip = address.ipAddress, let port = address.port else { return "\(address)" }
        return ip.utf8.contains(UInt8(ascii: ":")) ? "[\(ip)]:\(port)" : "\(ip):\(port)"
    }
}
