// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOPosix

/// Runs the exchanges of one connection, one after the other, on its event loop; where they ask for it, requests go out ahead of responses.
///
/// The last handler of the channel: the parser turns received bytes into events, ``HTTP1ConnectionState`` decides what they mean for which
/// exchange, and the handler carries that out. Everything here runs on the event loop; other threads call it through ``PooledConnection``.
final class HTTP1Handler: ChannelDuplexHandler, RemovableChannelHandler, ConnectionDriver {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    typealias Active = HTTP1State.Entry

    let pool: ConnectionPool
    /// Set once the connection is ready, before the first exchange.
    var connection: PooledConnection?
    var context: ChannelHandlerContext?
    var parser: HTTP1ResponseParser
    var inbound = ByteBuffer()
    var outbound = ByteBuffer()
    var state = HTTP1State()
    var timer = DeadlineTimer()
    let stamps: ConnectionStamps
    /// Why the system takes no more of a request, if it is not that the peer has ended the connection.
    private(set) var writeFault: IOError?

    init(pool: ConnectionPool, limits: Limits, stamps: ConnectionStamps) {
        self.pool = pool
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
        guard self.state.received(now: self.pool.clock.now()) else { return self.close() }
        var bytes = self.unwrapInboundIn(data)
        let byteCount = bytes.readableBytes
        if self.inbound.readableBytes == 0 {
            self.inbound = bytes
        } else {
            // A peer may leave a byte over each time: what is read must not stay in front of it.
            self.inbound.discardReadBytes()
            self.inbound.writeBuffer(&bytes)
        }
        self.active?.io.response.received(byteCount)
        self.readResponse()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.handOver()
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        // Reads are asked for automatically; while a consumer is behind, the asking stops here and the peer's window closes.
        if self.state.mayRead(isStalled: self.isWaitingForConsumer) { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.active?.io.pump?.pull(room: self.room) }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Nothing more is started here, but what has come may be whole.
        self.leavePool()
        self.readResponse(drains: true)
        self.fail(TransportError(mapping: error, phase: .responseHead, isRequestSent: self.active != nil))
        self.context?.close(promise: nil)
    }

    /// A part of a request could not be written; the channel ends next.
    func noteWriteFault(_ error: any Error) {
        if self.writeFault == nil { self.writeFault = error as? IOError }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.readResponse(drains: true)
        if self.active != nil {
            do {
                try self.readEnd()
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
        if let loss = self.state.cancel(where: { $0.io.exchange === exchange }) {
            self.didEnd(loss.active)
            loss.active.io.pump?.stop()
            self.close()
            self.resend(loss.behind)
        }
        exchange.observation?.tellLast(.cancelled)
    }

    func resumeReading(_ exchange: Exchange) {
        guard let active, active.io.exchange === exchange else { return }
        self.state.noteActivity(self.pool.clock.now())
        active.io.response.resume()
        self.readAgain()
        self.readResponse()
        self.handOver()
        self.armTimer()
    }

    func shutDown() {
        // What has come may be whole, and wait for its consumer.
        self.readResponse(drains: true)
        if let active { self.fail(.shutDown(in: active.stage.phase, isRequestSent: true)) }
        self.close()
    }

    // MARK: State of the connection

    /// The exchange in progress: the one whose response comes next or is coming.
    var active: Active? { self.state.active }

    var capacity: Int { 1 }

    /// Whether an exchange can be started.
    var isUsable: Bool { !self.state.isClosed && self.context?.channel.isActive ?? false }

    /// Whether the consumer of the response is the slow side now.
    var isWaitingForConsumer: Bool { self.active?.io.response.isStalled ?? false }

    /// Passes on the read that was held back while the consumer was behind.
    func readAgain() {
        if self.state.takeHeldRead() { self.context?.read() }
    }

    func close() {
        guard self.leavePool() else { return }
        self.context?.close(promise: nil)
    }

    /// Takes the connection out of the pool.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    func leavePool() -> Bool {
        guard self.state.close() else { return false }
        self.timer.cancel()
        if let connection { self.pool.remove(connection) }
        return true
    }

    /// An exchange has left the connection.
    func didEnd(_ entry: Active) {
        entry.io.continuation?.cancel()
        entry.io.exchange.observation?.didRelease(self.stamps.connectionID)
    }

    /// Fails the exchange in progress, and with it the connection.
    ///
    /// - Parameters:
    ///   - error: How it fails.
    ///   - cause: How it was lost, where that is more than that the connection broke.
    func fail(_ error: TransportError, _ cause: ExchangeLoss? = nil) {
        let isReused = self.state.isReused
        guard let loss = self.state.lose() else { return }
        let active = loss.active
        self.didEnd(active)
        active.io.pump?.stop()
        self.close()
        self.resend(loss.behind)
        var error = error
        // Neither the parser nor the channel knows where the exchange stands.
        if active.io.response.head != nil, error.phase == .responseHead { error.phase = .responseBody }
        let how = cause ?? .broken(isReused: isReused, hasResponse: active.hasResponse)
        if !active.isDropped, self.pool.resend(active.io.exchange, after: error, how) { return }
        active.io.response.fail(error)
    }

    /// Sends those that were in line once more, elsewhere: the connection has ended before a byte of their responses.
    ///
    /// They go before all others that wait, and never behind others again. The last is given back first, because each goes to the
    /// front; where a connection is made in the meantime, it may take a later one before an earlier one.
    func resend(_ line: [Active]) {
        for entry in line.reversed() {
            self.didEnd(entry)
            guard !entry.isDropped else { continue }
            let error = TransportError.closedEarly(isRequestSent: entry.isRequestSent)
            let how = ExchangeLoss.broken(isReused: true, hasResponse: false)
            if !self.pool.resend(entry.io.exchange, after: error, how) { entry.io.response.fail(error) }
        }
    }
}

/// What the handler keeps with an exchange.
struct HTTP1IO {
    var response: ResponseAssembly
    var pump: (any BodyPump)?
    /// Set while the body is held back until the peer asks for it; sends it when the wait is over.
    var continuation: EngineTimer?

    var exchange: Exchange { self.response.exchange }

    init(response: ResponseAssembly) {
        self.response = response
    }

    /// No more of the body is sent.
    mutating func stopBody() {
        self.continuation?.cancel()
        self.continuation = nil
        self.pump?.stop()
        self.pump = nil
    }
}

typealias HTTP1State = HTTP1ConnectionState<HTTP1IO>

extension TransportError {
    static func closedEarly(isRequestSent: Bool) -> TransportError {
        TransportError(
            .connectionClosed,
            phase: .responseHead,
            reason: "the server closed the connection before it responded",
            isRequestSent: isRequestSent
        )
    }
}
