// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import BluebonnetTransport

@Suite struct HTTP1HandlerTests {
    @Test func `a closed connection leaves neither its handler nor its handle behind`() throws {
        let loop = EmbeddedEventLoop()
        let configuration = NIOTransport.Configuration()
        let connector = Connector(configuration: configuration)
        let pool = ConnectionPool(connector: connector, configuration: configuration, eventLoops: EventLoops(loop))
        weak var weakHandler: HTTP1Handler?
        weak var weakConnection: PooledConnection?
        do {
            let channel = EmbeddedChannel(loop: loop)
            let handler = HTTP1Handler(
                pool: pool,
                limits: TransportLimits(),
                stamps: ConnectionStamps(connectStarted: .now)
            )
            try channel.pipeline.syncOperations.addHandler(handler)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            let connection = PooledConnection(
                key: PoolKey(origin: Origin(scheme: .http, host: "127.0.0.1", port: 1)),
                channel: channel,
                driver: NIOLoopBound(handler, eventLoop: loop)
            )
            handler.connection = connection
            weakHandler = handler
            weakConnection = connection
            _ = try channel.finish()
        }
        loop.run()
        #expect(weakHandler == nil)
        #expect(weakConnection == nil)
    }

    @Test(.bug(id: "F53"), arguments: 1...6)
    func `what is read goes, though each read leaves bytes over`(_ left: Int) async throws {
        let harness = try await PipelineHarness()
        let call = await harness.start("/", streamed: true)
        let unit = Array("3e8\r\n\(String(repeating: "a", count: 1000))\r\n".utf8)
        let head = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        // Each piece ends in the line that says how long the next chunk is, or before it.
        var pieces = [head + unit.prefix(left)]
        for _ in 1..<900 { pieces.append(Array(unit.dropFirst(left) + unit.prefix(left))) }
        await harness.feed(pieces)
        #expect(try await harness.inboundCapacity() < 16 * 1024)
        await harness.feed([Array(unit.dropFirst(left)) + Array("0\r\n\r\n".utf8)])
        #expect(await call.outcome.value == .response("200 \(String(repeating: "a", count: 900_000))"))
    }
}
