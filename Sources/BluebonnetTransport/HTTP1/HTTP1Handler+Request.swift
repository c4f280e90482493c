// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Sending: the head and a small body in one write, a large one as the connection takes it.
extension HTTP1Handler {
    /// A body in memory up to this size is copied behind the head, which costs less than a second write.
    private static let inlineBodySize = 16 * 1024
    /// A larger body in memory is handed over in pieces of this size, so that progress shows.
    private static let pieceSize = 256 * 1024

    func start(_ exchange: Exchange) {
        guard let connection, let context, self.isUsable else { return self.restart(exchange) }
        guard exchange.onCancel({ connection.cancel(exchange) }) else {
            return self.start(self.pool.release(connection, mayPipeline: self.state.mayPipeline))
        }
        let isReused = self.state.isReused
        exchange.observation?.didAcquire(self.stamps.connectionID, isReused: isReused, at: self.pool.clock.instant())
        let framing = exchange.request.framing
        let hasBody = framing.hasBody
        let expectsContinue = hasBody && exchange.continuePatience != nil
        self.outbound.clear(minimumCapacity: 1024)
        let asksForClose = HTTP1RequestEncoder.write(
            exchange.request,
            framing: framing,
            forwarder: connection.key.route.forwarder,
            authorization: exchange.proxyAuthorization,
            expectsContinue: expectsContinue,
            into: &self.outbound
        )
        let now = self.pool.clock.now()
        let entry = Active(
            HTTP1IO(response: ResponseAssembly(exchange: exchange, metrics: self.metrics(of: exchange))),
            hasBody: hasBody,
            awaitsContinue: expectsContinue,
            asksForClose: asksForClose,
            clock: StageClock(exchange.request.timeouts, total: exchange.totalDeadline, now: now)
        )
        let start = self.state.begin(entry, now: now)
        // What is not sent here has no head here.
        guard start != .hold else { return self.armTimer() }
        if exchange.request.allowsUpgrade { self.allowUpgrade() }
        exchange.tell(.requestHeadStarted)
        if start != .sendBehind {
            self.parser.begin(method: exchange.request.method, limits: exchange.request.limits)
        }
        exchange.tell(.requestHeadEnded(SentRequestHead(self.outbound, httpVersion: .http11)))
        switch start {
        case .send: self.send(entry, context: context)
        case .sendHead: self.awaitContinue(entry, context: context)
        case .sendBehind: if self.flush(for: entry, context: context) { entry.io.response.noteRequestEnd() }
        case .hold: break
        }
        self.armTimer()
    }

    /// Sends the bytes gathered for an exchange.
    ///
    /// A system that does not take them ends the connection within this call, and with it the exchange, which may be in
    /// progress elsewhere when the call returns: nothing may be done for it here any more.
    ///
    /// - Returns: Whether the exchange is still on the connection.
    private func flush(for entry: Active, context: ChannelHandlerContext) -> Bool {
        context.writeAndFlush(self.wrapOutboundOut(self.outbound), promise: nil)
        return self.state.holds(entry)
    }

    /// The measurements of an exchange whose head has just been encoded.
    private func metrics(of exchange: Exchange) -> ExchangeMetrics {
        var metrics = self.stamps.metrics(of: exchange, isReused: self.state.isReused)
        metrics.requestHeadStarted = self.pool.clock.instant()
        metrics.noteRequestHead(self.outbound.readableBytes)
        return metrics
    }

    /// Tries an exchange elsewhere: the connection was closed between being lent and getting here, and nothing was sent.
    private func restart(_ exchange: Exchange) {
        if let connection { self.pool.remove(connection) }
        let error = TransportError.closedEarly(isRequestSent: false)
        guard !self.pool.resend(exchange, after: error, .notStarted(hadProgress: false)) else { return }
        exchange.answer(.failure(error))
    }

