// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// The response of one exchange while it arrives: its content is decoded, its body collected or streamed, its caller answered.
///
/// Lives on the event loop of its connection. A body that is wanted as a stream is collected all the same until it is clear that it did
/// not arrive together with the head: a small response is one answer and no stream.
struct ResponseAssembly {
    let exchange: Exchange
    var metrics: ExchangeMetrics
    private(set) var head: ResponseHead?
    private var hasBody = false
    private var delivery = BodyDelivery.streamed
    private var collected: ByteBuffer?
    private var stream: ResponseStream?
    /// Set while the body comes encoded and is to be decoded.
    private var decoder: BodyDecoder?
    /// Whether the consumer has enough waiting for it, and reading should stop.
    private(set) var isStalled = false

    init(exchange: Exchange, metrics: ExchangeMetrics) {
        self.exchange = exchange
        self.metrics = metrics
    }

    // MARK: Parts of the response

    /// The head came.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - hasBody: Whether a body follows.
    ///   - limits: How far the body may expand.
    ///   - connection: The connection of the exchange.
    /// - Throws: An error if the body is larger than is wanted, or encoded too often.
    mutating func begin(
        _ head: ResponseHead,
        hasBody: Bool,
        limits: Limits,
        on connection: PooledConnection
    ) throws(TransportError) {
        var head = head
        // The request itself would be a large copy.
        let exchange = self.exchange
        if exchange.request.decodesContent, exchange.request.method != .head {
            if let codings = try self.codings(of: head, limits), !codings.isEmpty {
                self.decoder = BodyDecoder(codings, limits: limits)
                self.metrics.receivedHeaders = head.headers
                head.removeCoding()
            }
        }
        self.head = head
        self.hasBody = hasBody
        self.metrics.responseHeadEnded = self.exchange.clock.instant()
        self.exchange.tell(.responseHeadEnded(head.status))
        if hasBody { self.exchange.tell(.responseBodyStarted) }
        self.delivery = BodyDelivery(of: head, to: exchange.request)
        guard hasBody, let length = head.contentLength else { return }
        try self.makeRoom(for: length, on: connection)
    }

    /// How the body is encoded; nil for a redirect that says so in a way that cannot be used: it can be followed all the same.
    private func codings(of head: ResponseHead, _ limits: Limits) throws(TransportError) -> [ContentCoding]? {
        do throws(TransportError) {
            return try ContentDecoding.codings(of: head, limits: limits)
        } catch {
            guard head.isRedirect else { throw error }
            return nil
        }
    }

    /// Makes sure that the body may have so many bytes, as far as is known.
    ///
    /// - Throws: An error if the body is larger than is wanted.
    private mutating func makeRoom(for byteCount: Int64, on connection: PooledConnection) throws(TransportError) {
        switch self.delivery {
        case .collected(let limit):
            if byteCount > Int64(limit) { throw .responseTooLarge(limit: limit) }
        case .held(let limit):
            if byteCount > Int64(limit) { self.openStream(on: connection) }
        case .streamed:
            break
        }
    }

    /// Bytes came, of whatever part of the response.
    mutating func received(_ byteCount: Int) {
        if self.metrics.responseByteCount == 0 { self.exchange.tell(.responseHeadStarted) }
        self.metrics.responseByteCount += Int64(byteCount)
    }

    /// Bytes that were received turned out to belong to the next response.
    mutating func giveBack(_ byteCount: Int) {
        self.metrics.responseByteCount -= Int64(byteCount)
    }

    /// The last byte came.
    mutating func noteEnd() {
        self.metrics.responseBodyEnded = self.exchange.clock.instant()
        if self.hasBody { self.exchange.tell(.responseBodyEnded(byteCount: self.metrics.responseBodyByteCount)) }
    }

    /// The head has been read, as far as these bytes.
    mutating func noteHead(unreadByteCount: Int64) {
        self.metrics.responseHeadByteCount = self.metrics.responseByteCount - unreadByteCount
    }

    /// Bytes of the body came.
    mutating func feed(_ bytes: ByteBuffer, on connection: PooledConnection) throws(TransportError) {
        self.metrics.responseBodyByteCount += Int64(bytes.readableBytes)
        // Encoded bytes wait in the decoder until there is room for what they become.
        if let decoder { decoder.feed(bytes) } else { try self.deliver(bytes, on: connection) }
    }

    /// Whether the body comes encoded.
    var isDecoding: Bool { self.decoder != nil }

    /// Decodes one piece of an encoded body.
    ///
    /// - Returns: Whether there was one.
    mutating func decode(on connection: PooledConnection) throws(TransportError) -> Bool {
        guard let decoder, let piece = try decoder.next() else { return false }
        try self.deliver(piece, on: connection)
        return true
    }

