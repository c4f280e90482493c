// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Sending: heads at once, bodies as the windows allow, all streams in turn.
extension HTTP2Handler {
    /// The bytes after which what was gathered is written.
    private static let writeSize = 256 * 1024

    func start(_ exchange: Exchange) {
        guard let connection, let context, self.isUsable else { return self.restart(exchange) }
        guard self.state.hasRoom else { return self.pool.postpone(exchange, on: connection) }
        guard exchange.onCancel({ connection.cancel(exchange) }) else {
            if let next = self.pool.release(connection).next { self.start(next) }
            return
        }
        let isReused = self.state.isUsed
        exchange.observation?.didAcquire(self.stamps.connectionID, isReused: isReused, at: self.pool.clock.instant())
        exchange.tell(.requestHeadStarted)
        let request = exchange.request
        let framing = request.framing
        let hasBody = framing.hasBody
        let expects = hasBody && exchange.continuePatience != nil
        let block = HTTP2RequestHead.encode(request, framing: framing, expectsContinue: expects, with: &self.encoder)
        let stream = self.open(exchange, hasBody: hasBody, awaitsContinue: expects)
        stream.io.response.metrics.requestHeadByteCount = Int64(block.readableBytes)
        self.write(block, of: stream, isEnd: !hasBody)
        exchange.tell(.requestHeadEnded(HTTP2RequestHead.sent(request, framing: framing, expectsContinue: expects)))
        self.state.noteGathered(stream, isLast: !hasBody, gathered: self.outbound.readableBytes)
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

    private func open(_ exchange: Exchange, hasBody: Bool, awaitsContinue: Bool) -> Stream {
        var metrics = self.stamps.metrics(of: exchange, isReused: self.state.isUsed)
        metrics.requestHeadStarted = self.pool.clock.instant()
        metrics.httpVersion = .http2
        let opening = Stream.Opening(
            io: HTTP2IO(response: ResponseAssembly(exchange: exchange, metrics: metrics)),
            key: ObjectIdentifier(exchange),
            hasBody: hasBody,
            awaitsContinue: awaitsContinue,
            clock: StageClock(exchange.request.timeouts, total: exchange.totalDeadline, now: self.pool.clock.now())
        )
        let stream = self.state.open(opening, gathered: self.outbound.readableBytes)
        // It was the last one: open streams are finished, other requests need another connection.
        if self.state.isRetiring, let connection { self.pool.retire(connection) }
        return stream
    }

    private func write(_ block: ByteBuffer, of stream: Stream, isEnd: Bool) {
        let before = self.outbound.readableBytes
        HTTP2FrameWriter.headers(
            block,
            stream: stream.id,
            isEnd: isEnd,
            maximumFrameSize: self.state.peer.maximumFrameSize,
            into: &self.outbound
        )
        stream.io.response.metrics.requestByteCount += Int64(self.outbound.readableBytes - before)
    }

    /// Tries an exchange elsewhere that cannot be started here; nothing of it was sent.
    func restart(_ exchange: Exchange) {
        if let connection {
            self.pool.retire(connection)
            // It was lent for this exchange, and has to be given back; a connection that is retired gets no other.
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
        stream.io.response.noteRequestBody()
        switch stream.io.exchange.request.body {
        case .none: self.state.completeBody(of: stream, now: self.pool.clock.now())
        case .bytes(let bytes):
            self.enqueue(bytes, of: stream)
            self.state.completeBody(of: stream, now: self.pool.clock.now())
        case .reader(let length, _, let makeReader): self.startPump(stream, length: length, makeReader: makeReader)
        case .file(let file): self.startPump(stream, length: file.byteCount) { try file.makeReader() }
        }
    }

    private func startPump(
        _ stream: Stream,
        length: Int64?,
        makeReader: @escaping @Sendable () throws -> any TransportBodyReader
    ) {
        guard let context else { return }
        let pump = RequestBodyPump(
            length: length,
            framesChunks: false,
            makeReader: makeReader,
            eventLoop: context.eventLoop,
            clock: self.pool.clock
        ) { [weak self, weak stream] outcome in if let self, let stream { self.pumped(outcome, stream) } }
        stream.io.pump = pump
        pump.pull(room: stream.room)
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

    /// Sends one frame of each stream in turn, as long as the windows and the socket take them.
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
        // Before the frame is counted: one that is not sent takes nothing from the connection's window.
        let trailers: HTTPFields
        do {
            trailers = isLast ? try RequestTrailers.fields(of: stream.io.exchange.request) : HTTPFields()
        } catch {
            return self.reject(stream, error, code: .cancel)
        }
        self.state.sent(bytes.readableBytes, of: stream, now: self.pool.clock.now())
        stream.io.response.metrics.requestBodyByteCount += Int64(bytes.readableBytes)
        if bytes.readableBytes > 0 || trailers.isEmpty {
            let byteCount = HTTP2Frame.headerSize + bytes.readableBytes
            stream.io.response.metrics.requestByteCount += Int64(byteCount)
            HTTP2FrameWriter.data(bytes, stream: stream.id, isEnd: isLast && trailers.isEmpty, into: &self.outbound)
        }
        if !trailers.isEmpty {
            self.write(HTTP2RequestHead.encode(trailers: trailers, with: &self.encoder), of: stream, isEnd: true)
        }
        self.state.noteGathered(stream, isLast: isLast, gathered: self.outbound.readableBytes)
        if isLast {
            stream.io.response.noteRequestEnd()
            // Re-arms the timer for the limit on the response's head.
            self.armTimer(for: stream)
        }
        if stream.room > 0 { stream.io.pump?.pull(room: stream.room) }
    }
}
