// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Assembles the response of one exchange: decodes its content, collects or streams its body, and resumes the caller.
///
/// It runs on the event loop of its connection. A body that the caller wants as a stream is nevertheless collected
/// until it is clear that it did not arrive together with the head: a small response is delivered whole, without a
/// stream.
struct ResponseAssembly {
    let exchange: Exchange
    var metrics: ExchangeMetrics
    /// Whether sending of the request's body has begun; it has not if the server refused a body that was held back.
    private var isSendingBody = false
    private(set) var head: ResponseHead?
    private var hasBody = false
    private var delivery = BodyDelivery.streamed
    private var collected: ByteBuffer?
    private var stream: ResponseStream?
    /// Set if the body is encoded and must be decoded.
    private var decoder: BodyDecoder?
    /// Whether the consumer's buffer is full, so that reading should stop.
    private(set) var isStalled = false

    init(exchange: Exchange, metrics: ExchangeMetrics) {
        self.exchange = exchange
        self.metrics = metrics
    }

    // MARK: The request

    /// Sending of the request's body begins.
    mutating func noteRequestBody() {
        self.isSendingBody = true
        self.exchange.tell(.requestBodyStarted)
    }

    /// Records that the request was sent, or that no more of its body is sent.
    mutating func noteRequestEnd() {
        self.metrics.requestBodyEnded = self.exchange.clock.instant()
        guard self.isSendingBody else { return }
        self.exchange.tell(.requestBodyEnded(byteCount: self.metrics.requestBodyByteCount))
    }

    // MARK: Parts of the response

