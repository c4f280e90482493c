// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Sending: the head and a small body in one write, a large body as the connection accepts it.
extension HTTP1Handler {
    /// A body in memory up to this size is copied behind the head, which costs less than a second write.
    private static let inlineBodySize = 16 * 1024
    /// A larger body in memory is written in pieces of this size, so that progress is visible.
    private static let pieceSize = 256 * 1024

    func start(_ exchange: Exchange) {
        guard let connection, let context, self.isUsable else { return self.restart(exchange) }
        guard exchange.onCancel({ connection.cancel(exchange) }) else {
            return self.start(self.release(connection))
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
        var metrics = self.stamps.metrics(of: exchange, isReused: isReused)
        metrics.noteRequestHead(self.outbound.readableBytes)
        let now = self.pool.clock.now()
        let entry = Active(
            HTTP1IO(response: ResponseAssembly(exchange: exchange, metrics: metrics)),
            hasBody: hasBody,
            awaitsContinue: expectsContinue,
            asksForClose: asksForClose,
            clock: StageClock(exchange.request.timeouts, total: exchange.totalDeadline, now: now)
        )
        let start = self.state.begin(entry, now: now)
        // The request is sent on another connection; no event is reported for this one.
        guard start != .hold else { return self.armTimer() }
        if exchange.request.allowsUpgrade { self.allowUpgrade() }
        exchange.tell(.requestHeadStarted)
        if start == .send { self.parser.begin(method: exchange.request.method, limits: exchange.request.limits) }
        exchange.tell(.requestHeadEnded(SentRequestHead(self.outbound, httpVersion: .http11)))
        if start == .sendBehind {
            if self.flush(for: entry, context: context) { entry.io.response.noteRequestEnd() }
        } else if expectsContinue {
            self.awaitContinue(entry, context: context)
        } else {
            self.send(entry, context: context)
        }
        self.armTimer()
    }

    /// Writes the gathered bytes of an exchange.
    ///
    /// A write error ends the connection within this call. The exchange may then be active on another connection when
    /// the call returns, so nothing may be done for it here.
    ///
    /// - Returns: Whether the exchange is still on the connection.
    private func flush(for entry: Active, context: ChannelHandlerContext) -> Bool {
        // A response that ends within the call starts the next request in it.
        let isNested = self.isFlushing
        self.isFlushing = true
        context.writeAndFlush(self.wrapOutboundOut(self.outbound), promise: nil)
        self.isFlushing = isNested
        return self.state.holds(entry)
    }

    /// Resends an exchange that was leased the connection just before it closed; nothing was sent.
    private func restart(_ exchange: Exchange) {
        if let connection { self.pool.remove(connection) }
        let error = TransportError.closedEarly(isRequestSent: false)
        guard !self.pool.resend(exchange, after: error, .notStarted(hadProgress: false)) else { return }
        exchange.answer(.failure(error))
    }

    /// Sends the head alone; the body follows 100 (Continue), or a time of silence (RFC 9110 section 10.1.1).
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
        self.send(entry, context: context)
    }

    /// Sends a request, or the body behind a head that was sent alone.
    private func send(_ entry: Active, context: ChannelHandlerContext) {
        // The request itself would be a large copy.
        let exchange = entry.io.exchange
        guard entry.hasBody else {
            if case .file(let file) = exchange.request.body { file.onBytes?(0) }
            return self.writeComplete(entry, context: context)
        }
        entry.io.response.noteRequestBody()
        switch exchange.request.body {
        case .bytes(var bytes) where exchange.request.trailers == nil:
            entry.io.response.metrics.requestBodyByteCount = Int64(bytes.readableBytes)
            if bytes.readableBytes <= Self.inlineBodySize {
                self.outbound.writeImmutableBuffer(bytes)
                entry.io.response.metrics.requestByteCount += Int64(bytes.readableBytes)
                return self.writeComplete(entry, context: context)
            }
            context.write(self.wrapOutboundOut(self.outbound), promise: nil)
            while bytes.readableBytes > Self.pieceSize, let piece = bytes.readSlice(length: Self.pieceSize) {
                self.write(NIOAny(piece), piece.readableBytes, of: entry, context: context)
            }
            self.writeEnd(bytes, of: entry, context: context)
            self.state.noteUnsent(context.unsentByteCount)
        default:
            if self.flush(for: entry, context: context) { self.startPump(of: entry, context: context) }
        }
    }

