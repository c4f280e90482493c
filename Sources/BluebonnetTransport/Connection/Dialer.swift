// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// Where a socket is opened to.
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

/// A socket that is connected.
struct Dialed: Sendable {
    var channel: any Channel
    var stamps: ConnectionStamps
}

/// Opens the socket of a connection: name lookup, then TCP or a Unix socket.
///
/// Addresses are tried in turn with a head start of 250 ms each (RFC 8305); the first to answer wins.
struct Dialer: Sendable {
    let resolver: any NameResolver
    let options: SocketOptions

    /// Connects; the future is on the event loop given, and fails with a ``TransportError``.
    func dial(_ endpoint: Endpoint, timeouts: Timeouts, on eventLoop: any EventLoop) -> EventLoopFuture<Dialed> {
        let started = ExchangeMetrics.Instant.now
        switch endpoint {
        case .host(let host, let port):
            return self.resolve(host, port: port, limit: timeouts.resolve, on: eventLoop).flatMap { addresses in
                var stamps = ConnectionStamps(connectStarted: .now)
                stamps.resolveStarted = started
                stamps.resolveEnded = stamps.connectStarted
                return self.connect(to: addresses, endpoint, stamps: stamps, timeouts: timeouts, on: eventLoop)
            }
        case .unixSocket(let path):
            let stamps = ConnectionStamps(connectStarted: started)
            do {
                let address = try SocketAddress(unixDomainSocketPath: path)
                return self.connect(to: [address], endpoint, stamps: stamps, timeouts: timeouts, on: eventLoop)
            } catch {
                return eventLoop.makeFailedFuture(
                    TransportError(connecting: error, to: endpoint, limit: timeouts.connect)
                )
            }
        }
    }

    // MARK: Names

    /// Finds the addresses of a host; the future is on the event loop given, and fails with a ``TransportError``.
    func resolve(
        _ host: String,
        port: Int,
        limit: Duration?,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]> {
        if IPAddress(host) != nil, let address = try? SocketAddress(ipAddress: host, port: port) {
            return eventLoop.makeSucceededFuture([address])
        }
        let found = eventLoop.makePromise(of: [SocketAddress].self)
        let lookup = found.completeWithTask { [resolver] in try await resolver.addresses(of: host, port: port) }
        let timeout = limit.map { limit in
            eventLoop.scheduleTask(in: TimeAmount(limit)) {
                found.fail(
                    TransportError(
                        .timedOut,
                        phase: .resolve,
                        reason: "looking up the host \(host) took longer than \(limit)"
                    )
                )
                lookup.cancel()
            }
        }
        return found.futureResult.always { _ in timeout?.cancel() }
            .flatMapThrowing { addresses in
                let addresses = addresses.filter { $0.protocol == .inet || $0.protocol == .inet6 }
                guard !addresses.isEmpty else { throw TransportError.noAddress(of: host) }
                return addresses
            }
            .flatMapErrorThrowing { error in throw TransportError(resolving: error, host: host) }
    }

    // MARK: Sockets

    private func connect(
        to addresses: [SocketAddress],
        _ endpoint: Endpoint,
        stamps: ConnectionStamps,
        timeouts: Timeouts,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<Dialed> {
        var bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(timeouts.connect.map { TimeAmount($0) } ?? .hours(24))
            .channelOption(.writeBufferWaterMark, value: .init(low: 128 * 1024, high: 512 * 1024))
            // A consumer is woken once a turn of the loop: the more a turn brings, the fewer wakings a large body costs.
            .channelOption(.maxMessagesPerRead, value: 8)
            .channelOption(
                .recvAllocator,
                // Larger reads brought nothing when they were measured, and cost memory per connection.
                value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 64 * 1024)
            )
        var addresses = addresses
        if case .host(let host, _) = endpoint {
            bootstrap = self.applyOptions(to: bootstrap)
            if let local = self.options.localAddress {
                guard let address = try? SocketAddress(ipAddress: local, port: 0) else {
                    return eventLoop.makeFailedFuture(TransportError.notALocalAddress(local))
                }
                addresses.removeAll { $0.protocol != address.protocol }
                guard !addresses.isEmpty else {
                    return eventLoop.makeFailedFuture(TransportError.otherFamily(host: host, local: local))
                }
                bootstrap = bootstrap.bind(to: address)
            }
        }
        return self.connect(bootstrap, to: addresses, endpoint, on: eventLoop)
            .flatMapErrorThrowing { error in
                throw TransportError(connecting: error, to: endpoint, limit: timeouts.connect)
            }
            .map { channel in
                var stamps = stamps
                stamps.connected = .now
                stamps.remoteAddress = Self.text(channel.remoteAddress, endpoint)
                stamps.localAddress = channel.localAddress.flatMap {
                    $0.ipAddress == nil ? nil : Self.text($0, endpoint)
                }
                return Dialed(channel: channel, stamps: stamps)
            }
    }

    private func connect(
        _ bootstrap: ClientBootstrap,
        to addresses: [SocketAddress],
        _ endpoint: Endpoint,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        if addresses.count == 1 { return bootstrap.connect(to: addresses[0]) }
        guard case .host(let host, let port) = endpoint else {
            return eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        return bootstrap.resolver(KnownAddresses(addresses: addresses, eventLoop: eventLoop))
            .connect(host: host, port: port)
    }

    private func applyOptions(to bootstrap: ClientBootstrap) -> ClientBootstrap {
        var bootstrap = bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: self.options.noDelay ? 1 : 0)
        if let keepAlive = self.options.keepAlive {
            // The system takes from 1 to 32,767 seconds.
            let seconds = Int(Swift.min(Swift.max(keepAlive.components.seconds, 1), 32_767))
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
