// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Sending: heads at once, bodies as the windows allow, all streams in turn.
extension HTTP2Handler {
    func start(_ exchange: Exchange) {
        guard let connection, let context, self.isUsable else { return self.restart(exchange) }
        guard self.streams.count < self.peer.maximumConcurrentStreams else {
            return self.pool.postpone(exchange, on: connection)
        }
        guard exchange.onCancel({ connection.cancel(exchange) }) else {
            if let next = self.pool.release(connection).next { self.start(next) }
            return
        }
        let isReused = self.isUsed
        exchange.observation?.didAcquire(self.stamps.connectionID, isReused: isReused, at: self.pool.clock.instant())
        exchange.tell(.requestHeadStarted)
        let request = exchange.request
        let framing = request.framing
        let hasBody = framing != .none && framing != .fixed(0)
        let block: ByteBuffer
        do {
            block = try HTTP2RequestHead.encode(request, framing: framing, with: &self.encoder)
        } catch {
            exchange.observation?.didRelease(self.stamps.connectionID)
            exchange.answer(.failure(TransportError.invalid("the head cannot be encoded: \(error)")))
            return self.close()
        }
        let stream = self.open(exchange)
        stream.hasBody = hasBody
        stream.headMark = self.progress.writtenByteCount + Int64(self.outbound.readableBytes)
        stream.response.metrics.noteRequestHead(block.readableBytes)
        HTTP2FrameWriter.headers(
            block,
            stream: stream.id,
            isEnd: !hasBody,
            maximumFrameSize: self.peer.maximumFrameSize,
            into: &self.outbound
        )
        exchange.tell(.requestHeadEnded(HTTP2RequestHead.sent(request, framing: framing)))
        if !hasBody {
            if case .file(let file) = request.body { file.onBytes?(0) }
            self.didSendRequest(stream)
        } else if let patience = request.expectsContinue {
            let bound = NIOLoopBound((self, stream), eventLoop: context.eventLoop)
            let deadline = self.pool.clock.now() + TimeAmount(patience)
            stream.continuation = self.pool.clock.schedule(at: deadline, on: context.eventLoop) {
                bound.value.0.sendAwaitedBody(bound.value.1)
            }
        } else {
            self.sendBody(of: stream)
        }
        self.scheduleFlush()
        self.armTimer(for: stream)
    }

    private func open(_ exchange: Exchange) -> HTTP2Stream {
        var metrics = self.stamps.metrics(of: exchange, isReused: self.isUsed)
        metrics.requestHeadStarted = self.pool.clock.instant()
        metrics.httpVersion = .http2
        let stream = HTTP2Stream(
            id: self.nextStreamID,
            response: ResponseAssembly(exchange: exchange, metrics: metrics),
            sendWindow: self.peer.initialWindowSize,
            receiveWindow: self.windowSize
        )
        self.nextStreamID += 2
        self.streams[stream.id] = stream
        self.streamIDs[ObjectIdentifier(exchange)] = stream.id
        if self.nextStreamID > Self.maximumStreamID {
            // The stream identifiers are used up (RFC 9113 section 5.1.1): open streams are finished, other requests need another connection.
            self.isRetiring = true
            if let connection { self.pool.retire(connection) }
        }
        return stream
    }

    /// Tries an exchange elsewhere that cannot be started here; nothing of it was sent.
    func restart(_ exchange: Exchange) {
        if let connection {
            self.pool.retire(connection)
            // It was lent for this exchange, and has to be given back; a connection that is retired gets no other.
            _ = self.pool.release(connection)
            if self.isClosing { self.pool.remove(connection) }
        }
        var error = self.failure ?? .closedEarly(isRequestSent: false)
        error.isRequestSent = false
        guard !self.pool.resend(exchange, after: error, .notStarted(hadProgress: self.isUsed)) else { return }
        exchange.answer(.failure(error))
    }

    /// Sends the body that was held back until the peer asked for it.
    func sendAwaitedBody(_ stream: HTTP2Stream) {
        guard let continuation = stream.continuation, self.streams[stream.id] === stream else { return }
        continuation.cancel()
        stream.continuation = nil
        stream.lastActivity = self.pool.clock.now()
        self.sendBody(of: stream)
        self.scheduleFlush()
    }

    private func sendBody(of stream: HTTP2Stream) {
        stream.exchange.tell(.requestBodyStarted)
        switch stream.exchange.request.body {
        case .none:
            stream.isBodyComplete = true
        case .bytes(let bytes):
            if bytes.readableBytes > 0 { stream.enqueue(bytes) }
            stream.isBodyComplete = true
        case .reader(let length, _, let makeReader):
            self.startPump(stream, length: length, makeReader: makeReader)
        case .file(let file):
            self.startPump(stream, length: file.byteCount) { try file.makeReader() }
        }
        self.enqueue(stream)
    }

