// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A connection that is upgraded to another protocol (RFC 9110 section 7.8).
extension HTTP1Handler {
    /// Removes the handlers of HTTP from the channel and hands the channel out.
    func upgrade(_ head: ResponseHead) throws(TransportError) {
        guard let context, let active, active.io.exchange.request.allowsUpgrade else {
            throw .violation("the server switched to a protocol that was not requested")
        }
        let channel = context.channel
        let rest = HeldBytes(self.inbound)
        // They belong to the other protocol.
        active.io.response.giveBack(self.inbound.readableBytes)
        self.inbound = ByteBuffer()
        do {
            try channel.syncOptions?.setOption(.autoRead, value: false)
            try context.pipeline.syncOperations.addHandler(rest, position: .after(self))
        } catch {
            throw TransportError(
                .connectionClosed,
                phase: .responseHead,
                reason: "the connection broke: \(error)",
                isRequestSent: true
            )
        }
        active.io.response.metrics.httpVersion = .http11
        active.io.response.noteUpgrade(head)
        _ = self.state.lose()
        self.didEnd(active)
        active.io.pump?.stop()
        self.leavePool()
        var response = TransportResponse(
            status: head.status,
            headers: head.headers,
            metrics: active.io.response.metrics
        )
        response.upgradedChannel = channel
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
        active.io.exchange.observation?.tellLast(.ended)
        if !active.io.exchange.answer(.success(response)) {
            // Nobody waits for it any more.
            channel.close(promise: nil)
        }
    }
}

/// Keeps what came behind the response's head until the new owner of the connection reads.
private final class HeldBytes: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private var bytes: ByteBuffer

    init(_ bytes: ByteBuffer) {
        self.bytes = bytes
    }

    func read(context: ChannelHandlerContext) {
        if self.deliver(context) { context.fireChannelReadComplete() }
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Switching `autoRead` on reads from the socket without asking here.
        _ = self.deliver(context)
        context.fireChannelRead(data)
    }

    private func deliver(_ context: ChannelHandlerContext) -> Bool {
        guard self.bytes.readableBytes > 0 else { return false }
        let bytes = self.bytes
        self.bytes = ByteBuffer()
        context.fireChannelRead(self.wrapInboundOut(bytes))
        return true
    }
}
