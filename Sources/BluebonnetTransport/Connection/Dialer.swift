// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// The target of a socket.
enum Endpoint: Sendable {
    case host(String, port: Int)
    case unixSocket(path: String)
}

extension Endpoint: CustomStringConvertible {
    var description: String {
        switch self {
        case .host(let host, let port): Authority.text(host: host, port: port)
        case .unixSocket(let path): "the Unix socket \(path)"
        }
    }
}

/// A connected socket.
struct Dialed: Sendable {
    var channel: any Channel
    var stamps: ConnectionStamps
}

/// Opens the socket of a connection: name lookup, then TCP or a Unix socket.
struct Dialer: Sendable {
    /// The write buffer water marks: above the high mark, no more bytes are produced until the buffer falls below the
    /// low mark.
    static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 128 * 1024, high: 512 * 1024)

    /// How many bytes the system keeps that it cannot send yet.
    ///
    /// Its own buffer has up to 4 MiB, and takes more only once a third of that is free. A server that reads slowly and steadily
    /// would seem silent meanwhile, and the bytes in the buffer would count as sent.
    private static let unsentByteCount = 128 * 1024

    let lookup: NameLookup
    let options: SocketOptions
    let interfaces: InterfaceFilter
    let clock: EngineClock
    /// Its sockets, until they are closed.
    let sockets = OpenSockets()

    init(
        resolver: any NameResolver,
        options: SocketOptions,
        interfaces: InterfaceFilter = InterfaceFilter(routes: .system),
        clock: EngineClock
    ) {
        self.lookup = NameLookup(resolver: resolver, clock: clock)
        self.options = options
        self.interfaces = interfaces
        self.clock = clock
    }

    /// Connects; the future is on the given event loop and fails with a ``TransportError``.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint to connect to.
    ///   - policy: The addresses that may be connected to.
    ///   - egress: How packets leave this machine; if it has no local address, that of the socket options is used.
    ///   - timeouts: The limits for name lookup and for connecting.
    ///   - observation: Receives the events of each step.
    ///   - eventLoop: The event loop of the connection.
    /// - Returns: The socket.
    func dial(
        _ endpoint: Endpoint,
        within policy: AddressPolicy = .unrestricted,
        from egress: Egress = Egress(),
        timeouts: Timeouts,
        observation: ConnectObservation?,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<Dialed> {
        let started = self.clock.instant()
        switch endpoint {
        case .host(let host, let port):
            return self.lookup.addresses(
                of: host,
                port: port,
                limit: timeouts.resolve,
                observation: observation,
                on: eventLoop
            ).flatMapThrowing { try policy.permitted($0, of: host) }.flatMap { addresses in
                var stamps = ConnectionStamps(connectStarted: self.clock.instant())
                // An address is not looked up.
                if IPAddress(host: host) == nil {
                    stamps.resolveStarted = started
                    stamps.resolveEnded = stamps.connectStarted
                }
                return self.connect(
                    to: addresses,
                    endpoint,
                    from: egress,
                    stamps,
                    limit: timeouts.connect,
                    observation,
                    on: eventLoop
                )
            }
        case .unixSocket(let path):
            let stamps = ConnectionStamps(connectStarted: started)
            do {
                let address = try SocketAddress(unixDomainSocketPath: path)
                // A race runs on its event loop.
                return eventLoop.flatSubmit {
                    self.connect(
                        to: [address],
                        endpoint,
                        from: egress,
                        stamps,
                        limit: timeouts.connect,
                        observation,
                        on: eventLoop
                    )
                }
            } catch {
                return eventLoop.makeFailedFuture(TransportError.unusablePath(endpoint, error))
            }
        }
    }

    private func connect(
        to addresses: [SocketAddress],
        _ endpoint: Endpoint,
        from egress: Egress,
        _ stamps: ConnectionStamps,
        limit: Duration?,
        _ observation: ConnectObservation?,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<Dialed> {
        observation?.enter(.connect)
        var addresses = addresses
        var local: SocketAddress?
        let localAddress = egress.localAddress ?? self.options.localAddress
        // A Unix socket has neither a local address nor an interface.
        if case .host(let host, _) = endpoint, let text = localAddress {
            guard let address = try? SocketAddress(ipAddress: text, port: 0) else {
                return eventLoop.makeFailedFuture(TransportError.notALocalAddress(text))
            }
            addresses.removeAll { $0.protocol != address.protocol }
            guard !addresses.isEmpty else {
                return eventLoop.makeFailedFuture(TransportError.otherFamily(host: host, local: text))
            }
            local = address
        }
        return self.permitted(addresses, endpoint, egress, from: localAddress, on: eventLoop).flatMap {
            [local] addresses in
            AddressRace.run(
                to: addresses,
                of: endpoint,
                limit: limit,
                clock: self.clock,
                observation: observation,
                sockets: self.sockets,
                on: eventLoop
            ) { address in
                self.bootstrap(for: endpoint, from: local, on: eventLoop).marked(egress.trafficClass, to: address)
            }
        }.flatMapErrorThrowing { error in
            guard let localAddress, let error = error as? TransportError, TransportError.isUnknownLocalAddress(error)
            else { throw error }
            throw TransportError(binding: localAddress, to: endpoint, error)
        }.map { channel in
            var stamps = stamps
            stamps.connectEnded = self.clock.instant()
            stamps.remoteAddress = Self.text(channel.remoteAddress, endpoint)
            stamps.localAddress = channel.localAddress.flatMap {
                $0.ipAddress == nil ? nil : Self.text($0, endpoint)
            }
            return Dialed(channel: channel, stamps: stamps)
        }
    }

    /// Filters the addresses by the interfaces through which packets may leave.
    private func permitted(
        _ addresses: [SocketAddress],
        _ endpoint: Endpoint,
        _ egress: Egress,
        from localAddress: String?,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]> {
        guard case .host = endpoint, !egress.allowsCellularAccess else {
            return eventLoop.makeSucceededFuture(addresses)
        }
        return self.interfaces.withoutCellular(addresses, of: endpoint, from: localAddress, on: eventLoop)
    }

    private func bootstrap(
        for endpoint: Endpoint,
        from local: SocketAddress?,
        on eventLoop: any EventLoop
    ) -> ClientBootstrap {
        var bootstrap = ClientBootstrap(group: eventLoop)
            // The race enforces the limit.
            .connectTimeout(.hours(24))
            .channelOption(.writeBufferWaterMark, value: Self.waterMark)
            // A consumer is woken once per event loop tick: the more a tick reads, the fewer wakeups a large body
            // costs. Twice NIO's default of four was 1.5 times as fast over loopback; more than eight gained nothing.
            .channelOption(.maxMessagesPerRead, value: 8)
            .channelOption(
                .recvAllocator,
                // Larger reads were not faster when measured, and cost memory per connection.
                value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 64 * 1024)
            )
        if case .host = endpoint { bootstrap = self.applyOptions(to: bootstrap) }
        if let local { bootstrap = bootstrap.bind(to: local) }
        return bootstrap
    }

    private func applyOptions(to bootstrap: ClientBootstrap) -> ClientBootstrap {
        var bootstrap = bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: self.options.noDelay ? 1 : 0)
            .channelOption(.tcpOption(.unsentLowWaterMark), value: Self.unsentByteCount)
        if let keepAlive = self.options.keepAlive {
            // The system accepts 1 to 32,767 seconds.
            let seconds = Int(Swift.min(Swift.max(keepAlive, .seconds(1)), .seconds(32_767)).components.seconds)
            bootstrap = bootstrap.channelOption(.socketOption(.so_keepalive), value: 1)
                .channelOption(.tcpOption(.keepAliveIdle), value: seconds)
                .channelOption(.tcpOption(.keepAliveInterval), value: seconds)
        }
        return bootstrap
    }

    private static func text(_ address: SocketAddress?, _ endpoint: Endpoint) -> String? {
        if case .unixSocket(let path) = endpoint { return path }
        return address.map(TransportError.text)
    }
}
