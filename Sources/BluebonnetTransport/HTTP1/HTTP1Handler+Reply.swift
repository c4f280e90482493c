// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Receiving: events of the parser become a collected reply or a stream.
extension HTTP1Handler {
    /// Reads as many events as the bytes received so far hold, and as many as the consumer has room for.
    ///
    /// - Parameter drains: Whether to go on although the consumer is behind, because the connection is gone and nothing can wait there.
    func readReply(drains: Bool = false) {
        do {
            while self.active != nil {
                if let inflater = self.active?.inflater {
                    if self.isWaitingForConsumer, !drains { break }
                    if let piece = try inflater.next() {
                        try self.deliver(piece)
                        continue
                    }
                }
                guard let event = try self.parser.next(&self.inbound) else { break }
                switch event {
                case .informational(let status, let fields): self.readInformational(status, fields)
                case .head(let head): try self.readHead(head)
                case .body(let bytes): try self.readBody(bytes)
                case .end(let trailers):
                    try self.active?.inflater?.finish()
                    return self.finishExchange(trailers: trailers)
                }
            }
        } catch {
            return self.fail(self.located(error))
        }
        self.openStream()
    }

    /// The error with the phase it belongs to: the parser does not know where the exchange stands.
    private func located(_ error: TransportError) -> TransportError {
        var error = error
        if self.active?.head != nil { error.phase = .body }
        return error
    }

    private func readInformational(_ status: HTTPResponse.Status, _ fields: HTTPFields) {
        if status.code == 100 { self.sendAwaitedBody() }
        self.active?.exchange.request.onInformational?(status, fields)
    }

    private func readHead(_ head: HTTP1ResponseParser.Head) throws(TransportError) {
        guard head.status.code != 101 else { throw .violation("the peer switches to a protocol that nobody asked for") }
        var head = head
        let request = self.active?.exchange.request
        if request?.decodesContent ?? false, request?.method != .head, let coding = try ContentDecoding.coding(of: head)
        {
            self.active?.inflater = Inflater(coding, limits: self.parser.limits)
            head.removeCoding()
        }
        self.active?.head = head
        self.active?.metrics.replyStarted = .now
        if let continuation = self.active?.continuation {
            // The verdict came instead of the permission to go on: the body stays here.
            continuation.cancel()
            self.active?.continuation = nil
        }
        if let pump = self.active?.pump, head.status.code >= 300 {
            // The verdict is there before the body is (RFC 9110 section 15.5.14, for one): sending on would be waste.
            pump.stop()
            self.active?.pump = nil
        }
        if case .collected(let limit) = self.active?.exchange.request.replyMode, let length = head.contentLength,
            length > Int64(limit), self.parser.state != .ending
        {
            throw .replyTooLarge(limit: limit)
        }
    }

    private func readBody(_ bytes: ByteBuffer) throws(TransportError) {
        // Encoded bytes wait in the inflater until there is room for what they become.
        if let inflater = self.active?.inflater { inflater.feed(bytes) } else { try self.deliver(bytes) }
    }

    private func deliver(_ bytes: ByteBuffer) throws(TransportError) {
        if self.active?.inflater != nil, self.active?.collected?.readableBytes ?? 0 >= Inflater.pieceSize {
            // A few bytes can become many: what is streamed must not pile up before anybody can say that it is enough.
            self.openStream()
        }
        if let stream = self.active?.stream {
            if stream.put(bytes) { self.setPaused(true) }
            return
        }
        if case .collected(let limit) = self.active?.exchange.request.replyMode,
            (self.active?.collected?.readableBytes ?? 0) + bytes.readableBytes > limit
        {
            throw .replyTooLarge(limit: limit)
        }
        self.collect(bytes)
    }

    private func collect(_ bytes: ByteBuffer) {
        if self.active?.collected != nil {
            self.active?.collected?.writeImmutableBuffer(bytes)
        } else if let length = self.active?.head?.contentLength, length > Int64(bytes.readableBytes) {
            // More is to come: make room for all of it at once, but never more than a peer has begun to deliver many times over.
            let room = Swift.min(Int(Swift.min(length, 1 << 30)), Swift.max(bytes.readableBytes * 16, 64 * 1024))
            var buffer = ByteBufferAllocator().buffer(capacity: room)
            buffer.writeImmutableBuffer(bytes)
            self.active?.collected = buffer
        } else if bytes.readableBytes * 2 < bytes.storageCapacity {
            // A few bytes would keep a whole receive buffer alive.
            self.active?.collected = ByteBuffer(bytes: bytes.readableBytesView)
        } else {
            self.active?.collected = bytes
        }
    }

    /// Answers with a stream once it is clear that the body did not come together with the head.
    private func openStream() {
        guard let active = self.active, let head = active.head, active.stream == nil, let connection,
            case .streamed = active.exchange.request.replyMode
        else { return }
        let exchange = active.exchange
        let stream = ReplyStream { demand in connection.demand(demand, of: exchange) }
        self.active?.stream = stream
        self.active?.collected = nil
        if let collected = active.collected, stream.put(collected) { self.setPaused(true) }
        let body = ReplyBody(source: ReplyStreamSource(stream), expectedLength: head.contentLength)
        let reply = TransportReply(status: head.status, headers: head.headers, body: body, metrics: active.metrics)
        // A caller that is gone drops the reply, and with it the source, which gives the stream up.
        exchange.answer(.success(reply))
    }

    /// The reply is complete: the connection goes back before the caller is answered, so that its next request finds it.
    func finishExchange(trailers: HTTPFields?) {
        self.active?.metrics.replyEnded = .now
        guard let active = self.endActive(), let head = active.head, let connection else { return }
        self.servedCount += 1
        let isReusable =
            self.parser.keepsConnection && active.isRequestSent && !active.asksForClose
            && self.inbound.readableBytes == 0
            && self.isUsable
        var next: Exchange?
        if isReusable {
            self.inbound = ByteBuffer()
            next = self.pool.release(connection)
        } else {
            active.pump?.stop()
            self.close()
        }
        if let stream = active.stream {
            stream.end(.success(trailers))
        } else {
            let body = ReplyBody(active.collected ?? ByteBuffer(), trailers: trailers)
            let reply = TransportReply(status: head.status, headers: head.headers, body: body, metrics: active.metrics)
            active.exchange.answer(.success(reply))
        }
        if let next { self.start(next) }
    }
}
