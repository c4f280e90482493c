// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// Makes connections: name lookup, TCP, TLS, and the handler that speaks HTTP on them.
final class Connector: Sendable {
    typealias Completion = @Sendable (Result<HTTP1Connection, TransportError>) -> Void

    private let configuration: NIOTransport.Configuration
    private let tls: TLSContextCache
    private let threadPool: NIOThreadPool

    init(configuration: NIOTransport.Configuration, threadPool: NIOThreadPool) {
        self.configuration = configuration
        self.tls = TLSContextCache(options: configuration.tls)
        self.threadPool = threadPool
    }

    /// Connects; the completion is called once, on the event loop.
    func connect(
        _ key: PoolKey,
        timeouts: Timeouts,
        pool: ConnectionPool,
        eventLoop: any EventLoop,
        completion: @escaping Completion
    ) {
        let started = ContinuousClock.now
        guard key.origin.scheme == .https else {
            return self.open(
                key,
                context: nil,
                started: started,
                timeouts: timeouts,
                pool: pool,
                eventLoop: eventLoop,
                completion
            )
        }
        // Reading the system's roots takes tens of milliseconds, once; that must not happen on an event loop.
        self.threadPool.submit { _ in
            let context = self.tls.context()
            eventLoop.execute {
                switch context {
                case .failure(let error): completion(.failure(error))
                case .success(let context):
                    self.open(
                        key,
                        context: context,
                        started: started,
                        timeouts: timeouts,
                        pool: pool,
                        eventLoop: eventLoop,
                        completion
                    )
                }
            }
        }
    }

    private func open(
        _ key: PoolKey,
        context: NIOSSLContext?,
        started: ContinuousClock.Instant,
        timeouts: Timeouts,
        pool: ConnectionPool,
        eventLoop: any EventLoop,
        _ completion: @escaping Completion
    ) {
        // Two addresses may be tried at the same time, so there can be more than one channel, each with its own handler.
        let handlers = NIOLoopBoundBox.makeBoxSendingValue([ObjectIdentifier: HTTP1Handler](), eventLoop: eventLoop)
        let limits = self.configuration.limits
        let threadPool = self.threadPool
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(timeouts.connect.map { TimeAmount($0) } ?? .hours(24))
            .channelOption(.writeBufferWaterMark, value: .init(low: 128 * 1024, high: 512 * 1024))
            .channelOption(
                .recvAllocator,
                // Larger reads brought nothing when they were measured, and cost memory per connection.
                value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 64 * 1024)
            )
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(
                            TLSHandshake.handler(context: context, host: key.origin.host)
                        )
                    }
                    let handler = HTTP1Handler(
                        pool: pool,
                        threadPool: threadPool,
                        limits: limits,
                        stamps: ConnectionStamps(connectStarted: started),
                        readiness: channel.eventLoop.makePromise(of: Void.self)
                    )
                    handlers.value[ObjectIdentifier(channel)] = handler
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
        bootstrap.connect(host: key.origin.host, port: key.origin.port).whenComplete { result in
            switch result {
            case .failure(let error):
                completion(.failure(TransportError(connecting: error, to: key.origin, limit: timeouts.connect)))
            case .success(let channel):
                guard let handler = handlers.value[ObjectIdentifier(channel)] else { return }
                self.finish(channel, handler, key: key, isSecure: context != nil, timeouts: timeouts, completion)
            }
        }
    }

    /// Waits for the handshake, with its own limit, and hands the connection over.
    private func finish(
        _ channel: any Channel,
        _ handler: HTTP1Handler,
        key: PoolKey,
        isSecure: Bool,
        timeouts: Timeouts,
        _ completion: @escaping Completion
    ) {
        handler.stamps.connected = .now
        handler.stamps.remoteAddress = channel.remoteAddress.map(Self.text)
        let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        var timeout: Scheduled<Void>?
        if isSecure {
            timeout = timeouts.handshake.map { limit in
                channel.eventLoop.scheduleTask(in: TimeAmount(limit)) {
                    bound.value.fail(
                        TransportError(
                            .timedOut,
                            phase: .handshake,
                            reason: "the TLS handshake with \(key.origin) took longer than \(limit)"
                        )
                    )
                    bound.value.close()
                }
            }
        } else {
            handler.becomeReady()
        }
        let idleTimeout = TimeAmount(self.configuration.pool.idleTimeout)
        handler.ready.whenComplete { [timeout] result in
            timeout?.cancel()
            switch result {
            case .failure(let error):
                completion(.failure(TransportError(mapping: error, phase: .handshake, isRequestSent: false)))
            case .success:
                let connection = HTTP1Connection(key: key, channel: channel, idleTimeout: idleTimeout, handler: bound)
                bound.value.connection = connection
                completion(.success(connection))
            }
        }
    }

    private static func text(_ address: SocketAddress) -> String {
        guard let ip = address.ipAddress, let port = address.port else { return "\(address)" }
        return ip.utf8.contains(UInt8(ascii: ":")) ? "[\(ip)]:\(port)" : "\(ip):\(port)"
    }
}
