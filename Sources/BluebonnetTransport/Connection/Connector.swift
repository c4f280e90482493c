// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOCore
import NIOPosix
import NIOSSL

/// Makes connections in stages: a socket, a proxy tunnel, TLS if the scheme requires it, then the HTTP handler.
///
/// Each stage is a future on the connection's event loop, so that the next stage is installed before another byte is
/// read.
final class Connector: Sendable {
    private let configuration: NIOTransport.Configuration
    private let dialer: Dialer
    private let proxies: ProxyConnector
    private let tls: TLSPreparation

    /// The open sockets.
    var sockets: OpenSockets { self.dialer.sockets }

    /// Ends the connections that are being made, and makes no other.
    ///
    /// - Returns: The lookups that are being ended.
    func close() -> [EventLoopFuture<Void>] {
        // First, so that a lookup that ends fails as at the end of the engine.
        self.sockets.close()
        return self.dialer.lookup.pending.close()
    }

    init(
        configuration: NIOTransport.Configuration,
        proxies: ProxyAuthenticator = ProxyAuthenticator()
    ) {
        self.configuration = configuration
        let rules = ChainRules(cache: CertificateFactsCache())
        self.tls = TLSPreparation(
            options: configuration.tls,
            protocols: configuration.httpVersions.protocols,
            rules: rules,
            clock: configuration.clock
        )
        self.dialer = Dialer(
            resolver: configuration.resolver,
            options: configuration.socket,
            interfaces: InterfaceFilter(routes: configuration.routes),
            clock: configuration.clock
        )
        self.proxies = ProxyConnector(
            dialer: self.dialer,
            // A connection to a proxy uses HTTP/1.1, whatever version the origin uses.
            tls: TLSPreparation(
                options: configuration.proxyTLS,
                protocols: ["http/1.1"],
                rules: rules,
                clock: configuration.clock
            ),
            limits: configuration.limits,
            addresses: configuration.addressPolicy,
            authenticator: proxies
        )
    }

    /// Connects; the future is on the given event loop and fails with a ``TransportError``.
    ///
    /// While there is no file descriptor for the connection, idle ones are closed for it, one after the other.
    func connect(
        _ key: PoolKey,
        timeouts: Timeouts,
        pool: ConnectionPool,
        observation: ConnectObservation?,
        eventLoop: any EventLoop
    ) -> EventLoopFuture<PooledConnection> {
        self.attempt(key, timeouts: timeouts, pool: pool, observation: observation, eventLoop: eventLoop)
            .flatMapError { error in
                guard TransportError.isDescriptorShortage(error), let closed = pool.closeOldestIdle() else {
                    return eventLoop.makeFailedFuture(error)
                }
                // Another thread may take the descriptor.
                return closed.hop(to: eventLoop).flatMap {
                    self.connect(key, timeouts: timeouts, pool: pool, observation: observation, eventLoop: eventLoop)
                }
            }
    }

    private func attempt(
        _ key: PoolKey,
        timeouts: Timeouts,
        pool: ConnectionPool,
        observation: ConnectObservation?,
        eventLoop: any EventLoop
    ) -> EventLoopFuture<PooledConnection> {
        let preparationStarted = self.configuration.clock.instant()
        return self.handshake(for: key, timeouts: timeouts, on: eventLoop).flatMap { handshake in
            let preparationEnded = self.configuration.clock.instant()
            return self.open(key, timeouts: timeouts, observation: observation, on: eventLoop).flatMap { dialed in
                let channel = dialed.channel
                var stamps = dialed.stamps
                if handshake?.isNew ?? false {
                    stamps.tlsPreparationStarted = preparationStarted
                    // The preparation for a proxy follows that for the origin.
                    stamps.tlsPreparationEnded = stamps.tlsPreparationEnded ?? preparationEnded
                }
                return self.secure(channel, handshake, stamps: stamps, observation)
                    .flatMapThrowing { try self.speak(on: channel, key: key, pool: pool, stamps: $0) }
                    .flatMapErrorThrowing { error in
                        channel.close(promise: nil)
                        let phase: TransportError.Phase = handshake == nil ? .connect : .tlsHandshake
                        throw TransportError(mapping: error, phase: phase, isRequestSent: false)
                    }
            }
        }.flatMapErrorThrowing { error in
            let error = TransportError(mapping: error, phase: .connect, isRequestSent: false)
            // The end of the engine has closed its socket.
            throw self.sockets.isClosed ? TransportError.shutDown(in: error.phase) : error
        }
    }

