// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Opens a connection to a proxy and, unless the proxy forwards, a tunnel through it to an origin.
///
/// Each stage is a future on the connection's event loop: a socket, TLS if the proxy requires it, then CONNECT or
/// SOCKS.
struct ProxyConnector: Sendable {
    let dialer: Dialer
    let tls: TLSPreparation
    let limits: TransportLimits
    /// The addresses of origins whose names are resolved here.
    let addresses: AddressPolicy
    let authenticator: ProxyAuthenticator

    /// Connects to a forwarding proxy; the future is on the given event loop and fails with a ``TransportError``.
    func connect(
        to proxy: Proxy,
        from egress: Egress,
        timeouts: Timeouts,
        observation: ConnectObservation?,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<Dialed> {
        let preparationStarted = self.dialer.clock.instant()
        return self.handshake(with: proxy, timeouts: timeouts, on: eventLoop).flatMap { handshake in
            let preparationEnded = self.dialer.clock.instant()
            return self.dial(
                proxy,
                from: egress,
                timeouts: timeouts,
                observation: observation,
                on: eventLoop
            ).flatMap { dialed in
                var dialed = dialed
                if handshake?.isNew ?? false {
                    dialed.stamps.tlsPreparationStarted = preparationStarted
                    dialed.stamps.tlsPreparationEnded = preparationEnded
                }
                return self.secure(dialed, handshake, proxy: proxy, observation)
            }
        }
    }

    /// Connects to an origin through a tunnel of a proxy; the future is on the given event loop and fails with a
    /// ``TransportError``.
    func connect(
        through proxy: Proxy,
        to origin: Origin,
        from egress: Egress,
        timeouts: Timeouts,
        observation: ConnectObservation?,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<Dialed> {
        let started = self.dialer.clock.instant()
        return self.destination(
            of: origin,
            for: proxy,
            timeouts: timeouts,
            observation: observation,
            on: eventLoop
        ).flatMap { destination in
            let dial = { @Sendable in
                self.connect(
                    to: proxy,
                    from: egress,
                    timeouts: timeouts,
                    observation: observation,
                    on: eventLoop
                )
            }
            return dial().flatMap { first in
                observation?.enter(.connect)
                observation?.tell(.tunnelStarted(proxy))
                return self.open(
                    first,
                    proxy,
                    origin,
                    destination: destination,
                    limit: timeouts.connect,
                    observation,
                    redial: dial
                ).map { dialed in
                    observation?.tell(.tunnelEnded)
                    var dialed = dialed
                    // A further connection to the proxy is a part of the negotiation.
                    dialed.stamps.continueEstablishment(of: first.stamps)
                    if let resolveEnded = destination?.resolveEnded {
                        // The lookup of the origin precedes that of the proxy.
                        dialed.stamps.resolveStarted = started
                        dialed.stamps.resolveEnded = first.stamps.resolveEnded ?? resolveEnded
                    }
                    dialed.stamps.tunnelEnded = self.dialer.clock.instant()
                    return dialed
                }
            }
        }
    }

    /// The TLS handshake with the proxy itself; nil if it has no TLS.
    private func handshake(
        with proxy: Proxy,
        timeouts: Timeouts,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<TLSHandshake?> {
        guard proxy.scheme == .https else { return eventLoop.makeSucceededFuture(nil) }
        let origin = Origin(scheme: .https, host: proxy.host, port: proxy.port)
        return self.tls.handshake(with: origin, limit: timeouts.tlsHandshake, on: eventLoop).map { $0 }
    }

    /// The destination for a SOCKS proxy: that of the origin, or what the resolver knows of it.
    private struct SOCKSDestination: Sendable {
        var host: SOCKS5Negotiation.Destination
        var port: Int
        /// When the resolver had returned the addresses; nil if it was not asked.
        var resolveEnded: ExchangeMetrics.Instant?
    }

    /// The destination for a SOCKS proxy; nil for an HTTP proxy, which receives the origin.
    private func destination(
        of origin: Origin,
        for proxy: Proxy,
        timeouts: Timeouts,
        observation: ConnectObservation?,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<SOCKSDestination?> {
        if proxy.speaksHTTP { return eventLoop.makeSucceededFuture(nil) }
        if let address = IPAddress(host: origin.host) {
            return eventLoop.makeSucceededFuture(SOCKSDestination(host: .address(address), port: origin.port))
        }
        if proxy.scheme == .socks5h {
            return eventLoop.makeSucceededFuture(SOCKSDestination(host: .name(origin.host), port: origin.port))
        }
        return self.dialer.lookup.addresses(
            of: origin.host,
            port: origin.port,
            limit: timeouts.resolve,
            observation: observation,
            on: eventLoop
        ).flatMapThrowing { addresses in
            for found in try self.addresses.permitted(addresses, of: origin.host) {
                guard let address = found.ipAddress.flatMap({ IPAddress($0) }) else { continue }
                return SOCKSDestination(
                    host: .address(address),
                    port: found.port ?? origin.port,
                    resolveEnded: self.dialer.clock.instant()
                )
            }
            throw TransportError.noAddress(of: origin.host)
        }
    }

    private func dial(
        _ proxy: Proxy,
        from egress: Egress,
        timeouts: Timeouts,
        observation: ConnectObservation?,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<Dialed> {
        let endpoint = Endpoint.host(proxy.host, port: proxy.port)
        return self.dialer
            .dial(endpoint, from: egress, timeouts: timeouts, observation: observation, on: eventLoop)
            .flatMapErrorThrowing { error in
                guard var error = error as? TransportError else { throw error }
                // The reason names the proxy as the cause; timeouts and interfaces that are not allowed keep their
                // codes.
                error.reason = "the proxy \(proxy) cannot be used: \(error.reason)"
                if error.code != .timedOut, error.code != .interfaceNotAllowed { error.code = .proxyFailed }
                throw error
            }
    }

    /// Starts TLS with the proxy itself, if it has TLS; closes the channel if that fails.
    private func secure(
        _ dialed: Dialed,
        _ handshake: TLSHandshake?,
        proxy: Proxy,
        _ observation: ConnectObservation?
    ) -> EventLoopFuture<Dialed> {
        let channel = dialed.channel
        guard let handshake else { return channel.eventLoop.makeSucceededFuture(dialed) }
        observation?.enter(.tlsHandshake)
        observation?.tell(.tlsHandshakeStarted(host: proxy.host))
        return handshake.secure(channel)
            .map { details in
                observation?.tell(.tlsHandshakeEnded(applicationProtocol: details.applicationProtocol))
                var dialed = dialed
                // With a proxy that forwards, this is the end of the connect phase.
                dialed.stamps.tunnelEnded = self.dialer.clock.instant()
                return dialed
            }
            .flatMapErrorThrowing { error in
                channel.close(promise: nil)
                var error = TransportError(mapping: error, phase: .tlsHandshake, isRequestSent: false)
                error.reason = "the proxy \(proxy) cannot be used: \(error.reason)"
                throw error
            }
    }

    /// Opens the tunnel.
    private func open(
        _ dialed: Dialed,
        _ proxy: Proxy,
        _ origin: Origin,
        destination: SOCKSDestination?,
        limit: Duration?,
        _ observation: ConnectObservation?,
        redial: @escaping @Sendable () -> EventLoopFuture<Dialed>
    ) -> EventLoopFuture<Dialed> {
        guard let destination else {
            let negotiation = HTTPTunnelNegotiation(
                proxy: proxy,
                origin: origin,
                limits: self.limits,
                authenticator: self.authenticator
            ) { observation?.tell(.tunnelChallenged(proxy, answeredWith: $0)) }
            return self.negotiate(negotiation, on: dialed, with: proxy, limit: limit, redial: redial)
        }
        do throws(TransportError) {
            let negotiation = try SOCKS5Negotiation(
                proxy: proxy,
                destination: destination.host,
                port: destination.port
            )
            return self.negotiate(negotiation, on: dialed, with: proxy, limit: limit, redial: redial)
        } catch {
            dialed.channel.close(promise: nil)
            return dialed.channel.eventLoop.makeFailedFuture(error)
        }
    }

    /// Carries out a negotiation, over as many connections to the proxy as it needs.
    private func negotiate(
        _ negotiation: some ProxyNegotiation,
        on dialed: Dialed,
        with proxy: Proxy,
        limit: Duration?,
        redial: @escaping @Sendable () -> EventLoopFuture<Dialed>
    ) -> EventLoopFuture<Dialed> {
        let channel = dialed.channel
        return ProxyHandshake.run(negotiation, on: channel, with: proxy, limit: limit, clock: self.dialer.clock)
            .flatMap { outcome in
                guard case .redial(let next) = outcome else { return channel.eventLoop.makeSucceededFuture(dialed) }
                channel.close(promise: nil)
                return redial().flatMap { again in
                    self.negotiate(next, on: again, with: proxy, limit: limit, redial: redial)
                }
            }
            .flatMapErrorThrowing { error in
                channel.close(promise: nil)
                throw error
            }
    }
}