    private func startPump(
        _ stream: HTTP2Stream,
        length: Int64?,
        makeReader: @escaping @Sendable () throws -> any TransportBodyReader
    ) {
        guard let context else { return }
        let pump = RequestBodyPump(
            length: length,
            framesChunks: false,
            makeReader: makeReader,
            threadPool: self.threadPool,
            eventLoop: context.eventLoop,
            clock: self.pool.clock
        ) { [weak self, weak stream] outcome in
            if let self, let stream { self.pumped(outcome, stream) }
        }
        stream.pump = pump
        pump.pull(room: stream.room)
    }

    private func pumped(_ outcome: RequestBodyPump.Outcome, _ stream: HTTP2Stream) {
        guard stream.pump != nil, self.streams[stream.id] === stream else { return }
        switch outcome {
        case .failed(let error):
            return self.reject(stream, error, code: .cancel)
        case .bytes(let bytes, _):
            stream.enqueue(bytes)
            if stream.room > 0 { stream.pump?.pull(room: stream.room) }
        case .ready:
            if stream.room > 0 { stream.pump?.pull(room: stream.room) }
            return
        case .end:
            stream.pump = nil
            stream.isBodyComplete = true
            stream.lastActivity = self.pool.clock.now()
        }
        self.enqueue(stream)
        self.scheduleFlush()
    }

    // MARK: Data

    /// Puts a stream that has something to send behind the others.
    func enqueue(_ stream: HTTP2Stream) {
        guard !stream.isQueued, stream.canSend, stream.continuation == nil else { return }
        stream.isQueued = true
        self.sendQueue.append(stream.id)
    }

    /// Sends one frame of each stream in turn, as long as the windows and the socket take them.
    func sendData() {
        guard let context else { return }
        var stuck = [UInt32]()
        while context.channel.isWritable, let id = self.sendQueue.popFirst() {
            guard let stream = self.streams[id], stream.canSend else {
                self.streams[id]?.isQueued = false
                continue
            }
            guard self.sendWindow > 0 || stream.pending.isEmpty else {
                stuck.append(id)
                continue
            }
            stream.isQueued = false
            self.sendFrame(of: stream)
            self.enqueue(stream)
            if self.outbound.readableBytes >= Self.writeSize { self.flush() }
        }
        // They keep their turn until the connection's window opens.
        for id in stuck { self.sendQueue.append(id) }
    }

    private func sendFrame(of stream: HTTP2Stream) {
        let bytes = stream.dequeue(atMost: Swift.min(self.sendWindow, self.peer.maximumFrameSize))
        self.sendWindow -= bytes.readableBytes
        // The peer has to answer with window updates, which are no idle frames then.
        if bytes.readableBytes > 0 { self.idleFrameCount = 0 }
        stream.lastActivity = self.pool.clock.now()
        stream.response.metrics.requestByteCount += Int64(bytes.readableBytes)
        stream.response.metrics.requestBodyByteCount += Int64(bytes.readableBytes)
        let isLast = stream.isBodyComplete && stream.pending.isEmpty
        let trailers: HTTPFields
        do {
            trailers = isLast ? try RequestTrailers.fields(of: stream.exchange.request) : HTTPFields()
        } catch {
            return self.reject(stream, error, code: .cancel)
        }
        if bytes.readableBytes > 0 || trailers.isEmpty {
            HTTP2FrameWriter.data(bytes, stream: stream.id, isEnd: isLast && trailers.isEmpty, into: &self.outbound)
        }
        if !trailers.isEmpty { self.send(trailers, of: stream) }
        self.hasGatheredBody = true
        stream.sendMark = self.progress.writtenByteCount + Int64(self.outbound.readableBytes)
        if isLast {
            self.didSendRequest(stream)
            // Re-arms the timer for the limit on the response's head.
            self.armTimer(for: stream)
        }
        if stream.room > 0 { stream.pump?.pull(room: stream.room) }
    }

    private func send(_ trailers: HTTPFields, of stream: HTTP2Stream) {
        guard let block = try? HTTP2RequestHead.encode(trailers: trailers, with: &self.encoder) else { return }
        HTTP2FrameWriter.headers(
            block,
            stream: stream.id,
            isEnd: true,
            maximumFrameSize: self.peer.maximumFrameSize,
            into: &self.outbound
        )
    }

    private func didSendRequest(_ stream: HTTP2Stream) {
        stream.isRequestSent = true
        stream.response.metrics.requestBodyEnded = self.pool.clock.instant()
        stream.responseAwaited = stream.lastActivity
        if stream.hasBody {
            stream.exchange.tell(.requestBodyEnded(byteCount: stream.response.metrics.requestBodyByteCount))
        }
    }
}
