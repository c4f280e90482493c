// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Sending: heads at once, bodies as the windows allow, all streams in turn.
extension HTTP2Handler {
    /// The number of gathered bytes that are written before the event loop tick ends.
    private static let writeSize = 256 * 1024

    func start(_ exchange: Exchange) {
        guard let connection, let context, self.isUsable else { return self.restart(exchange) }
        guard self.state.hasRoom else { return self.pool.postpone(exchange, on: connection) }
        guard exchange.onCancel({ connection.cancel(exchange) }) else { return self.release() }
        let isReused = self.state.isUsed
        exchange.observation?.didAcquire(self.stamps.connectionID, isReused: isReused, at: self.pool.clock.instant())
        exchange.tell(.requestHeadStarted)
        let request = exchange.request
        let framing = request.framing
        let hasBody = framing.hasBody
        let expects = hasBody && exchange.continuePatience != nil
        let block = HTTP2RequestHead.encode(request, framing: framing, expectsContinue: expects, with: &self.encoder)
        var metrics = self.stamps.metrics(of: exchange, isReused: isReused)
        metrics.httpVersion = .http2
        metrics.requestHeadByteCount = Int64(block.readableBytes)
        let now = self.pool.clock.now()
        let stream = self.state.open(
            HTTP2IO(response: ResponseAssembly(exchange: exchange, metrics: metrics)),
            key: ObjectIdentifier(exchange),
            hasBody: hasBody,
            awaitsContinue: expects,
            clock: StageClock(request.timeouts, total: exchange.totalDeadline, now: now),
            gathered: self.outbound.readableBytes
        )
        // The stream identifiers are used up: open streams are finished, other requests need another connection.
        if self.state.isRetiring { self.pool.retire(connection) }
        self.write(block, of: stream, isEnd: !hasBody)
        exchange.tell(.requestHeadEnded(HTTP2RequestHead.sent(request, framing: framing, expectsContinue: expects)))
        self.state.sent(0, of: stream, isLast: !hasBody, gathered: self.outbound.readableBytes, now: now)
        if !hasBody {
            if case .file(let file) = request.body { file.onBytes?(0) }
            stream.io.response.noteRequestEnd()
        } else if stream.awaitsContinue {
            let bound = NIOLoopBound((self, stream), eventLoop: context.eventLoop)
            let deadline = self.pool.clock.now() + TimeAmount(exchange.continuePatience ?? .zero)
            stream.io.continuation = self.pool.clock.schedule(at: deadline, on: context.eventLoop) {
                bound.value.0.sendHeldBody(bound.value.1)
            }
        } else {
            self.sendBody(of: stream)
        }
        self.scheduleFlush()
        self.armTimer(for: stream)
    }

    private func write(_ block: ByteBuffer, of stream: Stream, isEnd: Bool) {
        let before = self.outbound.readableBytes
        HTTP2FrameWriter.headers(
            block,
            stream: stream.id,
            isEnd: isEnd,
            maximumFrameSize: self.state.settings.maximumFrameSize,
            into: &self.outbound
        )
        stream.io.response.metrics.requestByteCount += Int64(self.outbound.readableBytes - before)
    }

    /// Resends an exchange that cannot be started on this connection; nothing was sent.
    func restart(_ exchange: Exchange) {
        if let connection {
            self.pool.retire(connection)
            // The lease of this exchange ends; a retired connection is leased to no other.
            _ = self.pool.release(connection)
            if self.state.isClosed { self.pool.remove(connection) }
        }
        var error = self.failure ?? .closedEarly(isRequestSent: false)
        error.isRequestSent = false
        guard !self.pool.resend(exchange, after: error, .notStarted(hadProgress: self.state.isUsed)) else { return }
        exchange.answer(.failure(error))
    }

    /// Sends the body that is held back.
    func sendHeldBody(_ stream: Stream) {
        guard self.state.endHolding(stream, now: self.pool.clock.now()) else { return }
        stream.io.continuation?.cancel()
        stream.io.continuation = nil
        self.sendBody(of: stream)
        self.scheduleFlush()
    }

    private func sendBody(of stream: Stream) {
        guard let context else { return }
        stream.io.response.noteRequestBody()
        let exchange = stream.io.exchange
        switch exchange.request.body {
        case .none: self.state.completeBody(of: stream, now: self.pool.clock.now())
        case .bytes(let bytes):
            self.enqueue(bytes, of: stream)
            self.state.completeBody(of: stream, now: self.pool.clock.now())
        case .reader, .file:
            exchange.noteBodyBegun()
            let pump = RequestBodyPump(
                exchange.request.body,
                framesChunks: false,
                eventLoop: context.eventLoop,
                clock: self.pool.clock
            ) { [weak self, weak stream] outcome in if let self, let stream { self.pumped(outcome, stream) } }
            stream.io.pump = pump
            pump.pull(room: stream.room)
        }
    }

    private func pumped(_ outcome: RequestBodyPump.Outcome, _ stream: Stream) {
        guard let pump = stream.io.pump, self.state.isOpen(stream) else { return }
        switch outcome {
        case .failed(let error): return self.reject(stream, error, code: .cancel)
        case .bytes(let bytes, _):
            self.enqueue(bytes, of: stream)
            if stream.room > 0 { pump.pull(room: stream.room) }
        case .ready:
            if stream.room > 0 { pump.pull(room: stream.room) }
            return
        case .end:
            stream.io.pump = nil
            self.state.completeBody(of: stream, now: self.pool.clock.now())
        }
        self.scheduleFlush()
    }

    // MARK: Data

    private func enqueue(_ bytes: ByteBuffer, of stream: Stream) {
        guard bytes.readableBytes > 0 else { return }
        stream.io.pending.append(bytes)
        self.state.add(bytes.readableBytes, to: stream)
    }

    /// Sends one frame of each stream in turn, while the windows and the socket have room.
    func sendData() {
        guard let context else { return }
        while context.channel.isWritable, let (stream, limit) = self.state.nextToSend() {
            self.sendFrame(of: stream, limit: limit)
            if self.outbound.readableBytes >= Self.writeSize { self.flush() }
        }
    }

    private func sendFrame(of stream: Stream, limit: Int) {
        let bytes = stream.io.takePending(atMost: limit)
        let isLast = stream.isLast(bytes.readableBytes)
        // Before the frame is counted: a frame that is not sent uses no window.
        let trailers: HTTPFields
        do {
            trailers = isLast ? try RequestTrailers.fields(of: stream.io.exchange.request) : HTTPFields()
        } catch {
            return self.reject(stream, error, code: .cancel)
        }
        stream.io.response.metrics.requestBodyByteCount += Int64(bytes.readableBytes)
        if bytes.readableBytes > 0 || trailers.isEmpty {
            let byteCount = HTTP2Frame.headerSize + bytes.readableBytes
            stream.io.response.metrics.requestByteCount += Int64(byteCount)
            HTTP2FrameWriter.data(bytes, stream: stream.id, isEnd: isLast && trailers.isEmpty, into: &self.outbound)
        }
        if !trailers.isEmpty {
            self.write(HTTP2RequestHead.encode(trailers: trailers, with: &self.encoder), of: stream, isEnd: true)
        }
        let now = self.pool.clock.now()
        self.state.sent(
            bytes.readableBytes,
            of: stream,
            isLast: isLast,
            gathered: self.outbound.readableBytes,
            now: now
        )
        if isLast {
            stream.io.response.noteRequestEnd()
            // Re-arms the timer for the limit on the response's head.
            self.armTimer(for: stream)
        }
        if stream.room > 0 { stream.io.pump?.pull(room: stream.room) }
    }
}
