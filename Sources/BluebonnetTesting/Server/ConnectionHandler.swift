// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

/// Handles one HTTP/1.1 connection, or one HTTP/2 stream: receives requests one after another and responds in that
/// order.
///
/// Parts of a pipelined request wait until the previous response has been sent, and the socket is not read meanwhile.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = NIOAny
    typealias OutboundOut = NIOAny

    /// The received parts that are not handled yet.
    private enum Incoming {
        case part(HTTPServerRequestPart)
        /// A request that cannot be decoded; nothing follows it.
        case refused(Refusal)
    }

    let wire: WireHandler
    let state: ObservedState<ServerState>
    let configuration: TestServer.Configuration

    var context: ChannelHandlerContext?
    var exchange: ServedExchange?
    private var pending: CircularBuffer<Incoming> = []
    /// Set once the decoder has failed: it decodes nothing more.
    private var isMalformed = false
    private var isDraining = false
    private var hasHeldRead = false
    /// Set once nothing more is read or sent.
    var isEnding = false

    // The current response; see ConnectionHandler+Response.swift.
    var isPumping = false
    var isHeld = false
    var timer: Scheduled<Void>?
    var lastWrite: EventLoopFuture<Void>?
    /// Runs a handler of the test's that has not returned.
    private var handlerTask: Task<Void, Never>?

    /// Whether it is an HTTP/2 stream.
    let isStream: Bool

    /// The handler before the decoder of HTTP/1.1; nil for a stream of HTTP/2.
    let requestLines: RequestLineObserver?

    init(
        wire: WireHandler,
        state: ObservedState<ServerState>,
        configuration: TestServer.Configuration,
        requestLines: RequestLineObserver?
    ) {
        self.wire = wire
        self.requestLines = requestLines
        self.isStream = requestLines == nil
        self.state = state
        self.configuration = configuration
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.isEnding = true
        self.timer?.cancel()
        self.handlerTask?.cancel()
        self.pending.removeAll()
        if let exchange = self.exchange {
            self.exchange = nil
            self.record(exchange)
        }
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.lastWrite = nil
    }

    // MARK: - Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isEnding else { return }
        let part = self.unwrapInboundIn(data)
        if let requestLines {
            requestLines.isBetweenRequests = if case .end = part { true } else { false }
        }
        self.pending.append(.part(part))
        self.drain()
    }

    /// Processes the waiting parts, as far as the current response allows.
    func drain() {
        guard !self.isDraining else { return }
        self.isDraining = true
        while !self.isEnding, let next = self.pending.first {
            if let exchange = self.exchange, exchange.isRequestComplete || exchange.isDeaf { break }
            self.pending.removeFirst()
            switch next {
            case .part(.head(let head)): self.begin(head)
            case .part(.body(let bytes)): self.exchange?.receive(bytes)
            case .part(.end(let trailers)): self.complete(trailers)
            case .refused(let refusal): self.refuse(refusal)
            }
        }
        self.isDraining = false
        self.releaseRead()
    }

    private func begin(_ head: HTTPRequestHead) {
        guard self.isStream || head.hasValidHostCount else {
            self.report("a request needs one Host field, and has \(head.headers["host"].count)")
            return self.refuse(.malformed)
        }
        self.wire.requestCount += 1
        let path = ReceivedTarget(head.uri).path
        let (scripted, handler) = self.state.update { state in
            state.connections.requests += 1
            let scripted = state.script.popFirst()
            return (scripted, scripted == nil ? state.handler(for: path) : nil)
        }
        let responder: any Responder =
            if let scripted {
                ScriptResponder(response: scripted)
            } else if let handler {
                HandlerResponder(handler: handler, state: self.state)
            } else if self.configuration.isStrict {
                self.unexpectedResponder(to: head)
            } else {
                BuiltInRoutes.responder(for: head, named: self.configuration.routeNames)
            }
        let exchange = ServedExchange(
            head: head,
            responder: responder,
            connectionID: self.wire.connectionID,
            sequence: self.wire.requestCount,
            bodyLimit: self.configuration.recordedBodyLimit
        )
        exchange.isSecure = self.wire.isSecure
        exchange.clientCertificate = self.wire.clientCertificate
        self.exchange = exchange
        if exchange.isDeaf {
            self.record(exchange)
        } else if let early = responder.earlyResponse(to: head) {
            self.start(early, of: exchange)
        } else if exchange.expectsContinue, responder.sendsContinue {
            let part =
                exchange.isHTTP2
                ? NIOAny(HTTP2Frame.FramePayload.headers(.init(headers: [":status": "100"])))
                : NIOAny(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n"))
            self.context?.writeAndFlush(part, promise: nil)
        }
    }

    private func complete(_ trailers: HTTPHeaders?) {
        guard let exchange = self.exchange else { return }
        exchange.complete(trailers: trailers)
        self.record(exchange)
        if exchange.isResponseStarted {
            if exchange.isResponseComplete { self.finish(exchange) }
        } else {
            self.respond(to: exchange)
        }
    }

    private func respond(to exchange: ServedExchange) {
        switch exchange.makeResponse() {
        case .ready(let response): self.start(response, of: exchange)
        case .later(let make):
            guard let eventLoop = self.context?.eventLoop else { return }
            let waiting = NIOLoopBound((handler: self, exchange: exchange), eventLoop: eventLoop)
            // Ends with the connection, and nothing waits for it.
            self.handlerTask = Task {
                let response = await make()
                eventLoop.execute {
                    let (handler, exchange) = waiting.value
                    if handler.exchange === exchange, !handler.isEnding { handler.start(response, of: exchange) }
                }
            }
        }
    }

    /// Stores the request for `takeRequest()`, once.
    private func record(_ exchange: ServedExchange) {
        guard let record = exchange.takeRecord() else { return }
        self.state.update { $0.record(record, limits: self.configuration) }
    }

    /// Continues with the next request, after the response has been sent and the request received.
    func finish(_ exchange: ServedExchange) {
        self.exchange = nil
        guard exchange.keepsConnection else { return self.end(.close) }
        self.drain()
    }

    // MARK: - Reading

    func read(context: ChannelHandlerContext) {
        // At most the next request arrives during a response; more is not read before its turn.
        if self.holdsReads { self.hasHeldRead = true } else { context.read() }
    }

    private var holdsReads: Bool { self.exchange?.isDeaf == true || !self.pending.isEmpty }

    private func releaseRead() {
        guard self.hasHeldRead, !self.holdsReads, !self.isEnding else { return }
        self.hasHeldRead = false
        self.context?.read()
    }

    // MARK: - Events

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.pump() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ShutdownEvent { self.isEnding = true }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !self.isEnding, !self.isMalformed else { return }
        switch error {
        case HTTPParserError.invalidEOFState:
            // The client closed the connection within a request, which is allowed.
            self.end(.drop)
        case is HTTPParserError, is ByteToMessageDecoderError:
            self.isMalformed = true
            let refusal = self.refusal(of: error)
            self.report(refusal == .malformed ? "a client sent bytes that are not a request: \(error)" : refusal.text)
            // The requests before it are valid and receive their responses first (RFC 9112 section 9.3.2).
            self.pending.append(.refused(refusal))
            self.drain()
        default:
            // A stream that ends early does not affect its connection.
            if self.isStream { self.isEnding = true } else { self.end(.drop) }
        }
    }
}
