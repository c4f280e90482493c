// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Detects whether a connection begins with the HTTP/2 preface (RFC 9113 section 3.4).
final class PrefaceDetector: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private var bytes = ByteBuffer()
    private var isDecided = false
    private let configure: (_ isHTTP2: Bool) throws -> Void

    /// - Parameter configure: Adds the handlers of the detected version.
    init(configure: @escaping (_ isHTTP2: Bool) throws -> Void) {
        self.configure = configure
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // A failed write reads what is left, while the new handlers process the first bytes and this one is not removed
        // yet.
        if self.isDecided { return context.fireChannelRead(data) }
        self.bytes.writeImmutableBuffer(self.unwrapInboundIn(data))
        let view = self.bytes.readableBytesView.prefix(Self.preface.count)
        let isHTTP2 = view.elementsEqual(Self.preface.prefix(view.count))
        if isHTTP2, view.count < Self.preface.count { return }
        self.isDecided = true
        do { try self.configure(isHTTP2) } catch { return context.fireErrorCaught(error) }
        context.fireChannelRead(self.wrapInboundOut(self.bytes))
        context.fireChannelReadComplete()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
