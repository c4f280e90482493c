// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import NIOCore
import NIOPosix

/// The engine: HTTP/2 and HTTP/1.1 over TCP and TLS on SwiftNIO's event loops, with a pool of connections per origin.
///
/// An exchange costs one hop to the event loop of its connection and one back. Connections are kept after use; one that turns out to be
/// dead when a repeatable request is sent on it is replaced silently, once. Dropping the last reference closes idle connections and lets
/// exchanges under way finish.
public final class NIOTransport: Transport {
    /// An engine for everyone, with the default configuration; it needs no shutdown.
    public static let shared = NIOTransport()

    private let pool: ConnectionPool
    private let router: Router
    private let proxies = ProxyAuthenticator()

    public let trustSupport: TrustSupport

    /// Creates an engine; it opens no socket before the first exchange.
    ///
    /// The process-wide group is made with the first exchange, and needs three descriptors for each of its threads. Where the process has too few
    /// left, the exchange fails with ``TransportError/Code/connectFailed``.
    ///
    /// - Parameters:
    ///   - configuration: How it connects and what it allows.
    ///   - eventLoopGroup: Where it runs; the process-wide group unless given. It is never shut down by the engine.
    public init(configuration: Configuration = Configuration(), eventLoopGroup: (any EventLoopGroup)? = nil) {
        self.router = Router(configuration)
        self.trustSupport = .supported(standing: configuration.tls.trust)
        let connector = Connector(configuration: configuration, proxies: self.proxies)
        let eventLoops = EventLoops(eventLoopGroup)
        self.pool = ConnectionPool(connector: connector, configuration: configuration, eventLoops: eventLoops)
    }

    deinit {
        self.pool.close(immediately: false)
    }

    public func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        try request.validate()
        try self.pool.prepare()
        if case .file(let file) = request.body { try await file.check() }
        let exchange = try self.makeExchange(request)
        var response = try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                if exchange.wait(continuation) { self.pool.submit(exchange) }
            }
        } onCancel: {
            exchange.cancel()
            self.pool.noteDrained()
        }
        guard let forwarder = exchange.route.forwarder else { return response }
        try self.proxies.take(&response, from: forwarder, to: exchange.proxyAuthorization)
        return response
    }

    /// Begins an exchange.
    ///
    /// A function of its own, so that what it holds is not kept while the exchange is under way.
    @inline(never)
    private func makeExchange(_ request: TransportRequest) throws -> Exchange {
        let route = try self.router.route(for: request)
        var authorization: ProxyAuthorization?
        if let forwarder = route.forwarder {
            authorization = try self.proxies.authorization(for: request, to: forwarder)
        }
        let exchange = Exchange(
            request,
            route: route,
            proxyAuthorization: authorization,
            clock: self.pool.clock,
            observation: self.pool.makeObservation(for: request)
        )
        if let observation = exchange.observation {
            observation.tell(.started(method: request.method, origin: request.origin))
            if let proxy = exchange.route.proxy { observation.tell(.proxySelected(proxy)) }
        }
        return exchange
    }

    /// Opens connections to an origin before they are needed.
    ///
    /// - Parameters:
    ///   - origin: Where to.
    ///   - count: How many; fewer are opened where the limits of the pool, or a protocol that shares one connection, say so.
    ///   - timeouts: How long connecting and the TLS handshake may take.
    /// - Throws: ``TransportError`` of the first connection that cannot be made, or ``TransportError/Code/invalidRequest`` if there can be
    ///   no such origin.
    public func warmUp(_ origin: Origin, count: Int = 1, timeouts: Timeouts = Timeouts()) async throws {
        try origin.validate()
        try self.pool.prepare()
        let key = PoolKey(origin: origin, route: try self.router.route(to: origin))
        let connecting = self.pool.warmUp(key, count: count, timeouts: timeouts)
        for connection in connecting { try await connection.get() }
    }

    /// What the pool holds now, and what it has done so far.
    public var statistics: Statistics { self.pool.statistics }

    /// Closes every connection at once and refuses new exchanges; returns when the sockets are closed.
    ///
    /// Exchanges under way fail with ``TransportError/Code/shutDown``.
    public func shutdown() async {
        for connection in self.pool.close(immediately: true) {
            try? await connection.channel.closeFuture.get()
        }
    }

    /// Refuses new exchanges, lets those under way and those that wait finish, and returns when the sockets are closed.
    ///
    /// - Parameter limit: How long to wait for them; what is not done by then fails with ``TransportError/Code/shutDown``.
    ///   Cancelling the calling task ends the wait the same way.
    public func shutdown(within limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // Cut short when all is done, or when the caller does not want to wait any longer.
                await self.pool.sleep(for: limit)
                await self.shutdown()
            }
            await self.pool.drain()
            group.cancelAll()
        }
    }
}
