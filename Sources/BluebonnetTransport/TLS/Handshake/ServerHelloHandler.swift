// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Looks at the first bytes that a server sends, on their way to the TLS handler, and leaves the pipeline.
final class ServerHelloHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private(set) var cipherSuite: CipherSuite?
    private var reader: ServerHelloReader? = ServerHelloReader()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var isDone = false
        if let progress = self.reader?.read(self.unwrapInboundIn(data).readableBytesView), progress != .needsMore {
            if case .found(let suite) = progress { self.cipherSuite = suite }
            self.reader = nil
            isDone = true
        }
        context.fireChannelRead(data)
        // Only now: what has left the pipeline can pass nothing on.
        if isDone { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
    }
}
