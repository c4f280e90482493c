// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// Sending: the head and a small body in one write, a large one as the connection takes it.
extension HTTP1Handler {
    /// A body in memory up to this size is copied behind the head, which costs less than a second write.
    private static let inlineBodySize = 16 * 1024
    /// A larger body in memory is handed over in pieces of this size, so that progress shows.
    private static let pieceSize = 256 * 1024

    func start(_ exchange: Exchange) {
        guard let connection, let context, self.isUsable else {
            // It was closed between being lent and getting here; nothing has been sent.
            return self.restart(exchange)
        }
        guard exchange.onCancel({ connection.cancel(exchange) }) else {
            return self.start(self.pool.release(connection, mayPipeline: self.mayPipeline))
        }
        let isReused = self.servedCount > 0
        exchange.observation?.didAcquire(self.stamps.connectionID, isReused: isReused, at: self.pool.clock.instant())
        exchange.tell(.requestHeadStarted)
        let metrics = self.stamps.metrics(of: exchange, isReused: isReused)
        let active = Active(response: ResponseAssembly(exchange: exchange, metrics: metrics))
        let framing = exchange.request.framing
        self.outbound.clear(minimumCapacity: 1024)
        active.asksForClose = HTTP1RequestEncoder.write(
            exchange.request,
            framing: framing,
            forwarder: connection.key.route.forwarder,
            authorization: exchange.proxyAuthorization,
            into: &self.outbound
        )
        active.response.metrics.requestHeadStarted = self.pool.clock.instant()
        active.response.metrics.noteRequestHead(self.outbound.readableBytes)
        // The pool lends a connection that is in use only where that may be.
        guard self.active == nil else { return self.sendBehind(active, context: context) }
        self.parser.begin(method: exchange.request.method, limits: exchange.request.limits)
        self.lastActivity = self.pool.clock.now()
        active.hasBody = framing != .none && framing != .fixed(0)
        self.active = active
        exchange.tell(.requestHeadEnded(SentRequestHead(self.outbound, httpVersion: .http11)))
        if let patience = exchange.request.expectsContinue, active.hasBody {
            self.awaitContinue(patience, context: context)
        } else {
            self.send(exchange.request.body, context: context)
        }
        self.armTimer()
    }

    private func restart(_ exchange: Exchange) {
        if let connection { self.pool.remove(connection) }
        let error = TransportError.closedEarly(isRequestSent: false)
        if exchange.wasRetried.exchange(true, ordering: .relaxed) {
            exchange.answer(.failure(error))
        } else {
            exchange.tell(.retried(after: error))
            self.pool.submit(exchange, fresh: true)
        }
    }

    /// Sends the head alone, and the body when the peer says so or has been silent for long enough (RFC 9110 section 10.1.1).
    private func awaitContinue(_ patience: Duration, context: ChannelHandlerContext) {
        context.writeAndFlush(self.wrapOutboundOut(self.outbound), promise: nil)
        self.outbound.clear()
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let deadline = self.pool.clock.now() + TimeAmount(patience)
        self.active?.continuation = self.pool.clock.schedule(at: deadline, on: context.eventLoop) {
            bound.value.sendAwaitedBody()
        }
    }

    /// Sends the body that was held back until the peer asked for it.
    func sendAwaitedBody() {
        guard let context, let active, let continuation = active.continuation else { return }
        continuation.cancel()
        self.active?.continuation = nil
        self.lastActivity = self.pool.clock.now()
        self.send(active.exchange.request.body, context: context)
    }

