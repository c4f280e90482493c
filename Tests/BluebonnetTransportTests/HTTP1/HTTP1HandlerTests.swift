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
                limits: Limits(),
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
}
