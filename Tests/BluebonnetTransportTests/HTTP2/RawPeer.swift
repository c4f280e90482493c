// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An HTTP/2 peer that sends what a test tells it to, byte for byte: it shares no code with the engine.
final class RawPeer: Sendable {
    /// What it does, in order.
    enum Step: Sendable {
        case send([UInt8])
        /// Sends the same bytes again and again.
        case repeating([UInt8], every: TimeAmount)
        /// Sends one piece whenever a test says so.
        case onTick(Ticker, [[UInt8]])
        case stopReading
        /// Goes on when the bodies on the connection have so many bytes.
        case afterBody(Int)
        /// Closes its own side: over TLS with a close notice first.
        case halfClose
        case close
        /// Closes without a close notice of TLS.
        case drop
        case reset
    }

    /// A request whose head has arrived; numbers count from 0, over all connections.
    struct Request: Sendable {
        var number: Int
        var connection: Int
        var stream: UInt32
    }

    /// A frame as it arrived.
    struct Frame: Sendable {
        var kind: UInt8
        var flags: UInt8
        var stream: UInt32
        var payload: [UInt8]

        /// The error code of RST_STREAM and GOAWAY.
        var code: UInt32 { self.payload.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    }

    struct State: Sendable {
        var connections = 0
        var open = 0
        var requests = 0
        var frames = [Frame]()
        /// What came on each connection that spoke HTTP/1.1.
        var http1 = [Int: String]()
    }

    struct Behaviour: Sendable {
        /// What is sent as soon as somebody connects.
        var greeting: [Step] = [.send(Wire.settings())]
        var answersPings = true
        /// The bytes that the system may keep for us before we read them.
        var receiveBufferSize: Int?
        /// What is done after each head of a request over HTTP/1.1; unless given, nobody may speak that.
        var http1: [Step]?
        var script: @Sendable (Request) -> [Step]
    }

    let state = Mutex(State())
    private let listener: any Channel

    /// Runs a test against a peer, with an engine that takes it to speak HTTP/2; under TLS the two agree on a version.
    static func run(
        _ behaviour: Behaviour,
        engine: NIOTransport.Configuration = NIOTransport.Configuration(),
        tls: Bool = false,
        _ body: (RawPeer, NIOTransport, Origin) async throws -> Void
    ) async throws {
        let box = Box()
        let context = tls ? try ScriptedPeer.context(authority: .shared(), protocols: ["h2", "http/1.1"]) : nil
        var bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        if let size = behaviour.receiveBufferSize {
            bootstrap = bootstrap.serverChannelOption(.socketOption(.so_rcvbuf), value: size)
        }
        let listener =
            try await bootstrap
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.addHandler(RawPeerHandler(box: box, behaviour: behaviour))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let peer = RawPeer(listener: listener)
        box.peer.withLock { $0 = peer }
        var configuration = engine
        configuration.proxy = .direct
        if tls {
            configuration.tls.additionalRoots.append(.pem(try CertificateAuthority.shared().pem))
        } else {
            configuration.httpVersions = .http2
        }
        let transport = NIOTransport(configuration: configuration)
        let port = listener.localAddress?.port ?? 0
        let origin = Origin(scheme: tls ? .https : .http, host: tls ? "localhost" : "127.0.0.1", port: port)
        let result: Result<Void, any Error>
        do { result = .success(try await body(peer, transport, origin)) } catch { result = .failure(error) }
        await transport.shutdown()
        try? await listener.close()
        try result.get()
    }

    private init(listener: any Channel) {
        self.listener = listener
    }

    /// Waits until something has arrived; the time limit of the suite is the limit.
    func until(_ condition: (State) -> Bool) async throws {
        while !self.state.withLock({ condition($0) }) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    final class Box: Sendable {
        let peer = Mutex<RawPeer?>(nil)
    }
}

private final class RawPeerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let box: RawPeer.Box
    private let behaviour: RawPeer.Behaviour
    private var bytes = ByteBuffer()
    private var hasPreface = false
    private var number = 0
    private var repetition: RepeatedTask?
    private var bodyByteCount = 0
    /// What is done when there are enough of them.
    private var waiting = [RawPeer.Step]()

    init(box: RawPeer.Box, behaviour: RawPeer.Behaviour) {
        self.box = box
        self.behaviour = behaviour
    }

    private func update<Value>(_ change: (inout sending RawPeer.State) -> sending Value) -> Value? {
        self.box.peer.withLock { $0 }?.state.withLock(change)
    }

