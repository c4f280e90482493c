// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A connection that is upgraded to another protocol (RFC 9110 section 7.8).
extension HTTP1Handler {
    /// Keeps the channel open when the server closes its side, possibly before the new owner has read the bytes before.
    ///
    /// It is called before the response, because TLS reads the option before it delivers the bytes that arrived together
    /// with close_notify.
    func allowUpgrade() {
        try? self.context?.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Without an upgrade the connection ends with the server's side.
        if event as? ChannelEvent == .inputClosed { context.close(mode: .output, promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    /// Removes the handlers of HTTP from the channel and hands the channel out.
    func upgrade(_ head: ResponseHead) throws(TransportError) {
        guard let context, let active, active.io.exchange.request.allowsUpgrade else {
            throw .violation("the server switched to a protocol that was not requested")
        }
        // The rest of the request would be read as the other protocol (RFC 9110 section 7.8).
        guard active.isRequestSent else {
            throw .violation("the server switched protocols before it had the whole request")
        }
        let channel = context.channel
        let rest = UpgradedInput(self.inbound)
        // These bytes belong to the other protocol.
        active.io.response.giveBack(self.inbound.readableBytes)
        self.inbound = ByteBuffer()
        do {
            try channel.syncOptions?.setOption(.autoRead, value: false)
            try context.pipeline.syncOperations.addHandler(rest, position: .after(self))
        } catch {
            throw .closed("the connection broke: \(error)", isRequestSent: true)
        }
        active.io.response.metrics.httpVersion = .http11
        active.io.response.noteUpgrade(head)
        _ = self.state.lose()
        self.didEnd(active)
        self.leavePool()
        self.pool.handOut(channel)
        var response = TransportResponse(
            status: head.status,
            headers: head.headers,
            metrics: active.io.response.metrics
        )
        response.upgradedChannel = channel
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
        active.io.exchange.observation?.tellLast(.ended)
        // If the caller is gone, the connection closes with the response.
        active.io.exchange.answer(.success(response))
    }
}