    /// Sends the head alone, and the body when the peer says so or has been silent for long enough (RFC 9110 section 10.1.1).
    private func awaitContinue(_ entry: Active, context: ChannelHandlerContext) {
        guard self.flush(for: entry, context: context) else { return }
        self.outbound.clear()
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let deadline = self.pool.clock.now() + TimeAmount(entry.io.exchange.continuePatience ?? .zero)
        entry.io.continuation = self.pool.clock.schedule(at: deadline, on: context.eventLoop) {
            bound.value.sendHeldBody()
        }
    }

    /// Sends the body that is held back.
    func sendHeldBody() {
        guard let context, let entry = self.state.endHolding(now: self.pool.clock.now()) else { return }
        entry.io.continuation?.cancel()
        entry.io.continuation = nil
        self.send(entry, isHeadSent: true, context: context)
    }

    /// Sends a request, or the body behind a head that was sent alone.
    private func send(_ entry: Active, isHeadSent: Bool = false, context: ChannelHandlerContext) {
        // The request itself would be a large copy.
        let exchange = entry.io.exchange
        if entry.hasBody { entry.io.response.noteRequestBody() }
        switch exchange.request.body {
        case .none where exchange.request.trailers != nil:
            context.write(self.wrapOutboundOut(self.outbound), promise: nil)
            self.outbound.clear()
            self.sendEnd(of: entry, isFlushed: isHeadSent, context: context)
        case .bytes(var bytes) where exchange.request.trailers != nil:
            // One chunk.
            entry.io.response.metrics.requestBodyByteCount = Int64(bytes.readableBytes)
            context.write(self.wrapOutboundOut(self.outbound), promise: nil)
            self.outbound.clear()
            if bytes.readableBytes > 0 {
                let size = ByteBuffer(string: String(bytes.readableBytes, radix: 16) + "\r\n")
                self.write(size, of: entry, context: context)
                self.writePieces(of: &bytes, of: entry, context: context)
                self.write(bytes, of: entry, context: context)
                self.outbound.writeStaticString("\r\n")
            }
            self.sendEnd(of: entry, isFlushed: isHeadSent, context: context)
            self.state.noteUnsent(self.bufferedByteCount)
        case .none:
            self.writeComplete(entry, context: context)
        case .bytes(let bytes) where bytes.readableBytes <= Self.inlineBodySize:
            self.outbound.writeImmutableBuffer(bytes)
            entry.io.response.metrics.requestByteCount += Int64(bytes.readableBytes)
            entry.io.response.metrics.requestBodyByteCount = Int64(bytes.readableBytes)
            self.writeComplete(entry, context: context)
        case .bytes(var bytes):
            entry.io.response.metrics.requestBodyByteCount = Int64(bytes.readableBytes)
            context.write(self.wrapOutboundOut(self.outbound), promise: nil)
            self.writePieces(of: &bytes, of: entry, context: context)
            self.writeEnd(bytes, of: entry, context: context)
            self.state.noteUnsent(self.bufferedByteCount)
        case .reader(let length, _, let makeReader):
            guard self.flush(for: entry, context: context) else { return }
            let framesChunks = length == nil || exchange.request.trailers != nil
            self.startPump(entry, length: length, framesChunks: framesChunks, makeReader: makeReader, context: context)
        case .file(let file) where file.byteCount == 0 && exchange.request.trailers == nil:
            file.onBytes?(0)
            self.writeComplete(entry, context: context)
        case .file(let file):
            guard self.flush(for: entry, context: context) else { return }
            let framesChunks = exchange.request.trailers != nil
            if !framesChunks, self.sendsFiles(context) { return self.startPump(file, of: entry, context: context) }
            let makeReader = { @Sendable in try file.makeReader() }
            self.startPump(
                entry,
                length: file.byteCount,
                framesChunks: framesChunks,
                makeReader: makeReader,
                context: context
            )
        }
    }

    /// Writes a request that is small enough to be sent in one write.
    private func writeComplete(_ entry: Active, context: ChannelHandlerContext) {
        if self.flush(for: entry, context: context) { self.didSend(entry) }
    }

