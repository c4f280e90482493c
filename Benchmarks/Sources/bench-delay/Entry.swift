// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A server on loopback that responds to every request after one second.
///
/// It only detects the empty line at the end of a head. It prints its port, and ends at the end of its standard input.
@main
struct Entry {
    static func main() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 16_384)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1024))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DelayedResponse())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        print(listener.localAddress?.port ?? 0)
        fflush(nil)
        while getchar() != EOF {}
    }
}

private final class DelayedResponse: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let response = ByteBuffer(
        string: "HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n" + String(repeating: "b", count: 200)
    )
    private var matched = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for byte in self.unwrapInboundIn(data).readableBytesView {
            let isExpected = byte == (self.matched % 2 == 0 ? 0x0D : 0x0A)
            self.matched = isExpected ? self.matched + 1 : byte == 0x0D ? 1 : 0
            guard self.matched == 4 else { continue }
            self.matched = 0
            let bound = NIOLoopBound((context, self), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: .seconds(1)) {
                let (context, handler) = bound.value
                context.writeAndFlush(handler.wrapOutboundOut(Self.response), promise: nil)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
