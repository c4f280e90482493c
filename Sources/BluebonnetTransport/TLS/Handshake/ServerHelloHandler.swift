// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Reads the first bytes from the server before the TLS handler, then leaves the pipeline.
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
        // Removed last: a removed handler cannot pass anything on.
        if isDone { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
    }
}
