// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOHPACK
import NIOPosix

/// Runs the exchanges of one HTTP/2 connection, side by side, on its event loop (RFC 9113).
///
/// The last handler of the channel, over TLS or over the socket itself: the reader turns received bytes into frames, and each frame goes to
/// its stream. Outgoing frames are gathered in one buffer, which is written once a turn of the event loop, so that many small requests cost
/// one system call. Header compression is NIOHPACK's; frames, streams and windows are ours, so that every limit is.
final class HTTP2Handler: ChannelDuplexHandler, ConnectionDriver {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How many bytes the peer may send on the connection before we give the window back: many responses' worth.
    static let connectionWindow = 16 * 1024 * 1024
    /// The number of consecutive frames without progress for any exchange after which the peer counts as hostile.
    static let maximumIdleFrameCount = 10_000
    /// The time in which they count; a peer that asks now and then whether we are alive does no harm.
    static let idleFrameSpan = TimeAmount.seconds(30)
    /// The bytes of frames that wait to be sent before a peer that makes us answer and does not read counts as hostile.
    static let maximumBacklog = 1024 * 1024
    /// The last number that a stream of ours can have (RFC 9113 section 5.1.1).
    static let maximumStreamID: UInt32 = 0x7FFF_FFFF
    /// The bytes after which what was gathered is written.
    static let writeSize = 256 * 1024

    let pool: ConnectionPool
    let threadPool: NIOThreadPool
    let limits: Limits
    let options: NIOTransport.HTTP2Options
    let windowSize: Int
    var stamps: ConnectionStamps
    /// Set once the connection is ready, before the first exchange.
    var connection: PooledConnection?
    var context: ChannelHandlerContext?

    var reader: HTTP2FrameReader
    var decoder: HPACKDecoder
    var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
    var peer = HTTP2Settings()
    var streams = [UInt32: HTTP2Stream]()
    var streamIDs = [ObjectIdentifier: UInt32]()
    /// The number of the next stream; above ``maximumStreamID`` there is none.
    var nextStreamID: UInt32
    /// The exchanges this connection has finished.
    var servedCount = 0

    var outbound = ByteBuffer()
    var sendQueue = CircularBuffer<UInt32>()
    /// How many bytes the peer takes on the connection.
    var sendWindow = 65_535
    var progress = SendProgress()
    /// Whether there is a part of a body in what has been gathered.
    var hasGatheredBody = false
    /// The bytes that came and were not yet given back to the connection's window.
    var unreturnedByteCount = 0
    var idleFrameCount = 0
    var idleFramesSince = NIODeadline.uptimeNanoseconds(0)
    /// Streams for which something has come in this turn of the loop.
    var touched = [HTTP2Stream]()
    private var isFlushScheduled = false
    private var isReading = false

    var timer = DeadlineTimer()
    var lastHeard: NIODeadline
    /// When the peer was asked whether it is alive, and has not answered yet.
    var pingSent: NIODeadline?
    /// Whether no exchange may be started any more, because the peer said so.
    var isRetiring = false
    /// Whether the peer said that it wants HTTP/1.1 when it said so.
    var isHTTP1Required = false
    /// How the peer broke the protocol, or why it does not want to go on.
    var failure: TransportError?
    private(set) var isClosing = false

    init(
        pool: ConnectionPool,
        threadPool: NIOThreadPool,
        limits: Limits,
        options: NIOTransport.HTTP2Options,
        stamps: ConnectionStamps
    ) {
        self.pool = pool
        self.lastHeard = pool.clock.now()
        self.threadPool = threadPool
        self.limits = limits
        self.options = options
        self.nextStreamID = options.firstStreamID
        self.windowSize = Swift.min(Swift.max(options.windowSize, 64 * 1024), 16 * 1024 * 1024)
        self.stamps = stamps
        self.reader = HTTP2FrameReader(limits: limits)
        self.decoder = HPACKDecoder(
            allocator: ByteBufferAllocator(),
            maxDynamicTableSize: HPACKDecoder.maxDynamicTableSize,
            maxHeaderListSize: Swift.max(1, limits.maximumHeadByteCount)
        )
    }