    /// Opens a socket to the origin, a tunnel to it, or a socket to the forwarding proxy.
    private func open(
        _ key: PoolKey,
        timeouts: Timeouts,
        observation: ConnectObservation?,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<Dialed> {
        switch key.route {
        case .direct:
            self.dialer.dial(
                .host(key.origin.host, port: key.origin.port),
                within: self.configuration.addressPolicy,
                from: key.egress,
                timeouts: timeouts,
                observation: observation,
                on: eventLoop
            )
        case .unixSocket(let path):
            self.dialer.dial(.unixSocket(path: path.text), timeouts: timeouts, observation: observation, on: eventLoop)
        case .tunnel(let proxy):
            self.proxies.connect(
                through: proxy,
                to: key.origin,
                from: key.egress,
                timeouts: timeouts,
                observation: observation,
                on: eventLoop
            )
        case .forwarder(let proxy):
            self.proxies.connect(
                to: proxy,
                from: key.egress,
                timeouts: timeouts,
                observation: observation,
                on: eventLoop
            )
        }
    }

    /// Whether a connection for this key may turn out to carry many exchanges at a time.
    func mayShare(_ key: PoolKey) -> Bool {
        if key.requiresHTTP1 { return false }
        return switch self.configuration.httpVersions {
        case .negotiated: key.origin.scheme == .https
        case .http1: false
        case .http2: true
        }
    }

    /// Whether HTTP/1.1 may be used with a server that refuses HTTP/2.
    func maySpeakHTTP1(_ key: PoolKey) -> Bool {
        self.configuration.httpVersions == .negotiated && key.origin.scheme == .https
    }

    /// The TLS handshake of a connection; nil if it has no TLS.
    private func handshake(
        for key: PoolKey,
        timeouts: Timeouts,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<TLSHandshake?> {
        guard key.origin.scheme == .https else { return eventLoop.makeSucceededFuture(nil) }
        return self.tls.handshake(
            with: key.origin,
            trust: key.trust,
            clientIdentity: key.clientIdentity,
            isHTTP1Only: key.requiresHTTP1,
            limit: timeouts.tlsHandshake,
            on: eventLoop
        ).map { $0 }
    }

    private func secure(
        _ channel: any Channel,
        _ handshake: TLSHandshake?,
        stamps: ConnectionStamps,
        _ observation: ConnectObservation?
    ) -> EventLoopFuture<ConnectionStamps> {
        guard let handshake else { return channel.eventLoop.makeSucceededFuture(stamps) }
        let clock = self.configuration.clock
        observation?.enter(.tlsHandshake)
        observation?.tell(.tlsHandshakeStarted(host: handshake.origin.host))
        return handshake.secure(channel).map { details in
            var stamps = stamps
            stamps.tlsHandshakeEnded = clock.instant()
            stamps.tls = details
            observation?.tell(.tlsHandshakeEnded(applicationProtocol: details.applicationProtocol))
            return stamps
        }
    }

    /// Adds the HTTP handler.
    private func speak(
        on channel: any Channel,
        key: PoolKey,
        pool: ConnectionPool,
        stamps: ConnectionStamps
    ) throws -> PooledConnection {
        if try self.speaksHTTP2(key, stamps) {
            let handler = HTTP2Handler(
                pool: pool,
                limits: self.configuration.limits,
                options: self.configuration.http2,
                streamLimit: pool.servers.streamLimit(of: key, now: pool.clock.now()),
                stamps: stamps
            )
            let connection = PooledConnection(
                key: key,
                channel: channel,
                driver: NIOLoopBound(handler, eventLoop: channel.eventLoop),
                stamps: stamps,
                isShared: true
            )
            handler.connection = connection
            try channel.pipeline.syncOperations.addHandler(handler)
            return connection
        }
        let handler = HTTP1Handler(
            pool: pool,
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
        if key.requiresHTTP1 { return false }
        switch self.configuration.httpVersions {
        case .http1: return false
        case .negotiated: return stamps.tls?.applicationProtocol == "h2"
        case .http2:
            if key.origin.scheme == .http || stamps.tls?.applicationProtocol == "h2" { return true }
            throw TransportError(
                .tlsFailed,
                phase: .tlsHandshake,
                reason: "\(key.origin) does not speak HTTP/2, and nothing else may be spoken"
            )
        }
    }
}