    /// Starts the response with its head.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - hasBody: Whether a body follows.
    ///   - limits: The limits of the body's expansion.
    ///   - connection: The connection of the exchange.
    /// - Throws: An error if the body is larger than the caller allows, or has too many codings.
    mutating func begin(
        _ head: ResponseHead,
        hasBody: Bool,
        limits: TransportLimits,
        on connection: PooledConnection
    ) throws(TransportError) {
        var head = head
        // Capturing the request itself would copy a large value.
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

    /// The codings of the body; nil for a redirect or a challenge with an unusable Content-Encoding, which can be
    /// answered nevertheless.
    private func codings(of head: ResponseHead, _ limits: TransportLimits) throws(TransportError) -> [ContentCoding]? {
        do throws(TransportError) {
            return try ContentDecoding.codings(of: head, limits: limits)
        } catch {
            guard head.isAnswered else { throw error }
            return nil
        }
    }

    /// Checks that the body may have this many bytes, and switches from collecting to streaming where the request
    /// allows it.
    ///
    /// - Throws: An error if the body is larger than the caller allows.
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

    /// Counts received bytes, whichever part of the response they belong to.
    mutating func received(_ byteCount: Int) {
        if self.metrics.responseByteCount == 0 { self.exchange.tell(.responseHeadStarted) }
        self.metrics.responseByteCount += Int64(byteCount)
    }

    /// Subtracts received bytes that belong to the next response.
    mutating func giveBack(_ byteCount: Int) {
        self.metrics.responseByteCount -= Int64(byteCount)
    }

    /// Records when the last byte arrived, which ends the request, too.
    ///
    /// - Parameter unsentByteCount: How many bytes of the request are lost in the channel, if it was not sent to its
    ///   end.
    mutating func noteEnd(unsentByteCount: @autoclosure () -> Int = 0) {
        if self.metrics.requestBodyEnded == nil {
            self.metrics.removeUnsent(Int64(unsentByteCount()))
            self.noteRequestEnd()
        }
        self.metrics.responseBodyEnded = self.exchange.clock.instant()
        if self.hasBody { self.exchange.tell(.responseBodyEnded(byteCount: self.metrics.responseBodyByteCount)) }
    }

    /// Records the size of a head, final or informational, where bytes are received in frames.
    mutating func noteHead(byteCount: Int) {
        self.metrics.responseHeadByteCount += Int64(byteCount)
    }

    /// Records the size of the head: the bytes received, less those that are still unread.
    mutating func noteHead(unreadByteCount: Int64) {
        self.metrics.responseHeadByteCount = self.metrics.responseByteCount - unreadByteCount
    }

    /// Records a head that ends HTTP on the connection; nothing follows it.
    mutating func noteUpgrade(_ head: ResponseHead) {
        self.noteHead(unreadByteCount: 0)
        self.metrics.responseHeadEnded = self.exchange.clock.instant()
        self.exchange.tell(.responseHeadEnded(head.status))
        self.noteEnd()
    }

    /// Adds bytes of the body.
    mutating func feed(_ bytes: ByteBuffer, on connection: PooledConnection) throws(TransportError) {
        self.metrics.responseBodyByteCount += Int64(bytes.readableBytes)
        // Encoded bytes wait in the decoder until there is room for their decoded form.
        if let decoder { decoder.feed(bytes) } else { try self.deliver(bytes, on: connection) }
    }

    /// Whether the body is encoded and is being decoded.
    var isDecoding: Bool { self.decoder != nil }

    /// Decodes one piece of an encoded body.
    ///
    /// - Returns: Whether there was one.
    mutating func decode(on connection: PooledConnection) throws(TransportError) -> Bool {
        guard let decoder, let piece = try decoder.next() else { return false }
        try self.deliver(piece, on: connection)
        return true
    }

    /// Checks that the encoded body is complete.
    func finishDecoding() throws(TransportError) {
        if self.tail == nil { try self.decoder?.finish() }
    }

    /// The decoder with bytes for which the consumer has no room; the consumer decodes them itself once the response
    /// has ended.
    private var tail: BodyDecoder? { self.isStalled ? self.decoder : nil }

    /// Delivers all remaining bytes of the body, whether or not the consumer has room: the connection is gone and
    /// cannot hold them.
    mutating func takeRest(_ bytes: ByteBuffer, on connection: PooledConnection) throws(TransportError) {
        try self.feed(bytes, on: connection)
        while !self.isStalled { guard try self.decode(on: connection) else { return } }
    }

    private mutating func deliver(_ bytes: ByteBuffer, on connection: PooledConnection) throws(TransportError) {
        self.metrics.decodedBodyByteCount += Int64(bytes.readableBytes)
        if self.decoder != nil, self.collected?.readableBytes ?? 0 >= BodyDecoder.pieceSize {
            // A few bytes can expand to many: the stream is opened before they accumulate, so that its consumer can
            // apply back-pressure.
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
            // More bytes follow: reserve room for all of them at once, limited to a multiple of what the peer has
            // delivered so far.
            let room = Swift.min(Int(Swift.min(length, 1 << 30)), Swift.max(bytes.readableBytes * 16, 64 * 1024))
            var buffer = ByteBufferAllocator().buffer(capacity: room)
            buffer.writeImmutableBuffer(bytes)
            self.collected = buffer
        } else if bytes.readableBytes * 2 < bytes.storageCapacity {
            // A slice of a few bytes would keep a whole receive buffer alive.
            self.collected = ByteBuffer(bytes: bytes.readableBytesView)
        } else {
            self.collected = bytes
        }
    }

    // MARK: Delivery

    /// Resumes the caller with a stream, unless that has happened or the head has not arrived.
    private mutating func openStream(on connection: PooledConnection) {
        let exchange = self.exchange
        let stream = ResponseStream { demand in connection.demand(demand, of: exchange) }
        self.open(stream, EventLoopExecutor(connection.channel.eventLoop))
    }

    private mutating func open(_ stream: ResponseStream, _ executor: EventLoopExecutor? = nil) {
        guard let head, self.stream == nil else { return }
        self.delivery = .streamed
        self.stream = stream
        if let collected = self.collected.take(), stream.put(collected) { self.isStalled = true }
        let source = ResponseStreamSource(stream, expectedLength: head.contentLength, executor: executor)
        let body = ResponseBody(source: source, expectedLength: head.contentLength)
        let response = TransportResponse(status: head.status, headers: head.headers, body: body, metrics: self.metrics)
        // If the caller is gone, it drops the response and with it the source, which abandons the stream.
        self.exchange.answer(.success(response))
    }

    /// Ends an event loop tick: delivers the bytes that have arrived, as a stream if the body is not complete.
    mutating func handOver(on connection: PooledConnection) {
        if let stream { return stream.wake() }
        if case .streamed = self.delivery { self.openStream(on: connection) }
    }

    /// Continues after the consumer has caught up.
    mutating func resume() {
        self.isStalled = false
    }

    /// Completes the response.
    func finish(trailers: HTTPFields?) {
        self.exchange.observation?.tellLast(.ended)
        if let stream { return stream.end(.success(trailers), metrics: self.metrics, tail: self.tail) }
        guard let head else { return }
        let body = ResponseBody(self.collected ?? ByteBuffer(), trailers: trailers)
        let response = TransportResponse(status: head.status, headers: head.headers, body: body, metrics: self.metrics)
        self.exchange.answer(.success(response))
    }

    /// Ends an incomplete response with an error; its phase becomes that of the body once the head has arrived.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - unsentByteCount: How many bytes of the request are lost in the channel, if it was not sent to its end.
    mutating func fail(_ error: TransportError, unsentByteCount: Int = 0) {
        // Bytes from the same event loop tick are delivered as if they had arrived earlier: whether they did is chance.
        // The connection is not asked for more.
        if case .streamed = self.delivery { self.open(ResponseStream { _ in }) }
        var error = error
        if self.head != nil, error.phase == .responseHead { error.phase = .responseBody }
        error.requestBodyByteCount = self.metrics.requestBodyByteCount
        if self.metrics.requestBodyEnded == nil { self.metrics.removeUnsent(Int64(unsentByteCount)) }
        guard let stream else {
            if let head {
                // The caller has not seen it.
                error.response = TransportResponse(status: head.status, headers: head.headers, metrics: self.metrics)
            }
            self.exchange.answer(.failure(error))
            return
        }
        self.exchange.observation?.tellLast(.failed(error))
        stream.end(.failure(error), metrics: self.metrics, tail: self.tail)
    }
}
