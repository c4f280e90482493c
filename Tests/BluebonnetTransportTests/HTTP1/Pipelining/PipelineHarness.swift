// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOPosix

@testable import BluebonnetTransport

/// One connection of HTTP/1.1 without a socket, which has served one exchange.
///
/// Its pool is closed: what is to be sent once more elsewhere is refused there, and that way can be told from everything else.
final class PipelineHarness: Sendable {
    /// What became of an exchange.
    enum Outcome: Equatable, Sendable {
        case response(String)
        /// It was given back to the pool.
        case elsewhere
        case cancelled
        case failed(TransportError.Code)
    }

    /// An exchange and the task that waits for its outcome.
    struct Call: Sendable {
        let exchange: Exchange
        let observer: RecordingObserver
        let outcome: Task<Outcome, Never>
    }

    let channel: NIOAsyncTestingChannel
    private let connection: PooledConnection
    private let handler: NIOLoopBound<HTTP1Handler>

    init(clock: EngineClock = .system) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.clock = clock
        let connector = Connector(configuration: configuration)
        let pool = ConnectionPool(
            connector: connector,
            configuration: configuration,
            eventLoops: EventLoops(MultiThreadedEventLoopGroup.singleton)
        )
        pool.close(immediately: true)
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        (self.connection, self.handler) = try await channel.testingEventLoop.executeInContext {
            let handler = HTTP1Handler(
                pool: pool,
                limits: TransportLimits(),
                stamps: ConnectionStamps(connectStarted: .now)
            )
            try channel.pipeline.syncOperations.addHandler(handler)
            let connection = PooledConnection(
                key: PoolKey(origin: Self.origin),
                channel: channel,
                driver: NIOLoopBound(handler, eventLoop: channel.eventLoop)
            )
            handler.connection = connection
            return (connection, NIOLoopBound(handler, eventLoop: channel.eventLoop))
        }
        self.channel = channel
        let first = await self.start("/first")
        await self.feed(["HTTP/1.1 204 No Content\r\n\r\n"].map { Array($0.utf8) })
        guard await first.outcome.value == .response("204 ") else { throw ChannelError.inappropriateOperationForState }
    }

    private static let origin = Origin(scheme: .http, host: "example.test")

    /// Starts an exchange on the connection, as the pool would; returns when its request is out or given back.
    func start(
        _ target: String,
        method: HTTPRequest.Method = .get,
        body: TransportBody = .none,
        streamed: Bool = false,
        continueTimeout: Duration? = nil
    ) async -> Call {
        var request = TransportRequest(method: method, origin: Self.origin, target: target, body: body)
        request.usesPipelining = true
        if streamed { request.responseMode = .streamed }
        request.continueTimeout = continueTimeout
        let observer = RecordingObserver()
        let exchange = Exchange(request, observation: ExchangeObservation(observer: observer, metrics: nil))
        let call = await Self.wait(exchange, observer)
        self.connection.start(exchange)
        await self.settle()
        return call
    }

    /// Begins to wait for an exchange.
    private static func wait(_ exchange: Exchange, _ observer: RecordingObserver) async -> Call {
        let (isWaiting, waiting) = AsyncStream.makeStream(of: Void.self)
        let outcome = Task { () -> Outcome in
            do {
                let response = try await withUnsafeThrowingContinuation { continuation in
                    _ = exchange.wait(continuation)
                    waiting.finish()
                }
                let body = try await response.body.collect(upTo: 1024 * 1024)
                return .response("\(response.status.code) \(String(buffer: body))")
            } catch is CancellationError {
                return .cancelled
            } catch let error as TransportError {
                return error.code == .shutDown ? .elsewhere : .failed(error.code)
            } catch {
                return .failed(.protocolViolation)
            }
        }
        for await _ in isWaiting {}
        return Call(exchange: exchange, observer: observer, outcome: outcome)
    }

    func cancel(_ call: Call) async {
        call.exchange.cancel()
        await self.settle()
    }

    /// Lets bytes arrive, in pieces that come in turns of the loop of their own.
    func feed(_ pieces: [[UInt8]]) async {
        try? await self.channel.testingEventLoop.executeInContext { [channel] in
            for piece in pieces where channel.isActive {
                channel.pipeline.fireChannelRead(ByteBuffer(bytes: piece))
                channel.pipeline.fireChannelReadComplete()
            }
        }
        await self.settle()
    }

    /// The peer closes.
    func close() async {
        try? await self.channel.close().get()
        await self.settle()
    }

    var isActive: Bool { self.channel.isActive }

    /// Whether nothing is under way on the connection.
    func isEmpty() async throws -> Bool {
        try await self.channel.testingEventLoop.executeInContext { [handler] in
            handler.value.state.active == nil
        }
    }

    /// The bytes of memory that hold what has come and is not read.
    func inboundCapacity() async throws -> Int {
        try await self.channel.testingEventLoop.executeInContext { [handler] in
            handler.value.inbound.storageCapacity
        }
    }

    /// Everything that was sent.
    func sent() async throws -> String {
        var text = ""
        while let bytes = try await self.channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        return text
    }

    /// Waits until the loop has done all that was asked of it.
    private func settle() async {
        await self.channel.testingEventLoop.run()
    }
}
