// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOPosix

/// Runs the exchanges of one HTTP/1.1 connection on its event loop, one after the other or pipelined.
///
/// The last handler of the channel: the parser turns received bytes into events, ``HTTP1ConnectionState`` decides what
/// they mean for which exchange, and the handler carries that out. Other threads call it through ``PooledConnection``.
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
    /// Whether a read was held back while the consumer of the response was slow.
    private var isReadHeld = false
    /// The first error of the system for a part of a request's body; nil also if the server has closed the connection.
    private var writeFault: (error: IOError, isOfFile: Bool)?
    /// Whether the head of a request is being written, the error of which nobody is told.
    var isFlushing = false

    init(pool: ConnectionPool, limits: TransportLimits, stamps: ConnectionStamps) {
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
        // The connection holds this handler: the cycle ends with the channel.
        self.connection = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.state.received(now: self.pool.clock.now()) else { return self.close() }
        var bytes = self.unwrapInboundIn(data)
        let byteCount = bytes.readableBytes
        if self.inbound.readableBytes == 0 {
            self.inbound = bytes
        } else {
            // A server may leave a byte unread each time: the bytes before it must not accumulate.
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
        // Reads are requested automatically; while the consumer is slow, they stop here, which closes the TCP window.
        self.isReadHeld = self.isWaitingForConsumer
        if !self.isReadHeld { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.active?.io.pump?.pull(room: self.room) }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Nothing more is started here, but the received bytes may complete the response.
        self.leavePool()
        self.readResponse(drains: true)
        self.fail(TransportError(mapping: error, phase: .responseHead, isRequestSent: self.active != nil))
        self.context?.close(promise: nil)
    }

    /// A part of a request could not be written; the channel ends next.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - isOfFile: Whether that part was sent with sendfile(2).
    func noteWriteFault(_ error: any Error, ofFile isOfFile: Bool) {
        if self.writeFault == nil { self.writeFault = (error as? IOError).map { ($0, isOfFile) } }
    }

    /// The error of a write that has ended the connection, if the response may be cut.
    ///
    /// A write takes the error of the socket: the end that is read after it looks ordinary, also in the middle of a
    /// body without a length. Nothing is missing if the server had ended its side before, unless a read was held back.
    /// With sendfile(2) that is unknown: a call that has sent some bytes hides the error, and the next one gets EPIPE.
    private var brokenWrite: TransportError? {
        if let (fault, isOfFile) = self.writeFault, self.isReadHeld || isOfFile || !fault.followsEnd {
            return TransportError(mapping: fault, phase: .responseHead, isRequestSent: true)
        }
        return self.isFlushing ? .closed("the connection broke", isRequestSent: true) : nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.readResponse(drains: true)
        if let active {
            do throws(TransportError) {
                if let brokenWrite { throw brokenWrite }
                // A body without a length ends with the connection.
                if case .end(let trailers) = try self.parser.finish() {
                    try active.io.response.finishDecoding()
                    self.finishExchange(trailers: trailers)
                }
            } catch {
                self.fail(error)
            }
        }
        self.fail(.closedEarly(isRequestSent: true))
        self.timer.cancel()
        if let connection { self.pool.remove(connection) }
        context.fireChannelInactive()
    }

    // MARK: Called through the connection

    func cancel(_ exchange: Exchange) {
        if let loss = self.state.cancel(where: { $0.io.exchange === exchange }) {
            self.didEnd(loss.active)
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
        // The response may be complete and wait for its consumer.
        self.readResponse(drains: true)
        if let active { self.fail(.shutDown(in: active.stage.phase, isRequestSent: true)) }
        self.close()
    }

    // MARK: State of the connection

    var active: Active? { self.state.active }

    var capacity: Int { 1 }

    var isCapacityKnown: Bool { true }

    var isUsable: Bool { !self.state.isClosed && self.context?.channel.isActive ?? false }

    /// Whether the consumer of the response is the slow side.
    var isWaitingForConsumer: Bool { self.active?.io.response.isStalled ?? false }

    /// Passes on a read that was held back.
    func readAgain() {
        guard self.isReadHeld else { return }
        self.isReadHeld = false
        self.context?.read()
    }

    func close() {
        guard self.leavePool() else { return }
        self.context?.close(promise: nil)
    }

    /// Removes the connection from the pool.
    ///
    /// - Returns: False if that has happened before.
    @discardableResult
    func leavePool() -> Bool {
        guard self.state.close() else { return false }
        self.timer.cancel()
        if let connection { self.pool.remove(connection) }
        return true
    }

    /// An exchange has left the connection.
    func didEnd(_ entry: Active) {
        entry.io.stop()
        entry.io.exchange.observation?.didRelease(self.stamps.connectionID)
    }

    /// Fails the active exchange, if there is one, and closes the connection.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - cause: How the exchange was lost, unless the connection broke.
    func fail(_ error: TransportError, _ cause: ExchangeLoss? = nil) {
        let isReused = self.state.isReused
        guard let loss = self.state.lose() else { return }
        let active = loss.active
        let unsentByteCount = self.context?.unsentByteCount ?? 0
        self.didEnd(active)
        self.close()
        self.resend(loss.behind)
        let how = cause ?? .broken(isReused: isReused, hasResponse: active.hasResponse)
        if !active.isDropped, self.pool.resend(active.io.exchange, after: error, how) { return }
        active.io.response.fail(error, unsentByteCount: unsentByteCount)
    }

    /// Resends the exchanges of the pipeline: the connection has ended before a byte of their responses.
    ///
    /// They are queued before all other requests, and are not pipelined again. The last is queued first, because each
    /// goes to the front; a connection that is made in the meantime may take a later one before an earlier one.
    func resend(_ pipeline: [Active]) {
        for entry in pipeline.reversed() {
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
    /// The timer that sends a body which is held back.
    var continuation: EngineTimer?

    var exchange: Exchange { self.response.exchange }

    /// Sends no more of the body.
    mutating func stop() {
        self.continuation?.cancel()
        self.continuation = nil
        self.pump?.stop()
        self.pump = nil
    }
}

typealias HTTP1State = HTTP1ConnectionState<HTTP1IO>

extension TransportError {
    static func closedEarly(isRequestSent: Bool) -> TransportError {
        .closed("the server closed the connection before it responded", isRequestSent: isRequestSent)
    }
}
