// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOPosix

/// Runs the exchanges of one HTTP/2 connection, side by side, on its event loop (RFC 9113).
///
/// The last handler of the channel, over TLS or over the socket itself: the reader turns received bytes into frames,
/// ``HTTP2ConnectionState`` decides what they mean for which stream, and the handler carries that out. Outgoing frames are gathered in one
/// buffer, which is written once a turn of the event loop, so that many small requests cost one system call.
final class HTTP2Handler: ChannelDuplexHandler, ConnectionDriver {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    typealias State = HTTP2ConnectionState<HTTP2IO>
    typealias Stream = State.Stream

    let pool: ConnectionPool
    let limits: Limits
    let stamps: ConnectionStamps
    /// Set once the connection is ready, before the first exchange.
    var connection: PooledConnection?
    private(set) var context: ChannelHandlerContext?

    private var reader: HTTP2FrameReader
    var decoder = HPACKDecoder()
    var encoder = HPACKEncoder()
    var outbound = ByteBuffer()
    var state: State
    var timer = DeadlineTimer()
    /// How the peer broke the protocol, or why it does not want to go on.
    var failure: TransportError?
    private var isFlushScheduled = false
    private var isReading = false

    init(
        pool: ConnectionPool,
        limits: Limits,
        options: NIOTransport.HTTP2Options,
        stamps: ConnectionStamps
    ) {
        self.pool = pool
        self.limits = limits
        self.stamps = stamps
        let pulse = HTTP2Pulse(interval: options.pingInterval, timeout: options.pingTimeout, now: pool.clock.now())
        self.state = State(windowSize: options.windowSize, firstID: options.firstStreamID, pulse: pulse)
        self.reader = HTTP2FrameReader(limits: limits)
    }

