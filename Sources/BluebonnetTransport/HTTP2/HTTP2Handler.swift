// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOPosix

/// Runs the exchanges of one HTTP/2 connection concurrently on its event loop (RFC 9113).
///
/// The last handler of the channel: the reader turns received bytes into frames, ``HTTP2ConnectionState`` decides what
/// they mean for which stream, and the handler carries that out. Outgoing frames are gathered in one buffer, which is
/// written once per event loop tick, so that many small requests cost one system call.
final class HTTP2Handler: ChannelDuplexHandler, ConnectionDriver {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    typealias State = HTTP2ConnectionState<HTTP2IO>
    typealias Stream = State.Stream

    let pool: ConnectionPool
    let limits: TransportLimits
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
    /// When requests that wait for the server's SETTINGS are sent without them; nil once that is decided.
    var settingsDeadline: NIODeadline?
    /// The error of the whole connection, if it is known.
    var failure: TransportError?
    private var isFlushScheduled = false
    private var isReading = false

    init(
        pool: ConnectionPool,
        limits: TransportLimits,
        options: NIOTransport.HTTP2Options,
        streamLimit: Int? = nil,
        stamps: ConnectionStamps
    ) {
        self.pool = pool
        self.limits = limits
        self.stamps = stamps
        let pulse = HTTP2Pulse(interval: options.pingInterval, timeout: options.pingTimeout, now: pool.clock.now())
        var settings = HTTP2Settings()
        if let streamLimit { settings.maximumConcurrentStreams = streamLimit }
        self.state = State(
            windowSize: options.windowSize,
            firstID: options.firstStreamID,
            settings: settings,
            pulse: pulse
        )
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
        // The first request is sent in the same write.
        self.scheduleFlush()
        self.awaitSettings()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.timer.cancel()
        self.context = nil
        // The connection holds this handler, and so does the body of each marked stream. The cycles end with the channel,
        // which tells of no end of a read in which it was closed.
        self.connection = nil
        _ = self.state.takeTouched()
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
        self.endTick()
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
        self.failAll(self.explained(TransportError(mapping: error, phase: .responseHead, isRequestSent: true)))
        self.close()
    }

    func channelInactive(context: ChannelHandlerContext) {
        let reason = "the server closed the connection before the response was complete"
        self.failAll(self.explained(.closed(reason, isRequestSent: true)))
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

    var capacity: Int { self.state.settings.maximumConcurrentStreams }

    var isCapacityKnown: Bool { self.state.settings.hasArrived }

    var isUsable: Bool { !self.state.isClosed && !self.state.isRetiring && self.context?.channel.isActive ?? false }

    func close() {
        guard self.state.close() else { return }
        self.timer.cancel()
        if let connection { self.pool.remove(connection) }
        self.context?.close(promise: nil)
    }

    /// The error of a lost connection, with the reason of the server's GOAWAY if it sent one.
    private func explained(_ error: TransportError) -> TransportError {
        if let failure { return failure }
        guard let code = self.state.goAwayCode, code != .noError else { return error }
        var error = error
        error.reason += " (GOAWAY: \(code))"
        return error
    }

    /// Handles a connection error (RFC 9113 section 5.4.1): fails all streams, sends GOAWAY and closes.
    private func failConnection(_ fault: HTTP2Error) {
        self.failure = fault.error
        self.failAll(fault.error)
        self.sendGoAway(fault.code)
        self.close()
    }

    /// Sends GOAWAY; bytes that were gathered and not written are dropped, and their exchanges have failed accordingly.
    private func sendGoAway(_ code: HTTP2ErrorCode) {
        self.outbound.clear()
        guard !self.state.isClosed, self.state.hasWritten else { return }
        HTTP2FrameWriter.goAway(code: code, into: &self.outbound)
        self.flush()
    }

    func failAll(_ error: TransportError) { self.failAll { _ in error } }

    private func failAll(_ error: (Stream) -> TransportError) {
        self.state.fail()
        // An exchange that is resent must not be assigned to this connection.
        if let connection { self.pool.remove(connection) }
        for stream in self.state.all { self.breakOff(stream, error(stream)) }
    }

    // MARK: Writing

    /// Writes the gathered bytes at the end of this event loop tick.
    func scheduleFlush() {
        guard !self.isReading, !self.isFlushScheduled, let context else { return }
        self.isFlushScheduled = true
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute {
            bound.value.isFlushScheduled = false
            bound.value.endTick()
        }
    }

    private func endTick() {
        self.handOver()
        self.sendData()
        self.flush()
    }

    func flush() {
        guard self.outbound.readableBytes > 0, let context else { return }
        let bytes = self.outbound
        // The channel may hold the bytes, so the buffer is not reused.
        self.outbound = ByteBuffer()
        let hasRequest = self.state.wrote(bytes.readableBytes)
        context.writeAndFlush(self.wrapOutboundOut(bytes), promise: nil)
        if hasRequest { self.arm(self.state.noteUnsent(context.unsentByteCount, now: self.pool.clock.now())) }
    }
}

/// What the handler keeps with a stream.
struct HTTP2IO {
    var response: ResponseAssembly
    var pump: RequestBodyPump?
    /// The timer that sends a body which is held back.
    var continuation: EngineTimer?
    /// The part of the request body that waits for the window.
    var pending = CircularBuffer<ByteBuffer>()
    /// The part of the response body that waits until the consumer has room.
    ///
    /// The window limits its bytes, and little other memory is kept alive by them.
    var inbox = BodyBuffers(sliceLimit: 64 * 1024)
    /// The trailer fields of the response.
    var trailers: HTTPFields?

    var exchange: Exchange { self.response.exchange }

    /// Removes the next bytes to send.
    mutating func takePending(atMost limit: Int) -> ByteBuffer {
        guard var first = self.pending.popFirst() else { return ByteBuffer() }
        guard let piece = first.readSlice(length: Swift.min(first.readableBytes, limit)) else { return ByteBuffer() }
        if first.readableBytes > 0 { self.pending.prepend(first) }
        return piece
    }

    /// Sends no more of the body.
    mutating func stop() {
        self.continuation?.cancel()
        self.continuation = nil
        self.pump?.stop()
        self.pump = nil
        self.pending = []
    }
}