    /// The body is complete.
    func finishDecoding() throws(TransportError) {
        if self.tail == nil { try self.decoder?.finish() }
    }

    /// What holds encoded bytes for which the consumer has no room; it decodes them itself, once nothing more comes.
    private var tail: BodyDecoder? { self.isStalled ? self.decoder : nil }

    /// Takes all that has come of the body, whether or not the consumer has room: nothing can wait on a connection that is gone.
    mutating func takeRest(_ bytes: ByteBuffer, on connection: PooledConnection) throws(TransportError) {
        try self.feed(bytes, on: connection)
        while !self.isStalled { guard try self.decode(on: connection) else { return } }
    }

    private mutating func deliver(_ bytes: ByteBuffer, on connection: PooledConnection) throws(TransportError) {
        self.metrics.decodedBodyByteCount += Int64(bytes.readableBytes)
        if self.decoder != nil, self.collected?.readableBytes ?? 0 >= BodyDecoder.pieceSize {
            // A few bytes can become many: a stream is opened before they pile up, so that its consumer can stop them.
            if case .streamed = self.delivery { self.openStream(on: connection) }
        }
        if self.stream == nil {
            let byteCount = (self.collected?.readableBytes ?? 0) + bytes.readableBytes
            try self.makeRoom(for: Int64(byteCount), on: connection)
        }
        if let stream {
            if stream.put(bytes) { self.isStalled = true }
        } else {
            self.collect(bytes)
        }
    }

    private mutating func collect(_ bytes: ByteBuffer) {
        if self.collected != nil {
            self.collected?.writeImmutableBuffer(bytes)
        } else if let length = self.head?.contentLength, length > Int64(bytes.readableBytes) {
            // More is to come: make room for all of it at once, but never more than a peer has begun to deliver many times over.
            let room = Swift.min(Int(Swift.min(length, 1 << 30)), Swift.max(bytes.readableBytes * 16, 64 * 1024))
            var buffer = ByteBufferAllocator().buffer(capacity: room)
            buffer.writeImmutableBuffer(bytes)
            self.collected = buffer
        } else if bytes.readableBytes * 2 < bytes.storageCapacity {
            // A few bytes would keep a whole receive buffer alive.
            self.collected = ByteBuffer(bytes: bytes.readableBytesView)
        } else {
            self.collected = bytes
        }
    }

    // MARK: Answers

    /// Answers with a stream, unless that has happened or the head is not there.
    private mutating func openStream(on connection: PooledConnection) {
        let exchange = self.exchange
        self.open(ResponseStream { demand in connection.demand(demand, of: exchange) })
    }

    private mutating func open(_ stream: ResponseStream) {
        guard let head, self.stream == nil else { return }
        self.delivery = .streamed
        self.stream = stream
        if let collected = self.collected.take(), stream.put(collected) { self.isStalled = true }
        let source = ResponseStreamSource(stream, expectedLength: head.contentLength)
        let body = ResponseBody(source: source, expectedLength: head.contentLength)
        let response = TransportResponse(status: head.status, headers: head.headers, body: body, metrics: self.metrics)
        // A caller that is gone drops the response, and with it the source, which gives the stream up.
        self.exchange.answer(.success(response))
    }

    /// A turn of the loop is over: the bytes that have arrived are handed on, in a stream if the body is not complete.
    mutating func handOver(on connection: PooledConnection) {
        if let stream { return stream.wake() }
        if case .streamed = self.delivery { self.openStream(on: connection) }
    }

    /// The consumer has caught up.
    mutating func resume() {
        self.isStalled = false
    }

    /// The response is complete.
    func finish(trailers: HTTPFields?) {
        self.exchange.observation?.tellLast(.ended)
        if let stream { return stream.end(.success(trailers), metrics: self.metrics, tail: self.tail) }
        guard let head else { return }
        let body = ResponseBody(self.collected ?? ByteBuffer(), trailers: trailers)
        let response = TransportResponse(status: head.status, headers: head.headers, body: body, metrics: self.metrics)
        self.exchange.answer(.success(response))
    }

    /// The response will not be complete.
    mutating func fail(_ error: TransportError) {
        // What came in the same turn of the loop counts as if it had come before: whether it did is chance. Nobody asks the peer for more.
        if case .streamed = self.delivery { self.open(ResponseStream { _ in }) }
        var error = error
        error.requestBodyByteCount = self.metrics.requestBodyByteCount
        guard let stream else {
            self.exchange.answer(.failure(error))
            return
        }
        self.exchange.observation?.tellLast(.failed(error))
        stream.end(.failure(error), metrics: self.metrics, tail: self.tail)
    }
}
