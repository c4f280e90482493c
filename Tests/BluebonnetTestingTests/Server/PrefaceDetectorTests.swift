// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import BluebonnetTesting

@Suite struct PrefaceDetectorTests {
    /// Reads more when it has read, as a channel does whose write has failed.
    private final class EagerReader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private(set) var text = ""

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.text += String(buffer: self.unwrapInboundIn(data))
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            guard self.text == "GET " else { return }
            context.pipeline.fireChannelRead(ByteBuffer(string: "late"))
        }
    }

    @Test func `what is read while the first bytes are answered goes to the handlers that are there`() throws {
        let channel = EmbeddedChannel()
        let reader = EagerReader()
        var count = 0
        try channel.pipeline.syncOperations.addHandler(
            PrefaceDetector { _ in
                count += 1
                try channel.pipeline.syncOperations.addHandler(reader)
            }
        )
        try channel.writeInbound(ByteBuffer(string: "GET "))
        #expect(count == 1)
        #expect(reader.text == "GET late")
        try channel.writeInbound(ByteBuffer(string: " end"))
        #expect(reader.text == "GET late end")
    }
}