    private func send(_ body: TransportBody, context: ChannelHandlerContext) {
        if let active, active.hasBody { active.exchange.tell(.requestBodyStarted) }
        switch body {
        case .none where self.active?.exchange.request.trailers != nil:
            self.sendEnd(context: context)
        case .bytes(let bytes) where self.active?.exchange.request.trailers != nil:
            // One chunk.
            self.active?.response.metrics.requestBodyByteCount = Int64(bytes.readableBytes)
            if bytes.readableBytes > 0 {
                self.outbound.writeString(String(bytes.readableBytes, radix: 16) + "\r\n")
                context.write(self.wrapOutboundOut(self.outbound), promise: nil)
                self.write(bytes, recycles: false, context: context)
                self.outbound.clear()
                self.outbound.writeStaticString("\r\n")
            }
            self.sendEnd(context: context)
        case .none:
            context.writeAndFlush(self.wrapOutboundOut(self.outbound), promise: nil)
            self.didSendRequest()
        case .bytes(let bytes) where bytes.readableBytes <= Self.inlineBodySize:
            self.outbound.writeImmutableBuffer(bytes)
            self.active?.response.metrics.requestByteCount += Int64(bytes.readableBytes)
            self.active?.response.metrics.requestBodyByteCount = Int64(bytes.readableBytes)
            context.writeAndFlush(self.wrapOutboundOut(self.outbound), promise: nil)
            self.didSendRequest()
        case .bytes(var bytes):
            self.active?.response.metrics.requestBodyByteCount = Int64(bytes.readableBytes)
            context.write(self.wrapOutboundOut(self.outbound), promise: nil)
            while let piece = bytes.readSlice(length: Swift.min(bytes.readableBytes, Self.pieceSize)) {
                guard bytes.readableBytes > 0 else {
                    self.writeEnd(piece, context: context)
                    break
                }
                self.write(piece, recycles: false, context: context)
            }
            context.flush()
            self.noteUnsent()
        case .reader(let length, _, let makeReader):
            context.writeAndFlush(self.wrapOutboundOut(self.outbound), promise: nil)
            let framesChunks = length == nil || self.active?.exchange.request.trailers != nil
            self.startPump(length: length, framesChunks: framesChunks, makeReader: makeReader, context: context)
        case .file(let file) where file.byteCount == 0 && self.active?.exchange.request.trailers == nil:
            file.onBytes?(0)
            context.writeAndFlush(self.wrapOutboundOut(self.outbound), promise: nil)
            self.didSendRequest()
        case .file(let file):
            context.writeAndFlush(self.wrapOutboundOut(self.outbound), promise: nil)
            let framesChunks = self.active?.exchange.request.trailers != nil
            if !framesChunks, self.sendsFiles(context) { return self.startPump(file, context: context) }
            let makeReader = { @Sendable in try file.makeReader() }
            self.startPump(length: file.byteCount, framesChunks: framesChunks, makeReader: makeReader, context: context)
        }
    }

    private func startPump(
        length: Int64?,
        framesChunks: Bool,
        makeReader: @escaping @Sendable () throws -> any TransportBodyReader,
        context: ChannelHandlerContext
    ) {
        let pump = RequestBodyPump(
            length: length,
            framesChunks: framesChunks,
            makeReader: makeReader,
            threadPool: self.threadPool,
            eventLoop: context.eventLoop,
            clock: self.pool.clock
        ) { [weak self] outcome in self?.pumped(outcome, chunked: framesChunks) }
        self.active?.pump = pump
        pump.pull(room: self.room)
    }

    private func pumped(_ outcome: RequestBodyPump.Outcome, chunked: Bool) {
        guard let context, self.active?.pump != nil else { return }
        switch outcome {
        case .failed(let error):
            self.fail(error)
        case .bytes(let bytes, let contentByteCount):
            self.active?.response.metrics.requestBodyByteCount += Int64(contentByteCount)
            self.write(bytes, recycles: true, context: context)
            // The reader goes on while the system takes these.
            if context.channel.isWritable { self.active?.pump?.pull(room: self.room) }
            context.flush()
            self.noteUnsent()
        case .ready:
            if context.channel.isWritable { self.active?.pump?.pull(room: self.room) }
        case .end:
            self.active?.pump = nil
            self.outbound.clear()
            guard chunked else { return self.writeEnd(self.outbound, context: context) }
            self.sendEnd(context: context)
        }
    }

    /// For how many more bytes the connection has room.
    var room: Int { Dialer.waterMark.high - self.bufferedByteCount }

    /// Writes a piece of the body; when the system has taken it, that counts as activity.
    private func write(_ bytes: ByteBuffer, recycles: Bool, context: ChannelHandlerContext) {
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess {
            [weak self, weak pump = recycles ? self.active?.pump as? RequestBodyPump : nil] in
            if let self { self.lastActivity = self.pool.clock.now() }
            pump?.recycle(bytes)
        }
        self.active?.response.metrics.requestByteCount += Int64(bytes.readableBytes)
        context.write(self.wrapOutboundOut(bytes), promise: promise)
    }

    /// Writes the last bytes of a request, of which there may be none; it is sent when the system has taken everything.
    private func writeEnd(_ bytes: ByteBuffer, context: ChannelHandlerContext) {
        let exchange = self.active?.exchange
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { [weak self] in
            guard let self, self.active?.exchange === exchange else { return }
            self.lastActivity = self.pool.clock.now()
            self.didSendRequest()
        }
        self.active?.response.metrics.requestByteCount += Int64(bytes.readableBytes)
        context.writeAndFlush(self.wrapOutboundOut(bytes), promise: promise)
    }

    /// Sends the last chunk, and the trailer fields if there are any.
    private func sendEnd(context: ChannelHandlerContext) {
        guard let request = self.active?.exchange.request else { return }
        do {
            try RequestTrailers.writeEnd(of: request, into: &self.outbound)
        } catch {
            return self.fail(error)
        }
        self.writeEnd(self.outbound, context: context)
    }

    func didSendRequest() {
        self.active?.isRequestSent = true
        self.active?.response.metrics.requestBodyEnded = self.pool.clock.instant()
        self.responseAwaited = self.lastActivity
        if let active, active.hasBody {
            active.exchange.tell(.requestBodyEnded(byteCount: active.response.metrics.requestBodyByteCount))
        }
        self.armTimer()
    }
}
