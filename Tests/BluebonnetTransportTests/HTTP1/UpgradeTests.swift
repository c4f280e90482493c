// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite(.timeLimit(.minutes(1))) struct UpgradeTests {
    /// Collects what arrives until there is enough of it.
    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private var bytes = ByteBuffer()
        private let count: Int
        private let done: EventLoopPromise<String>

        init(count: Int, done: EventLoopPromise<String>) {
            self.count = count
            self.done = done
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var more = self.unwrapInboundIn(data)
            self.bytes.writeBuffer(&more)
            if self.bytes.readableBytes >= self.count { self.done.succeed(String(buffer: self.bytes)) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.done.fail(ChannelError.ioOnClosedChannel)
        }
    }

    static let switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n"

    static func request(_ port: Int, allowsUpgrade: Bool) -> TransportRequest {
        var request = TransportRequest(origin: Origin(scheme: .http, host: "127.0.0.1", port: port), target: "/")
        request.headers = [.connection: "upgrade", .upgrade: "echo"]
        request.allowsUpgrade = allowsUpgrade
        return request
    }

    @Test func `hands the connection out, with what came behind the head`() async throws {
        let steps: [ScriptedPeer.Step] = [.readHead, .send(Self.switching + "hello"), .read(4), .send(" and bye")]
        try await ScriptedPeer.run(steps) { peer in
            let transport = NIOTransport(configuration: .direct)
            let response = try await transport.exchange(Self.request(peer.port, allowsUpgrade: true))
            #expect(response.status.code == 101)
            #expect(response.headers[.upgrade] == "echo")
            let channel = try #require(response.upgradedChannel)
            #expect(transport.statistics.open == 0, "the pool has nothing to do with it any more")
            // The engine may go; the connection is ours.
            await transport.shutdown()
            let text = try await channel.eventLoop.flatSubmit {
                let done = channel.eventLoop.makePromise(of: String.self)
                do {
                    try channel.pipeline.syncOperations.addHandler(Collector(count: 13, done: done))
                    try channel.syncOptions?.setOption(.autoRead, value: true)
                    channel.read()
                    channel.writeAndFlush(ByteBuffer(string: "ping"), promise: nil)
                } catch {
                    done.fail(error)
                }
                return done.futureResult
            }.get()
            #expect(text == "hello and bye")
            try await channel.close()
        }
    }

    /// How the server goes on behind what it sends at once.
    enum Ending: CaseIterable, Sendable {
        case open, closed
        /// Without a close notice of TLS.
        case cut

        var steps: [ScriptedPeer.Step] {
            switch self {
            case .open: []
            case .closed: [.closeOutput]
            case .cut: [.drop]
            }
        }
    }

    @Test(.bug(id: "F345"), arguments: Ending.allCases, [false, true])
    func `what comes before its owner reads is delivered`(_ ending: Ending, tls: Bool) async throws {
        let authority = try CertificateAuthority.shared()
        let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let steps: [ScriptedPeer.Step] = [.readHead, .send(Array(Self.switching.utf8) + bytes)] + ending.steps
        let context = tls ? try ScriptedPeer.context(authority: authority) : nil
        try await ScriptedPeer.run(steps, tls: context) { peer in
            var configuration = NIOTransport.Configuration.direct
            configuration.tls.additionalRoots = [.pem(authority.pem)]
            let transport = NIOTransport(configuration: configuration)
            var request = Self.request(peer.port, allowsUpgrade: true)
            if tls { request.origin = Origin(scheme: .https, host: "127.0.0.1", port: peer.port) }
            let channel = try #require(try await transport.exchange(request).upgradedChannel)
            if ending != .open { try await channel.waitForEnd() }
            // One more turn of the loop, in which the channel sees that end, if nothing has told it before.
            try await channel.eventLoop.scheduleTask(in: .zero) {}.futureResult.get()
            let owner = try await channel.eventLoop.submit {
                let owner = Owner(count: ending == .open ? bytes.count : nil, promise: channel.eventLoop.makePromise())
                try channel.pipeline.syncOperations.addHandler(owner)
                try channel.syncOptions?.setOption(.autoRead, value: true)
                channel.read()
                return owner.end
            }.get()
            let (received, hasFault) = try await owner.get()
            let isSame = received == bytes
            #expect(isSame, "\(received.count)")
            #expect(hasFault == (tls && ending == .cut))
            if ending == .open { try await channel.close() } else { try await channel.closeFuture.get() }
            await transport.shutdown()
        }
    }

    /// Collects bytes until there are as many as it is told, or the channel has closed.
    private final class Owner: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let count: Int?
        private let promise: EventLoopPromise<([UInt8], hasFault: Bool)>
        private var bytes = [UInt8]()
        private var hasFault = false

        var end: EventLoopFuture<([UInt8], hasFault: Bool)> { self.promise.futureResult }

        init(count: Int?, promise: EventLoopPromise<([UInt8], hasFault: Bool)>) {
            self.count = count
            self.promise = promise
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.bytes += self.unwrapInboundIn(data).readableBytesView
            if self.bytes.count == self.count { self.promise.succeed((self.bytes, self.hasFault)) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { self.hasFault = true }

        func channelInactive(context: ChannelHandlerContext) { self.promise.succeed((self.bytes, self.hasFault)) }
    }

    @Test(.bug(id: "F377"), arguments: [Ending.open, .closed], [false, true])
    func `a response that is dropped closes its connection`(_ ending: Ending, tls: Bool) async throws {
        let authority = try CertificateAuthority.shared()
        let steps: [ScriptedPeer.Step] = [.readHead, .send(Self.switching + "hello")] + ending.steps
        let context = tls ? try ScriptedPeer.context(authority: authority) : nil
        try await ScriptedPeer.run(steps, tls: context) { peer in
            var configuration = NIOTransport.Configuration.direct
            configuration.tls.additionalRoots = [.pem(authority.pem)]
            let transport = NIOTransport(configuration: configuration)
            var request = Self.request(peer.port, allowsUpgrade: true)
            if tls { request.origin = Origin(scheme: .https, host: "127.0.0.1", port: peer.port) }
            var response: TransportResponse? = try await transport.exchange(request)
            #expect(response?.status.code == 101)
            #expect(peer.openCount == 1)
            response = nil
            try await peer.waitUntilClosed()
            await transport.shutdown()
        }
    }

    @Test(.bug(id: "F378"), arguments: [true, false])
    func `a switch before the end of the request's body is an error`(_ isHeldBack: Bool) async throws {
        try await ScriptedPeer.run([.readHead, .send(Self.switching)]) { peer in
            let transport = NIOTransport(configuration: .direct)
            var request = Self.request(peer.port, allowsUpgrade: true)
            (request.method, request.body) = (.post, .endless)
            if isHeldBack { request.continueTimeout = .seconds(60) }
            let outgoing = request
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(outgoing) }
            #expect(error?.code == .protocolViolation && error?.isRequestSent == true)
            try await peer.waitUntilClosed()
            await transport.shutdown()
        }
    }

    @Test(.bug(id: "F378")) func `a switch behind the request's body is none`() async throws {
        try await ScriptedPeer.run([.readHead, .read(100_000), .send(Self.switching)]) { peer in
            let transport = NIOTransport(configuration: .direct)
            var request = Self.request(peer.port, allowsUpgrade: true)
            (request.method, request.body) = (.post, NIOTransportTests.reader(100_000))
            let response = try await transport.exchange(request)
            #expect(response.status.code == 101)
            await transport.shutdown()
        }
    }

    @Test(.bug(id: "F218")) func `observers and metrics know of the head, and of the end`() async throws {
        try await ScriptedPeer.run([.readHead, .send(Self.switching + "hello")]) { peer in
            let observer = RecordingObserver()
            var configuration = NIOTransport.Configuration.direct
            configuration.observer = observer
            let transport = NIOTransport(configuration: configuration)
            let response = try await transport.exchange(Self.request(peer.port, allowsUpgrade: true))
            let metrics = response.metrics
            #expect(metrics.httpVersion == .http11 && metrics.responseHeadEnded != nil)
            #expect(metrics.responseHeadByteCount == Int64(Self.switching.utf8.count))
            #expect(metrics.responseByteCount == metrics.responseHeadByteCount)
            await observer.wait(for: "ended")
            let names = observer.events.map(\.name)
            #expect(names.contains("responseHeadEnded") && names.last == "ended")
            try await response.upgradedChannel?.close()
            await transport.shutdown()
        }
    }

    @Test func `a switch that nobody asked for is an error`() async throws {
        try await ScriptedPeer.run([.readHead, .send(Self.switching)]) { peer in
            let transport = NIOTransport(configuration: .direct)
            let error = await #expect(throws: TransportError.self) {
                try await transport.exchange(Self.request(peer.port, allowsUpgrade: false))
            }
            #expect(error?.code == .protocolViolation)
            await transport.shutdown()
        }
    }

    @Test func `a peer that does not switch responses as always`() async throws {
        let steps: [ScriptedPeer.Step] = [
            .readHead, .send("HTTP/1.1 426 Upgrade Required\r\nContent-Length: 2\r\n\r\nno"),
        ]
        try await ScriptedPeer.run(steps) { peer in
            let transport = NIOTransport(configuration: .direct)
            let response = try await transport.exchange(Self.request(peer.port, allowsUpgrade: true))
            #expect(response.status.code == 426)
            #expect(response.upgradedChannel == nil)
            #expect(transport.statistics.idle == 1)
            await transport.shutdown()
        }
    }
}

extension NIOTransport.Configuration {
    /// Straight to the origin, whatever the environment says.
    fileprivate static var direct: NIOTransport.Configuration {
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        return configuration
    }
}

extension Channel {
    /// Waits until the system knows that the peer has ended its side.
    fileprivate func waitForEnd() async throws {
        let options = try #require(self as? any SocketOptionProvider)
        // CLOSE_WAIT of tcp_states.h.
        while try await options.getTCPInfo().get().tcpi_state != 8 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
