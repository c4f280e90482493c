// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Asks a connection to close at once.
struct ShutdownEvent: Sendable {}

/// The end of the pipeline next to the socket: ends the connection behind the back of TLS.
final class WireHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    /// Closes the socket; a TLS peer gets no notice that the stream is complete.
    func drop() {
        self.context?.close(mode: .all, promise: nil)
    }

    /// Closes the socket so that the peer's next read fails with a reset.
    func reset() {
        guard let context else { return }
        // With a linger time of zero the system answers with RST and throws unsent bytes away.
        guard let provider = context.channel as? any SocketOptionProvider else { return self.drop() }
        provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete { _ in self.drop() }
    }
}