    // MARK: The pipeline

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.outbound.writeStaticString(HTTP2FrameWriter.preface)
        HTTP2FrameWriter.settings(
            [
                (HTTP2Settings.Identifier.enablePush, 0),
                (HTTP2Settings.Identifier.initialWindowSize, UInt32(self.windowSize)),
                (HTTP2Settings.Identifier.maximumHeaderListSize, UInt32(clamping: self.limits.maximumHeadByteCount)),
            ],
            into: &self.outbound
        )
        HTTP2FrameWriter.windowUpdate(stream: 0, increment: Self.connectionWindow - 65_535, into: &self.outbound)
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
        guard !self.isClosing else { return }
        var bytes = self.unwrapInboundIn(data)
        self.lastHeard = self.pool.clock.now()
        self.isReading = true
        do {
            while !self.isClosing, let frame = try self.reader.next(&bytes) { try self.receive(frame) }
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
        self.failAll(self.failure ?? TransportError(mapping: error, phase: .responseHead, isRequestSent: true))
        self.close()
    }

    func channelInactive(context: ChannelHandlerContext) {
        let closed = TransportError(
            .connectionClosed,
            phase: .responseHead,
            reason: "the peer closed the connection before the response was complete",
            isRequestSent: true
        )
        self.failAll(self.failure ?? closed)
        self.timer.cancel()
        if let connection { self.pool.remove(connection) }
        context.fireChannelInactive()
    }

    // MARK: Called through the connection

    func cancel(_ exchange: Exchange) {
        if let stream = self.stream(of: exchange) { self.drop(stream, code: .cancel) }
        exchange.observation?.tellLast(.cancelled)
    }

    func resumeReading(_ exchange: Exchange) {
        guard let stream = self.stream(of: exchange) else { return }
        stream.lastActivity = self.pool.clock.now()
        stream.response.resume()
        self.emptyInbox(stream)
        self.armTimer(for: stream)
    }

    func shutDown() {
        if !self.isClosing {
            HTTP2FrameWriter.goAway(code: .noError, into: &self.outbound)
            self.flush()
        }
        self.failAll { .shutDown(in: $0.stage.phase, isRequestSent: true) }
        self.close()
    }

    // MARK: State of the connection

    var capacity: Int { self.peer.maximumConcurrentStreams }

    /// Whether an exchange can be started.
    var isUsable: Bool {
        !self.isClosing && !self.isRetiring && self.context?.channel.isActive ?? false
    }

    /// Whether it has carried an exchange, or carries one.
    var isUsed: Bool { self.nextStreamID > self.options.firstStreamID }

    func stream(of exchange: Exchange) -> HTTP2Stream? {
        self.streamIDs[ObjectIdentifier(exchange)].flatMap { self.streams[$0] }
    }

    func close() {
        guard !self.isClosing else { return }
        self.isClosing = true
        self.timer.cancel()
        if let connection { self.pool.remove(connection) }
        self.context?.close(promise: nil)
    }

    /// The peer broke the protocol: it is told, and everything ends.
    func failConnection(_ fault: HTTP2Fault) {
        HTTP2FrameWriter.goAway(code: fault.code, into: &self.outbound)
        self.flush()
        self.failure = fault.error
        self.failAll(fault.error)
        self.close()
    }

    func failAll(_ error: TransportError) {
        self.failAll { _ in error }
    }

    private func failAll(_ error: (HTTP2Stream) -> TransportError) {
        self.isRetiring = true
        // An exchange that is tried once more must not be given this connection again.
        if let connection { self.pool.remove(connection) }
        for stream in self.streams.values.sorted(by: { $0.id < $1.id }) {
            self.finish(stream, .failure(error(stream)), releases: false)
        }
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
        self.progress.wrote(bytes.readableBytes)
        context.writeAndFlush(self.wrapOutboundOut(bytes), promise: nil)
        guard self.hasGatheredBody else { return }
        self.hasGatheredBody = false
        self.progress.note(waiting: self.unsentByteCount)
    }

    /// The bytes that wait in the channel for the peer to take them.
    var unsentByteCount: Int {
        (try? self.context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
