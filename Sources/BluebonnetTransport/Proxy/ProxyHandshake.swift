// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Carries out a ``ProxyNegotiation`` on a channel connected to the proxy.
enum ProxyHandshake {
    /// Runs the negotiation; the future fails with a ``TransportError`` if it fails or exceeds the time limit.
    static func run<Negotiation: ProxyNegotiation>(
        _ negotiation: Negotiation,
        on channel: any Channel,
        with proxy: Proxy,
        limit: Duration?,
        clock: EngineClock
    ) -> EventLoopFuture<ProxyNegotiationOutcome<Negotiation>> {
        let done = channel.eventLoop.makePromise(of: ProxyNegotiationOutcome<Negotiation>.self)
        let gate = ProxyGate(negotiation, proxy: proxy, done: done)
        let timeout = limit.map { limit in
            let bound = NIOLoopBound(gate, eventLoop: channel.eventLoop)
            return clock.schedule(at: clock.now() + TimeAmount(limit), on: channel.eventLoop) {
                bound.value.fail(
                    TransportError(
                        .timedOut,
                        phase: .connect,
                        reason: "the proxy \(proxy) did not open a tunnel within \(limit)"
                    )
                )
            }
        }
        do {
            try channel.pipeline.syncOperations.addHandler(gate)
        } catch {
            gate.fail(.proxyFailed(proxy, "closed the connection before it was asked for anything", underlying: error))
        }
        return gate.done.futureResult.always { _ in timeout?.cancel() }
    }
}

/// Exchanges the bytes of the negotiation with the proxy, then leaves the pipeline.
private final class ProxyGate<Negotiation: ProxyNegotiation>: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let done: EventLoopPromise<ProxyNegotiationOutcome<Negotiation>>
    private let proxy: Proxy
    private var negotiation: Negotiation
    private var isDone = false
    /// Bytes that have arrived and that the negotiation has not consumed.
    private var inbound = ByteBuffer()

    init(
        _ negotiation: Negotiation,
        proxy: Proxy,
        done: EventLoopPromise<ProxyNegotiationOutcome<Negotiation>>
    ) {
        self.negotiation = negotiation
        self.proxy = proxy
        self.done = done
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return self.failClosed() }
        context.writeAndFlush(self.wrapOutboundOut(self.negotiation.begin()), promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.failClosed()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isDone else { return context.fireChannelRead(data) }
        var bytes = self.unwrapInboundIn(data)
        self.inbound.writeBuffer(&bytes)
        do throws(TransportError) {
            while true {
                switch try self.negotiation.receive(&self.inbound) {
                case .needsMore: return
                case .send(let bytes):
                    context.writeAndFlush(self.wrapOutboundOut(bytes), promise: nil)
                    // A system that does not take them ends the channel, and with it the negotiation, within the call.
                    if self.isDone { return }
                case .done: return self.finish(context: context)
                case .redial: return self.redial()
                }
            }
        } catch {
            self.fail(error)
        }
    }

    private func finish(context: ChannelHandlerContext) {
        self.isDone = true
        // The future's callback adds the next handler within this call.
        self.done.succeed(.open)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    /// Ends the negotiation on this connection; the future's callback closes it.
    private func redial() {
        guard !self.isDone else { return }
        self.isDone = true
        self.done.succeed(.redial(self.negotiation))
    }

    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        if self.inbound.readableBytes > 0 {
            // The origin may send first, in the same packet as the end of the proxy's response.
            context.fireChannelRead(self.wrapInboundOut(self.inbound))
            context.fireChannelReadComplete()
        }
        self.inbound = ByteBuffer()
        context.leavePipeline(removalToken: removalToken)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if self.negotiation.survivesClose {
            self.redial()
        } else {
            let mapped = TransportError(mapping: error, phase: .connect, isRequestSent: false)
            self.fail(.proxyFailed(self.proxy, "did not open a tunnel: \(mapped.reason)", underlying: error))
        }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.failClosed()
        context.fireChannelInactive()
    }

    private func failClosed() {
        if self.negotiation.survivesClose { return self.redial() }
        self.fail(.proxyFailed(self.proxy, "closed the connection before it had opened a tunnel"))
    }

    func fail(_ error: TransportError) {
        guard !self.isDone else { return }
        self.isDone = true
        self.done.fail(error)
    }
}