    // MARK: The pipeline

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.outbound.writeStaticString(HTTP2FrameWriter.preface)
        HTTP2FrameWriter.settings(
            [
                (HTTP2Settings.Identifier.enablePush, 0),
                (HTTP2Settings.Identifier.initialWindowSize, UInt32(self.state.windowSize)),
                (HTTP2Settings.Identifier.maximumHeaderListSize, UInt32(clamping: self.limits.maximumHeadByteCount)),
            ],
            into: &self.outbound
        )
        HTTP2FrameWriter.windowUpdate(
            stream: 0,
            increment: HTTP2Settings.connectionWindow - 65_535,
            into: &self.outbound
        )
        // The first request goes out with these in one write.
        self.scheduleFlush()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.timer.cancel()
        self.context = nil
        // The connection holds this handler; holding it back beyond the life of the channel would keep both forever.
        self.connection = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.state.isClosed else { return }
        var bytes = self.unwrapInboundIn(data)
        self.state.heard(self.pool.clock.now())
        self.isReading = true
        do {
            while !self.state.isClosed, let frame = try self.reader.next(&bytes) { try self.receive(frame) }
        } catch {
            self.failConnection(error)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.isReading = false
        self.handOver()
        self.sendData()
        self.flush()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            self.sendData()
            self.flush()
        }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.failAll(
            self.failure
                ?? self.explained(TransportError(mapping: error, phase: .responseHead, isRequestSent: true))
        )
        self.close()
    }

    func channelInactive(context: ChannelHandlerContext) {
        let closed = TransportError(
            .connectionClosed,
            phase: .responseHead,
            reason: "the server closed the connection before the response was complete",
            isRequestSent: true
        )
        self.failAll(self.failure ?? self.explained(closed))
        self.timer.cancel()
        if let connection { self.pool.remove(connection) }
        context.fireChannelInactive()
    }

    // MARK: Called through the connection

    func cancel(_ exchange: Exchange) {
        if let stream = self.state.stream(of: ObjectIdentifier(exchange)) {
            self.reset(stream, code: .cancel)
            self.remove(stream)
            self.release()
        }
        exchange.observation?.tellLast(.cancelled)
    }

    func resumeReading(_ exchange: Exchange) {
        guard let stream = self.state.stream(of: ObjectIdentifier(exchange)) else { return }
        stream.noteActivity(self.pool.clock.now())
        stream.io.response.resume()
        self.emptyInbox(stream)
        self.armTimer(for: stream)
    }

    func shutDown() {
        self.failAll { .shutDown(in: $0.stage.phase, isRequestSent: true) }
        self.sendGoAway(.noError)
        self.close()
    }

    // MARK: State of the connection

    var capacity: Int { self.state.peer.maximumConcurrentStreams }

    /// Whether an exchange can be started.
    var isUsable: Bool { !self.state.isClosed && !self.state.isRetiring && self.context?.channel.isActive ?? false }

    func close() {
        guard self.state.close() else { return }
        self.timer.cancel()
        if let connection { self.pool.remove(connection) }
        self.context?.close(promise: nil)
    }

    /// Adds to the error of a lost connection why the peer ended it, if it said so.
    private func explained(_ error: TransportError) -> TransportError {
        guard let code = self.state.goAwayCode, code != .noError else { return error }
        var error = error
        error.reason += " (GOAWAY: \(code))"
        return error
    }

    /// The peer broke the protocol: it is told, and everything ends.
    private func failConnection(_ fault: HTTP2Error) {
        self.failure = fault.error
        self.failAll(fault.error)
        self.sendGoAway(fault.code)
        self.close()
    }

    /// Tells the peer that the connection ends, and nothing else: what was gathered and not written stays here, and its exchanges, which have
    /// failed by now, say so.
    private func sendGoAway(_ code: HTTP2ErrorCode) {
        self.outbound.clear()
        guard !self.state.isClosed, self.state.hasWritten else { return }
        HTTP2FrameWriter.goAway(code: code, into: &self.outbound)
        self.flush()
    }

    func failAll(_ error: TransportError) { self.failAll { _ in error } }

    private func failAll(_ error: (Stream) -> TransportError) {
        self.state.retire()
        // An exchange that is tried once more must not be given this connection again.
        if let connection { self.pool.remove(connection) }
        for stream in self.state.all { self.breakOff(stream, error(stream), releases: false) }
    }

    // MARK: Writing

    /// Writes what has been gathered, once this turn of the loop is over.
    func scheduleFlush() {
        guard !self.isReading, !self.isFlushScheduled, let context else { return }
        self.isFlushScheduled = true
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute {
            bound.value.isFlushScheduled = false
            bound.value.handOver()
            bound.value.sendData()
            bound.value.flush()
        }
    }

    func flush() {
        guard self.outbound.readableBytes > 0, let context else { return }
        let bytes = self.outbound
        // What the channel holds on to cannot be written over; a small buffer is sent at once and used again.
        self.outbound = ByteBuffer()
        let hasRequest = self.state.wrote(bytes.readableBytes)
        context.writeAndFlush(self.wrapOutboundOut(bytes), promise: nil)
        if hasRequest { self.arm(self.state.noteUnsent(self.unsentByteCount, now: self.pool.clock.now())) }
    }

    /// The bytes that wait in the channel for the peer to take them.
    var unsentByteCount: Int { (try? self.context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }
}

/// What the handler keeps with a stream.
struct HTTP2IO {
    var response: ResponseAssembly
    var pump: RequestBodyPump?
    /// Set while the body is held back until the peer asks for it; sends it when the wait is over.
    var continuation: EngineTimer?
    /// The part of the body that waits for the window.
    var pending = CircularBuffer<ByteBuffer>()
    /// Parts of the response's body that wait until their consumer has caught up.
    ///
    /// The window bounds their bytes and nothing else: next to nothing but those is kept in memory.
    var inbox = BodyBuffers(sliceLimit: 64 * 1024)
    /// The fields behind the body.
    var trailers: HTTPFields?

    var exchange: Exchange { self.response.exchange }

    init(response: ResponseAssembly) { self.response = response }

    /// The next bytes to send.
    mutating func takePending(atMost limit: Int) -> ByteBuffer {
        guard var first = self.pending.popFirst() else { return ByteBuffer() }
        guard let piece = first.readSlice(length: Swift.min(first.readableBytes, limit)) else { return ByteBuffer() }
        if first.readableBytes > 0 { self.pending.prepend(first) }
        return piece
    }

    /// Cancels the timers and the readers.
    mutating func stop() {
        self.continuation?.cancel()
        self.continuation = nil
        self.pump?.stop()
        self.pump = nil
        self.pending = []
    }
}