    func channelActive(context: ChannelHandlerContext) {
        self.number =
            self.update { state in
                state.connections += 1
                state.open += 1
                return state.connections
            } ?? 0
        // Where there is a choice, who speaks first says which version it is.
        if self.behaviour.http1 == nil { self.perform(self.behaviour.greeting, context: context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.repetition?.cancel()
        _ = self.update { $0.open -= 1 }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.bytes.writeImmutableBuffer(self.unwrapInboundIn(data))
        if !self.hasPreface {
            guard self.bytes.readableBytes >= 24 else { return }
            if let steps = self.behaviour.http1 {
                guard self.bytes.readableBytesView.starts(with: "PRI * HTTP/2.0".utf8) else {
                    return self.receiveHTTP1(steps, context: context)
                }
                self.perform(self.behaviour.greeting, context: context)
            }
            self.bytes.moveReaderIndex(forwardBy: 24)
            self.hasPreface = true
        }
        while let frame = self.takeFrame() { self.receive(frame, context: context) }
    }

    /// Responses to each request that is whole, or whose body waits to be asked for.
    private func receiveHTTP1(_ steps: [RawPeer.Step], context: ChannelHandlerContext) {
        let number = self.number
        while let end = self.bytes.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound {
            let head = String(decoding: self.bytes.readableBytesView[..<end], as: UTF8.self).lowercased()
            let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }
            let count = head.contains("100-continue") ? 0 : length.flatMap { Int($0.dropFirst(16)) } ?? 0
            guard let text = self.bytes.readString(length: end - self.bytes.readerIndex + count) else { return }
            _ = self.update { $0.http1[number, default: ""] += text }
            self.perform(steps, context: context)
        }
    }

    private func takeFrame() -> RawPeer.Frame? {
        let start = self.bytes.readerIndex
        guard let word = self.bytes.getInteger(at: start, as: UInt32.self),
            let flags = self.bytes.getInteger(at: start + 4, as: UInt8.self),
            let stream = self.bytes.getInteger(at: start + 5, as: UInt32.self),
            let payload = self.bytes.getBytes(at: start + 9, length: Int(word >> 8))
        else { return nil }
        self.bytes.moveReaderIndex(forwardBy: 9 + payload.count)
        return RawPeer.Frame(kind: UInt8(word & 0xFF), flags: flags, stream: stream, payload: payload)
    }

    private func receive(_ frame: RawPeer.Frame, context: ChannelHandlerContext) {
        let number = self.update { state in
            state.frames.append(frame)
            if frame.kind == 1 { state.requests += 1 }
            return state.requests - 1
        }
        switch frame.kind {
        case 0:
            self.bodyByteCount += frame.payload.count
            let steps = self.waiting
            self.waiting = []
            self.perform(steps, context: context)
        case 1:
            let request = RawPeer.Request(number: number ?? 0, connection: self.number, stream: frame.stream)
            self.perform(self.behaviour.script(request), context: context)
        // Without a greeting, the peer's own SETTINGS, which have to be first, come later.
        case 4 where frame.flags & 1 == 0 && !self.behaviour.greeting.isEmpty:
            self.perform([.send(Wire.frame(4, flags: 1))], context: context)
        case 6 where frame.flags & 1 == 0 && self.behaviour.answersPings:
            self.perform([.send(Wire.frame(6, flags: 1, frame.payload))], context: context)
        default: break
        }
    }

    private func perform(_ steps: [RawPeer.Step], context: ChannelHandlerContext) {
        let channel = context.channel
        for (index, step) in steps.enumerated() {
            switch step {
            case .afterBody(let count):
                guard self.bodyByteCount < count else { continue }
                self.waiting = Array(steps[index...])
                return
            case .send(let bytes):
                context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            case .repeating(let bytes, let interval):
                self.repetition = context.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: interval) { _ in
                    channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
                }
            case .stopReading: _ = channel.setOption(.autoRead, value: false)
            case .halfClose: context.close(mode: .output, promise: nil)
            case .onTick(let ticker, let pieces): ticker.attach(channel, pieces)
            case .close: context.close(promise: nil)
            case .drop: channel.closeBelowTLS()
            case .reset:
                // A connection that lingers for no time is reset instead of closed.
                _ = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                channel.closeBelowTLS()
            }
        }
    }
}

/// Frames as bytes, and header blocks in the simplest form there is: literals without a table (RFC 7541 section 6.2.2).
enum Wire {
    static func frame(_ kind: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        Array(Self.integer(UInt32(payload.count)).dropFirst()) + [kind, flags] + Self.integer(stream) + payload
    }

    static func integer(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }

    static func settings(_ settings: [(UInt16, UInt32)] = []) -> [UInt8] {
        Self.frame(4, settings.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + Self.integer($0.1) })
    }

    static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0] + Self.string($0.0) + Self.string($0.1) }
    }

    static func string(_ text: String) -> [UInt8] {
        var rest = text.utf8.count
        guard rest >= 127 else { return [UInt8(rest)] + Array(text.utf8) }
        var bytes: [UInt8] = [127]
        rest -= 127
        while rest >= 128 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return bytes + [UInt8(rest)] + Array(text.utf8)
    }

    static func headers(_ stream: UInt32, _ fields: [(String, String)], isEnd: Bool = false) -> [UInt8] {
        Self.frame(1, flags: 4 | (isEnd ? 1 : 0), stream: stream, Self.block(fields))
    }

    static func data(_ stream: UInt32, _ bytes: [UInt8], isEnd: Bool = false) -> [UInt8] {
        Self.frame(0, flags: isEnd ? 1 : 0, stream: stream, bytes)
    }

    static func head(_ stream: UInt32, _ fields: [(String, String)] = [], isEnd: Bool = false) -> [UInt8] {
        Self.headers(stream, [(":status", "200")] + fields, isEnd: isEnd)
    }

    /// A response that nobody can object to.
    static func response(_ stream: UInt32) -> [UInt8] {
        Self.head(stream, [("content-length", "2")]) + Self.data(stream, [0x6F, 0x6B], isEnd: true)
    }

    static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> [UInt8] {
        Self.frame(8, stream: stream, Self.integer(increment))
    }

    static func reset(_ stream: UInt32, _ code: UInt32) -> [UInt8] { Self.frame(3, stream: stream, Self.integer(code)) }

    static func goAway(_ last: UInt32, _ code: UInt32 = 0) -> [UInt8] {
        Self.frame(7, Self.integer(last) + Self.integer(code))
    }
}