    /// Writes a request that fits in one write.
    private func writeComplete(_ entry: Active, context: ChannelHandlerContext) {
        if self.flush(for: entry, context: context) { self.didSend(entry) }
    }

    private func startPump(of entry: Active, context: ChannelHandlerContext) {
        let exchange = entry.io.exchange
        let framesChunks = exchange.request.framing == .chunked
        if case .file(let file) = exchange.request.body, !framesChunks, self.sendsFiles(context) {
            return self.startPump(file, of: entry, context: context)
        }
        exchange.noteBodyBegun()
        let pump = RequestBodyPump(
            exchange.request.body,
            framesChunks: framesChunks,
            eventLoop: context.eventLoop,
            clock: self.pool.clock
        ) { [weak self] outcome in self?.pumped(outcome) }
        entry.io.pump = pump
        pump.pull(room: self.room)
    }

    private func pumped(_ outcome: RequestBodyPump.Outcome) {
        guard let context, let active, let pump = active.io.pump else { return }
        switch outcome {
        case .failed(let error):
            self.fail(error)
        case .bytes(let bytes, let contentByteCount):
            active.io.response.metrics.requestBodyByteCount += Int64(contentByteCount)
            self.write(NIOAny(bytes), bytes.readableBytes, of: active, context: context) {
                [weak pump = pump as? RequestBodyPump] in pump?.recycle(bytes)
            }
            // The reader continues while the system takes these bytes.
            if context.channel.isWritable { pump.pull(room: self.room) }
            context.flush()
            self.state.noteUnsent(context.unsentByteCount)
        case .ready:
            if context.channel.isWritable { pump.pull(room: self.room) }
        case .end:
            active.io.pump = nil
            self.sendEnd(of: active, context: context)
        }
    }

    /// The number of bytes for which the connection has room.
    var room: Int { Dialer.waterMark.high - (self.context?.unsentByteCount ?? 0) }

    /// Writes a piece of the body; when the system has taken it, that counts as activity.
    func write(
        _ piece: NIOAny,
        _ byteCount: Int,
        of entry: Active,
        context: ChannelHandlerContext,
        isFile: Bool = false,
        whenTaken: @escaping () -> Void = {}
    ) {
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { [weak self] result in
            guard let self else { return }
            if case .failure(let error) = result { return self.noteWriteFault(error, ofFile: isFile) }
            guard self.active === entry else { return }
            self.state.noteActivity(self.pool.clock.now())
            whenTaken()
        }
        entry.io.response.metrics.requestByteCount += Int64(byteCount)
        context.write(piece, promise: promise)
    }

    /// Writes the last bytes of a request, if any; the request is sent when the system has taken everything.
    private func writeEnd(_ bytes: ByteBuffer, of entry: Active, context: ChannelHandlerContext) {
        self.write(NIOAny(bytes), bytes.readableBytes, of: entry, context: context) { [weak self] in
            self?.didSend(entry)
        }
        context.flush()
    }

    /// Ends a body that was read: with the last chunk and the trailer fields, if it is chunked.
    private func sendEnd(of entry: Active, context: ChannelHandlerContext) {
        self.outbound.clear()
        do {
            let exchange = entry.io.exchange
            if exchange.request.framing == .chunked {
                try RequestTrailers.writeEnd(of: exchange.request, into: &self.outbound)
            }
            self.writeEnd(self.outbound, of: entry, context: context)
        } catch {
            self.fail(error)
        }
    }

    /// The request of the active exchange is sent.
    func didSend(_ entry: Active) {
        self.state.noteRequestSent()
        entry.io.response.noteRequestEnd()
        self.armTimer()
    }
}
