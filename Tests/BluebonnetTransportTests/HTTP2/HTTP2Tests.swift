// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import NIOHTTP2
import Synchronization
import Testing

@Suite struct HTTP2Tests {
    static func text(_ response: TransportResponse) async throws -> String {
        String(buffer: try await response.body.collect(upTo: 1 << 20))
    }

    @Test(arguments: [true, false])
    func `carries many exchanges at a time on one connection`(tls: Bool) async throws {
        try await HTTP2Server.run(tls: tls) {
            (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        var request = TransportRequest(origin: origin, target: "/bytes/\(number)")
                        // Which means nothing here.
                        request.usesPipelining = number % 2 == 0
                        return try await transport.exchange(request).body.collect(upTo: 1000).readableBytes
                    }
                }
                var total = 0
                for try await count in group { total += count }
                #expect(total == 300 * 299 / 2)
            }
            #expect(transport.statistics.opened == 1)
            #expect(transport.statistics.started == 300)
            #expect(server.seen.withLock { $0.count } == 300)
        }
    }

    @Test func `sends the head as HTTP2 wants it`() async throws {
        try await HTTP2Server.run { (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            var headers = HTTPFields()
            headers[.accept] = "*/*"
            headers[.connection] = "keep-alive"
            headers[.authorization] = "Bearer secret"
            let request = TransportRequest(method: .post, origin: origin, target: "/echo?q=1", headers: headers)
            let response = try await transport.exchange(request)
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "text/plain")
            #expect(response.metrics.remoteAddress?.hasSuffix(":\(server.port)") ?? false)
            let seen = try #require(server.seen.withLock { $0.first })
            #expect(
                seen.fields == [
                    ":method: POST", ":scheme: https", ":authority: localhost:\(server.port)", ":path: /echo?q=1",
                    "accept: */*", "authorization: Bearer secret", "content-length: 0",
                ]
            )
        }
    }

    @Test(arguments: [0, 1, 16_384, 65_535, 65_536, 3_000_000])
    func `uploads and downloads bodies of any size, within the windows`(size: Int) async throws {
        try await HTTP2Server.run { (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            let block = (0..<4_099).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let bytes = ByteBuffer(repeating: block, upTo: size)
            let checksum = bytes.checksum()
            for body in [
                TransportBody.bytes(bytes), .pieces(of: bytes, length: Int64(size)), .pieces(of: bytes, length: nil),
            ] {
                let request = TransportRequest(method: .post, origin: origin, target: "/echo", body: body)
                #expect(try await Self.text(transport.exchange(request)) == "\(size) \(checksum)")
            }
            var request = TransportRequest(origin: origin, target: "/bytes/\(size)")
            request.responseMode = .streamed
            var received = 0
            for try await buffer in try await transport.exchange(request).body { received += buffer.readableBytes }
            #expect(received == size)
        }
    }

    /// Every stream sends and receives at the same time, and each window is much smaller than what goes through it.
    @Test func `many bodies that come back while they go out are each their own`() async throws {
        let settings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: 16),
            HTTP2Setting(parameter: .initialWindowSize, value: 3_001),
        ]
        var engine = NIOTransport.Configuration()
        engine.http2.windowSize = 1
        try await HTTP2Server.run(settings: settings, engine: engine) {
            (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<24 {
                    group.addTask {
                        var random = SplitMix(state: UInt64(number))
                        let block = (0..<997).map { _ in UInt8(random.below(256)) }
                        let sent = ByteBuffer(repeating: block, upTo: 80_000 + number * 1_000)
                        var request = TransportRequest(method: .post, origin: origin, target: "/mirror")
                        request.body = .pieces(of: sent, length: number % 2 == 0 ? Int64(sent.readableBytes) : nil)
                        request.responseMode = .streamed
                        var received = ByteBuffer()
                        for try await piece in try await transport.exchange(request).body {
                            received.writeImmutableBuffer(piece)
                            // Others get their turn: consumers are not all equally fast.
                            for _ in 0..<number { await Task.yield() }
                        }
                        return received == sent
                    }
                }
                for try await isSame in group { #expect(isSame) }
            }
            #expect(transport.statistics.opened <= 2)
            #expect(transport.statistics.inFlight == 0)
        }
    }

    @Test func `a consumer that does not read stalls its own response only`() async throws {
        try await HTTP2Server.run { (_: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            var slow = TransportRequest(origin: origin, target: "/bytes/20000000")
            slow.responseMode = .streamed
            let stalled = try await transport.exchange(slow)
            for _ in 0..<5 {
                let quick = TransportRequest(origin: origin, target: "/bytes/3000000")
                #expect(try await transport.exchange(quick).body.collect(upTo: 4_000_000).readableBytes == 3_000_000)
            }
            var received = 0
            for try await buffer in stalled.body { received += buffer.readableBytes }
            #expect(received == 20_000_000)
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test func `lets requests wait where the peer allows fewer streams`() async throws {
        let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: 1)]
        try await HTTP2Server.run(settings: settings) {
            (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        let response = try await transport.exchange(
                            TransportRequest(origin: origin, target: "/bytes/10")
                        )
                        #expect(response.status == .ok)
                    }
                }
                try await group.waitForAll()
            }
            #expect(transport.statistics.opened <= 2)
            #expect(server.seen.withLock { $0.count } == 50)
        }
    }

    @Test func `delivers informational responses and trailers`() async throws {
        try await HTTP2Server.run { (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            let hints = Mutex([Int]())
            var request = TransportRequest(origin: origin, target: "/hints")
            request.onInformational = { status, _ in hints.withLock { $0.append(status.code) } }
            #expect(try await transport.exchange(request).status == .ok)
            #expect(hints.withLock { $0 } == [103])

            var second = TransportRequest(
                method: .post,
                origin: origin,
                target: "/trailers",
                body: .bytes(ByteBuffer(string: "x"))
            )
            second.trailers = { [HTTPField.Name("x-sum")!: "7"] }
            let response = try await transport.exchange(second)
            #expect(response.body.trailers?[HTTPField.Name("checksum")!] == "abc")
            #expect(server.seen.withLock { $0.last }?.trailers == ["x-sum: 7"])
        }
    }

    @Test func `waits for permission to send a body, and takes a verdict instead`() async throws {
        try await HTTP2Server.run { (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            var request = TransportRequest(
                method: .post,
                origin: origin,
                target: "/echo",
                body: .pieces(of: ByteBuffer(string: "hello"), length: 5)
            )
            request.continueTimeout = .seconds(30)
            #expect(try await Self.text(transport.exchange(request)).hasPrefix("5 "))

            request.target = "/early"
            request.body = .endless
            #expect(try await transport.exchange(request).status.code == 413)
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test func `cancelling ends one stream and leaves the others`() async throws {
        try await HTTP2Server.run { (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            let hanging = Task { try await transport.exchange(TransportRequest(origin: origin, target: "/hang")) }
            while server.seen.withLock({ $0.isEmpty }) { await Task.yield() }
            hanging.cancel()
            await #expect(throws: CancellationError.self) { try await hanging.value }
            #expect(try await transport.exchange(TransportRequest(origin: origin, target: "/bytes/1")).status == .ok)
            #expect(transport.statistics.opened == 1)
            #expect(transport.statistics.inFlight == 0)
        }
    }

    @Test func `a stream that was refused is tried once more, one that broke is an error`() async throws {
        try await HTTP2Server.run { (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            // The server's settings are known then.
            #expect(try await transport.exchange(TransportRequest(origin: origin, target: "/bytes/1")).status == .ok)
            let refused = TransportRequest(method: .post, origin: origin, target: "/reset/refused")
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(refused) }
            #expect(error?.isRequestSent == false)
            #expect(server.seen.withLock { $0.count } == 3)
            let broken = TransportRequest(method: .post, origin: origin, target: "/reset/internal")
            let second = await #expect(throws: TransportError.self) { try await transport.exchange(broken) }
            #expect(second?.code == .connectionClosed)
            #expect(second?.isRequestSent == true)
            #expect(server.seen.withLock { $0.count } == 4)
        }
    }

    @Test func `goes on elsewhere when the peer sends GOAWAY`() async throws {
        try await HTTP2Server.run { (_: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            for _ in 0..<3 {
                #expect(try await transport.exchange(TransportRequest(origin: origin, target: "/goaway")).status == .ok)
            }
            #expect(try await transport.exchange(TransportRequest(origin: origin, target: "/bytes/9")).status == .ok)
            #expect(transport.statistics.opened >= 2)
        }
    }

    @Test func `keeps the time limits of each stream`() async throws {
        try await HTTP2Server.run { (_: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            var request = TransportRequest(origin: origin, target: "/hang")
            // Long enough for the handshake on a busy machine, which the limit applies to as well.
            request.timeouts.idle = .milliseconds(500)
            let idle = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
            #expect(idle?.code == .timedOut)
            #expect(idle?.phase == .responseHead)
            request.timeouts.idle = nil
            request.timeouts.total = .milliseconds(50)
            let total = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
            #expect(total?.phase == .total)
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test func `falls back to HTTP1 where the peer does not choose HTTP2`() async throws {
        try await Engine.run(tls: TestServer.TLS()) { engine in
            let response = try await engine.transport.exchange(engine.request(.get, "/status/204"))
            #expect(response.status.code == 204)
        }
        var configuration = NIOTransport.Configuration()
        configuration.httpVersions = .http2
        try await Engine.run(tls: TestServer.TLS(), engine: configuration) { engine in
            let error = await #expect(throws: TransportError.self) {
                try await engine.transport.exchange(engine.request(.get, "/status/204"))
            }
            #expect(error?.code == .tlsFailed)
        }
    }
}
