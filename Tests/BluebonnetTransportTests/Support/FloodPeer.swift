// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Synchronization

/// A peer that sends the same bytes again and again, as fast as they are taken, and holds next to nothing itself.
final class FloodPeer: Sendable {
    struct Flood: Sendable {
        /// What is sent first, once a request has come.
        var head: [UInt8]
        /// Whether the request is one of HTTP/2: its HEADERS frame may come later than the beginning of the connection.
        var isHTTP2 = false
        /// What is sent again and again, in one write each.
        var pattern: [UInt8]
        /// The bytes after which it stops.
        var limit: Int
        /// What is sent then.
        var end = [UInt8]()
    }

    let port: Int
    /// The bytes that the system has taken, over all connections.
    private let sent: Counter

    private final class Counter: Sendable {
        let count = Atomic(0)
    }

    /// Runs a test with such a peer.
    static func run(_ flood: Flood, _ body: (FloodPeer) async throws -> Void) async throws {
        let sent = Counter()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_sndbuf), value: 64 * 1024)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(flood, sent: sent))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(FloodPeer(port: listener.localAddress?.port ?? 0, sent: sent)))
        } catch {
            result = .failure(error)
        }
        try await listener.close()
        try result.get()
    }

    private init(port: Int, sent: Counter) {
        self.port = port
        self.sent = sent
    }

    /// The bytes that the system has taken, over all connections.
    var sentByteCount: Int { self.sent.count.load(ordering: .relaxed) }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let flood: Flood
        private let pattern: ByteBuffer
        private let sent: Counter
        private var received = ByteBuffer()
        private var hasBegun = false
        private var hasEnded = false
        private var written = 0

        init(_ flood: Flood, sent: Counter) {
            self.flood = flood
            self.pattern = ByteBuffer(bytes: flood.pattern)
            self.sent = sent
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !self.hasBegun else { return }
            self.received.writeImmutableBuffer(self.unwrapInboundIn(data))
            guard !self.flood.isHTTP2 || Self.hasHeaders(self.received) else { return }
            self.hasBegun = true
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: self.flood.head)), promise: nil)
            self.go(context)
        }

        /// Whether there is a HEADERS frame behind the connection preface (RFC 9113 sections 3.4 and 4.1).
        private static func hasHeaders(_ bytes: ByteBuffer) -> Bool {
            var bytes = bytes
            guard bytes.readSlice(length: 24) != nil else { return false }
            while let head = bytes.readBytes(length: 9) {
                if head[3] == 1 { return true }
                let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
                guard bytes.readSlice(length: length) != nil else { return false }
            }
            return false
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            self.go(context)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }

        private func go(_ context: ChannelHandlerContext) {
            while self.hasBegun, self.written < self.flood.limit, context.channel.isWritable, context.channel.isActive {
                self.written += self.pattern.readableBytes
                self.sent.count.add(self.pattern.readableBytes, ordering: .relaxed)
                context.writeAndFlush(self.wrapOutboundOut(self.pattern), promise: nil)
            }
            guard self.hasBegun, !self.hasEnded, self.written >= self.flood.limit else { return }
            self.hasEnded = true
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: self.flood.end)), promise: nil)
        }
    }
}