    /// Writes a large body in memory in pieces, each of which counts as activity when the system has taken it; the last one is left.
    private func writePieces(of bytes: inout ByteBuffer, of entry: Active, context: ChannelHandlerContext) {
        while bytes.readableBytes > Self.pieceSize, let piece = bytes.readSlice(length: Self.pieceSize) {
            self.write(piece, of: entry, context: context)
        }
    }

    private func startPump(
        _ entry: Active,
        length: Int64?,
        framesChunks: Bool,
        makeReader: @escaping @Sendable () throws -> any TransportBodyReader,
        context: ChannelHandlerContext
    ) {
        let pump = RequestBodyPump(
            length: length,
            framesChunks: framesChunks,
            makeReader: makeReader,
            eventLoop: context.eventLoop,
            clock: self.pool.clock
        ) { [weak self] outcome in self?.pumped(outcome, chunked: framesChunks) }
        entry.io.pump = pump
        pump.pull(room: self.room)
    }

    private func pumped(_ outcome: RequestBodyPump.Outcome, chunked: Bool) {
        guard let context, let active, let pump = active.io.pump else { return }
        switch outcome {
        case .failed(let error):
            self.fail(error)
        case .bytes(let bytes, let contentByteCount):
            active.io.response.metrics.requestBodyByteCount += Int64(contentByteCount)
            self.write(bytes, of: active, context: context) { [weak pump = pump as? RequestBodyPump] in
                pump?.recycle(bytes)
            }
            // The reader goes on while the system takes these.
            if context.channel.isWritable { pump.pull(room: self.room) }
            context.flush()
            self.state.noteUnsent(self.bufferedByteCount)
        case .ready:
            if context.channel.isWritable { pump.pull(room: self.room) }
        case .end:
            active.io.pump = nil
            self.outbound.clear()
            guard chunked else { return self.writeEnd(self.outbound, of: active, context: context) }
            self.sendEnd(of: active, context: context)
        }
    }

    /// For how many more bytes the connection has room.
    var room: Int { Dialer.waterMark.high - self.bufferedByteCount }

    /// Writes a piece of the body; when the system has taken it, that counts as activity.
    private func write(
        _ bytes: ByteBuffer,
        of entry: Active,
        context: ChannelHandlerContext,
        whenTaken: @escaping () -> Void = {}
    ) {
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { [weak self] result in
            guard let self else { return }
            if case .failure(let error) = result { return self.noteWriteFault(error) }
            guard self.active === entry else { return }
            self.state.noteActivity(self.pool.clock.now())
            whenTaken()
        }
        entry.io.response.metrics.requestByteCount += Int64(bytes.readableBytes)
        context.write(self.wrapOutboundOut(bytes), promise: promise)
    }

    /// Writes the last bytes of a request, of which there may be none; it is sent when the system has taken everything.
    private func writeEnd(_ bytes: ByteBuffer, of entry: Active, context: ChannelHandlerContext) {
        self.write(bytes, of: entry, context: context) { [weak self] in self?.didSend(entry) }
        context.flush()
    }

    /// Sends the last chunk, and the trailer fields if there are any.
    ///
    /// - Parameters:
    ///   - entry: The exchange.
    ///   - isFlushed: Whether a part of the request has gone out; what was only written is dropped with the connection.
    ///   - context: The context of the handler.
    private func sendEnd(of entry: Active, isFlushed: Bool = true, context: ChannelHandlerContext) {
        do {
            try RequestTrailers.writeEnd(of: entry.io.exchange.request, into: &self.outbound)
        } catch {
            var error = error
            error.isRequestSent = isFlushed
            return self.fail(error)
        }
        self.writeEnd(self.outbound, of: entry, context: context)
    }

    /// The request in progress is out.
    func didSend(_ entry: Active) {
        self.state.noteRequestSent()
        entry.io.response.noteRequestEnd()
        self.armTimer()
    }
}
