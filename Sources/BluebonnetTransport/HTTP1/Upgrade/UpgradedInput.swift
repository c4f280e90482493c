// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Keeps what comes behind the head of a 101 response until the new owner of the connection reads.
///
/// More bytes arrive than came with the head, whatever `autoRead` says: a channel reads several times in one event loop
/// tick, and everything there is when the server closes its side. The channel allows half-closure until the owner reads,
/// so that it outlives that end.
final class UpgradedInput: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private var bytes: ByteBuffer
    /// The error behind the bytes, such as an end without a close notice of TLS.
    private var fault: (any Error)?
    /// Whether the server has ended its side behind them.
    private var hasEnded = false
    /// Whether the owner has begun to read.
    private var isOwned = false

    /// - Parameter bytes: What has come with the head.
    init(_ bytes: ByteBuffer) {
        self.bytes = bytes
    }

    func read(context: ChannelHandlerContext) {
        self.handOver(context)
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.lookForOwner(context)
        guard !self.isOwned else { return context.fireChannelRead(data) }
        var more = self.unwrapInboundIn(data)
        self.bytes.writeBuffer(&more)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.lookForOwner(context)
        guard !self.isOwned else { return context.fireErrorCaught(error) }
        self.fault = error
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard !self.isOwned, event as? ChannelEvent == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        self.hasEnded = true
        self.lookForOwner(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.handOver(context)
        context.fireChannelInactive()
    }

    /// An owner that switches `autoRead` on reads from the socket without asking here.
    private func lookForOwner(_ context: ChannelHandlerContext) {
        guard !self.isOwned else { return }
        let isReading = (try? context.channel.syncOptions?.getOption(.autoRead)) ?? false
        if isReading { self.handOver(context) }
    }

    /// Delivers what has been kept, once; from then on everything passes.
    private func handOver(_ context: ChannelHandlerContext) {
        guard !self.isOwned else { return }
        self.isOwned = true
        try? context.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
        if self.bytes.readableBytes > 0 {
            let bytes = self.bytes
            self.bytes = ByteBuffer()
            context.fireChannelRead(self.wrapInboundOut(bytes))
            context.fireChannelReadComplete()
        }
        if let fault { context.fireErrorCaught(fault) }
        // Closes the channel, whose input has ended; closing both sides would wait for a close_notify that cannot arrive.
        if self.hasEnded { context.close(mode: .output, promise: nil) }
    }
}
