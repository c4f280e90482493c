// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import NIOCore
import NIOPosix

/// The engine: HTTP/2 and HTTP/1.1 over TCP and TLS on SwiftNIO's event loops, with a connection pool per origin.
///
/// An exchange costs one hop to the event loop of its connection and one back. Connections are reused. If a connection
/// turns out to be dead when a repeatable request is sent on it, the request is silently resent on another one, once.
/// Releasing the last reference closes idle connections and lets exchanges in progress finish.
public final class NIOTransport: Transport {
    /// The shared engine, with the default configuration; it needs no shutdown.
    public static let shared = NIOTransport()

    private let pool: ConnectionPool
    private let eventLoops: EventLoops
    private let router: Router
    private let proxies = ProxyAuthenticator()

    public let trustSupport: TrustSupport

    /// Creates an engine; it opens no socket before the first exchange.
    ///
    /// The process-wide event loop group is created with the first exchange, and needs three file descriptors for each
    /// of its threads. If the process has too few left, or may start too few threads, the exchange fails with
    /// ``TransportError/Code/connectFailed``.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - eventLoopGroup: The event loop group; the process-wide group unless given. The engine never shuts it down.
    public init(configuration: Configuration = Configuration(), eventLoopGroup: (any EventLoopGroup)? = nil) {
        self.router = Router(configuration)
        self.trustSupport = .supported(standing: configuration.tls.trust)
        let connector = Connector(configuration: configuration, proxies: self.proxies)
        self.eventLoops = EventLoops(eventLoopGroup)
        self.pool = ConnectionPool(connector: connector, configuration: configuration, eventLoops: self.eventLoops)
    }

    deinit {
        self.pool.close(immediately: false)
    }

    public func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        try request.validate()
        try self.pool.prepare()
        let exchange = try self.makeExchange(request)
        var response = try await self.wait(for: exchange)
        response.leavesBody = !request.body.isReplayable && exchange.canSendBody
        guard let forwarder = exchange.route.forwarder else { return response }
        try self.proxies.take(&response, from: forwarder, to: exchange.proxyAuthorization)
        return response
    }

    /// Sends an exchange, and waits for its response.
    private func wait(for exchange: Exchange) async throws -> TransportResponse {
        do {
            return try await withTaskCancellationHandler {
                try await withUnsafeThrowingContinuation { continuation in
                    guard exchange.wait(continuation) else { return }
                    if case .file(let file) = exchange.request.body {
                        self.submit(exchange, afterCheckOf: file)
                    } else {
                        self.pool.submit(exchange)
                    }
                }
            } onCancel: {
                exchange.cancel()
            }
        } catch let error as CancellationError {
            // Not in the handler above: a lock of the task is held there, and this calls code of the program and wakes
            // other tasks up.
            exchange.reportCancellation()
            self.pool.noteDrained()
            throw error
        }
    }

    /// Submits an exchange after a check of its body's file, which may block for as long as a disk, a network mount or
    /// the other users of its threads do: the total limit and a cancellation end the wait for it.
    private func submit(_ exchange: Exchange, afterCheckOf file: FileBody) {
        let eventLoop = self.eventLoops.next()
        let timer = exchange.totalDeadline.map { [clock = self.pool.clock] deadline in
            clock.schedule(at: deadline, on: eventLoop) {
                exchange.answer(.failure(exchange.waitedTooLong(now: deadline)))
            }
        }
        NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { try file.check() }.whenComplete { [pool] result in
            timer?.cancel()
            switch result {
            case .success: if exchange.isWaiting { pool.submit(exchange) }
            case .failure(let error): exchange.answer(.failure(error))
            }
        }
    }

    /// Starts an exchange.
    ///
    /// It is a separate function so that its local values are not kept while the exchange is in progress.
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
    /// Cancelling the calling task ends the wait at once. The connections are made all the same, and are the pool's.
    ///
    /// - Parameters:
    ///   - origin: The origin to connect to.
    ///   - count: The number of connections; fewer are opened if the limits of the pool require it, or if the protocol
    ///     shares one connection.
    ///   - timeouts: The limits for connecting and for the TLS handshake.
    /// - Throws: The ``TransportError`` of the first connection that cannot be made, or
    ///   ``TransportError/Code/invalidRequest`` for an invalid origin; `CancellationError` when the task is cancelled.
    public func warmUp(_ origin: Origin, count: Int = 1, timeouts: Timeouts = Timeouts()) async throws {
        try origin.validate()
        try self.pool.prepare()
        let key = PoolKey(origin: origin, route: try self.router.route(to: origin))
        let connecting = self.pool.warmUp(key, count: count, timeouts: timeouts)
        for connection in connecting { try await Self.wait(for: connection) }
    }

    /// Waits for a connection, until the task is cancelled at the latest.
    private static func wait(for connection: EventLoopFuture<Void>) async throws {
        let end = connection.eventLoop.makePromise(of: Void.self)
        connection.cascade(to: end)
        // Completing a promise again has no effect.
        try await withTaskCancellationHandler {
            try await end.futureResult.get()
        } onCancel: {
            end.fail(CancellationError())
        }
    }

    /// The current state of the pool, and its totals so far.
    public var statistics: Statistics { self.pool.statistics }

    /// Closes every connection at once, those that are being made included, and refuses new exchanges; returns when the
    /// sockets are closed and the attempts to connect have ended.
    ///
    /// A name lookup is cancelled and not waited for.
    /// Exchanges in progress fail with ``TransportError/Code/shutDown``.
    public func shutdown() async {
        for lookup in self.pool.close(immediately: true) { try? await lookup.get() }
        // An attempt ends some steps of its event loop after its lookup or socket; the program may shut the loop down next.
        await self.pool.drained()
    }

    /// Refuses new exchanges, lets exchanges in progress and waiting ones finish, and returns when the sockets are
    /// closed.
    ///
    /// - Parameter limit: The maximum time to wait for them; those that are unfinished by then fail with
    ///   ``TransportError/Code/shutDown``. Cancelling the calling task has the same effect.
    public func shutdown(within limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // Ends early when everything is done, or when the calling task is cancelled.
                await self.pool.sleep(for: limit)
                await self.shutdown()
            }
            self.pool.close(immediately: false)
            await self.pool.drained()
            group.cancelAll()
        }
    }
}
