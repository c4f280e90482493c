// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOPosix
import Synchronization

/// Runs the exchanges of one connection, one after the other, on its event loop; where they ask for it, requests go out ahead of responses.
///
/// The last handler of the channel: the parser turns received bytes into events for the exchange in progress. Everything here runs on the
/// event loop; other threads call it through ``PooledConnection``.
final class HTTP1Handler: ChannelDuplexHandler, RemovableChannelHandler, ConnectionDriver {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// An exchange whose request was sent: the one in progress, or one that is pipelined behind it.
    ///
    /// An object, because it is looked at many times in an exchange, and a copy of all that it holds costs more than making it.
    final class Active {
        var response: ResponseAssembly
        var pump: (any BodyPump)?
        /// Set while the body is held back until the peer asks for it; sends it when the wait is over.
        var continuation: EngineTimer?
        /// Whether the request asked for the connection to be closed.
        var asksForClose = false
        var isRequestSent = false
        var hasBody = false
        /// The limit on its wait behind other exchanges.
        var lineDeadline: NIODeadline?
        /// Whether it was cancelled while it was pipelined; its response has to be read all the same.
        var isDropped = false

        var exchange: Exchange { self.response.exchange }
        /// When it has to be over; whatever was dropped has been over since then.
        var totalDeadline: NIODeadline? { self.isDropped ? nil : self.exchange.totalDeadline }
        var stage: ExchangeStage {
            ExchangeStage(isRequestSent: self.isRequestSent, hasHead: self.response.head != nil)
        }

        init(response: ResponseAssembly) {
            self.response = response
        }
    }

    let pool: ConnectionPool
    let threadPool: NIOThreadPool
    /// Set once the connection is ready, before the first exchange.
    var connection: PooledConnection?
    var context: ChannelHandlerContext?
    var parser: HTTP1ResponseParser
    var inbound = ByteBuffer()
    var outbound = ByteBuffer()
    /// The exchange in progress: the one whose response comes next or is coming.
    var active: Active?
    /// Those behind it.
    var pipeline = HTTP1Pipeline()
    /// Whether the last response was one of HTTP/1.1 that lets the connection go on.
    var mayPipeline = false
    var timer = DeadlineTimer()
    var lastActivity = NIODeadline.uptimeNanoseconds(0)
    /// When the request was sent, or an informational response came.
    var responseAwaited = NIODeadline.uptimeNanoseconds(0)
    /// The bytes that waited in the channel when some were last added.
    var unsentByteCount = 0
    /// The exchanges this connection has finished.
    var servedCount = 0
    var stamps: ConnectionStamps
    private var isReadPending = false
    private var isClosing = false

    init(pool: ConnectionPool, threadPool: NIOThreadPool, limits: Limits, stamps: ConnectionStamps) {
        self.pool = pool
        self.threadPool = threadPool
        self.parser = HTTP1ResponseParser(limits: limits)
        self.stamps = stamps
    }

    // MARK: The pipeline

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.timer.cancel()
        self.context = nil
        // The connection holds this handler; holding it back beyond the life of the channel would keep both forever.
        self.connection = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.active != nil else {
            // Bytes that no request asked for: the connection is out of step, and is closed.
            return self.close()
        }
        var bytes = self.unwrapInboundIn(data)
        let byteCount = bytes.readableBytes
        if self.inbound.readableBytes == 0 { self.inbound = bytes } else { self.inbound.writeBuffer(&bytes) }
        self.lastActivity = self.pool.clock.now()
        self.active?.response.received(byteCount)
        self.readResponse()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.handOver()
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        // Reads are asked for automatically; while a consumer is behind, the asking stops here and the peer's window closes.
        if self.isWaitingForConsumer { self.isReadPending = true } else { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.active?.pump?.pull(room: self.room) }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let phase: TransportError.Phase = self.active?.response.head == nil ? .responseHead : .responseBody
        self.fail(TransportError(mapping: error, phase: phase, isRequestSent: self.active != nil))
        self.close()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.readResponse(drains: true)
        if self.active != nil {
            do {
                if case .end(let trailers) = try self.parser.finish() { self.finishExchange(trailers: trailers) }
            } catch {
                self.fail(error)
            }
        }
        self.fail(.closedEarly(isRequestSent: self.active != nil))
        self.timer.cancel()
        if let connection { self.pool.remove(connection) }
        context.fireChannelInactive()
    }

    // MARK: Called through the connection

    func cancel(_ exchange: Exchange) {
        if self.active?.exchange === exchange {
            let line = self.pipeline.removeAll()
            self.endActive()?.pump?.stop()
            self.close()
            self.resend(line)
        } else {
            self.pipeline.drop(exchange)
        }
        exchange.observation?.tellLast(.cancelled)
    }

    func resumeReading(_ exchange: Exchange) {
        guard self.active?.exchange === exchange else { return }
        self.lastActivity = self.pool.clock.now()
        self.active?.response.resume()
        self.readAgain()
        self.readResponse()
        self.handOver()
        self.armTimer()
    }

    func shutDown() {
        if let active { self.fail(.shutDown(in: active.stage.phase, isRequestSent: true)) }
        self.close()
    }

    // MARK: State of the connection

    /// Whether the consumer of the response is the slow side now.
    var isWaitingForConsumer: Bool { self.active?.response.isStalled ?? false }

    /// Passes on the read that was held back while the consumer was behind.
    func readAgain() {
        guard self.isReadPending else { return }
        self.isReadPending = false
        self.context?.read()
    }

    func close() {
        guard !self.isClosing else { return }
        self.isClosing = true
        self.timer.cancel()
        if let connection { self.pool.remove(connection) }
        self.context?.close(promise: nil)
    }

    /// Takes the connection out of the pool: it is upgraded (101 Switching Protocols).
    func leavePool() {
        self.isClosing = true
        self.timer.cancel()
        if let connection { self.pool.remove(connection) }
    }

    var capacity: Int { 1 }

    /// Whether an exchange can be started.
    var isUsable: Bool { !self.isClosing && self.context?.channel.isActive ?? false }

    /// Takes the exchange in progress off the connection.
    func endActive() -> Active? {
        guard let active = self.active.take() else { return nil }
        active.continuation?.cancel()
        active.exchange.observation?.didRelease(self.stamps.connectionID)
        return active
    }

    /// Fails the exchange in progress, and with it the connection.
    func fail(_ error: TransportError) {
        let line = self.pipeline.removeAll()
        guard let active = self.endActive() else { return }
        active.pump?.stop()
        self.close()
        self.resend(line)
        // An informational response is one too: the peer has begun with the request.
        let hasResponse = active.response.metrics.responseByteCount > 0
        let isReused = self.servedCount > 0
        if !active.isDropped, active.exchange.claimRetry(after: error, isReused: isReused, hasResponse: hasResponse) {
            active.exchange.tell(.retried(after: error))
            self.pool.submit(active.exchange, fresh: true)
        } else {
            active.response.fail(error)
        }
    }
}

extension TransportError {
    static func closedEarly(isRequestSent: Bool) -> TransportError {
        TransportError(
            .connectionClosed,
            phase: .responseHead,
            reason: "the peer closed the connection before it responded",
            isRequestSent: isRequestSent
        )
    }
}
