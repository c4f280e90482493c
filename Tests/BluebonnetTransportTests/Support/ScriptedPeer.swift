// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
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

/// A peer that does exactly what it is told, on a loopback port of the system's choice, and keeps every byte that it is sent.
final class ScriptedPeer: Sendable {
    enum Step: Sendable {
        /// Reads up to and including an empty line.
        case readHead
        /// Reads so many bytes.
        case read(Int)
        case send([UInt8])
        /// Sends one byte after the other, each in a packet of its own as far as the system plays along.
        case drip([UInt8])
        /// Passes everything on to a port on loopback, in both directions.
        case relay(port: Int)
        /// Sends one piece whenever a test says so.
        case onTick(Ticker, [[UInt8]])
        case close
        /// Closes its own side: over TLS with a close notice first.
        case closeOutput
        /// Closes without a close notice of TLS.
        case drop
        case reset

        static func send(_ text: String) -> Step { .send(Array(text.utf8)) }
    }

    let port: Int
    private let listener: any Channel
    private let record: Recorder

    /// A context for a peer that speaks TLS, with a certificate that the authority has signed.
    static func context(
        _ kind: CertificateKind = .valid,
        authority: CertificateAuthority,
        protocols: [String] = []
    ) throws -> NIOSSLContext {
        let identity = try authority.makeIdentity(kind)
        let chain = try NIOSSLCertificate.fromPEMBytes(identity.certificatePEM)
        let key = try NIOSSLPrivateKey(bytes: identity.privateKeyPEM, format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }

    /// Runs a peer for as long as a piece of code takes; after the last step it is silent.
    ///
    /// - Parameters:
    ///   - steps: What it does on each connection.
    ///   - tls: How it speaks TLS; not at all unless given.
    ///   - unixSocketPath: Where it listens instead of on a port.
    ///   - body: What to do with it.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    static func run<Result>(
        _ steps: [Step],
        tls: NIOSSLContext? = nil,
        unixSocketPath: String? = nil,
        _ body: (ScriptedPeer) async throws -> Result
    ) async throws -> Result {
        try await Self.run(connections: [steps], tls: tls, unixSocketPath: unixSocketPath, body)
    }

    /// Runs a peer with a script for each connection; the last one is for all that come after it, too.
    static func run<Result>(
        connections: [[Step]],
        tls: NIOSSLContext? = nil,
        unixSocketPath: String? = nil,
        _ body: (ScriptedPeer) async throws -> Result
    ) async throws -> Result {
        let peer = try await ScriptedPeer(connections, tls: tls, unixSocketPath: unixSocketPath)
        do {
            let result = try await body(peer)
            try await peer.listener.close()
            return result
        } catch {
            try await peer.listener.close()
            throw error
        }
    }

    private init(_ scripts: [[Step]], tls: NIOSSLContext?, unixSocketPath: String?) async throws {
        let record = Recorder()
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    let connection = record.begin(channel.remoteAddress)
                    let steps = scripts[min(connection, scripts.count - 1)]
                    try channel.pipeline.syncOperations.addHandler(
                        ScriptHandler(steps, record: record, connection: connection)
                    )
                }
            }
        if let unixSocketPath {
            self.listener = try await bootstrap.bind(unixDomainSocketPath: unixSocketPath).get()
        } else {
            self.listener = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        }
        self.port = self.listener.localAddress?.port ?? 0
        self.record = record
    }

    /// The bytes that each connection has brought so far, after decryption.
    var received: [[UInt8]] { self.record.all }

    /// The number of connections that are open.
    var openCount: Int { self.record.openCount }

    /// Waits until so many connections came, and all are gone; the time limit of the suite is the limit.
    func waitUntilClosed(_ count: Int = 1) async throws {
        while self.openCount > 0 || self.received.count < count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Where each connection came from, without the port.
    var callers: [String?] { self.record.callers }

    /// All of them, as text.
    var receivedText: String { String(decoding: self.received.joined(), as: UTF8.self) }

    final class Recorder: Sendable {
        private struct Connection {
            var caller: String?
            var bytes = [UInt8]()
            var isOpen = true
        }

        private let connections = Mutex([Connection]())

        var all: [[UInt8]] { self.connections.withLock { $0.map(\.bytes) } }

        var callers: [String?] { self.connections.withLock { $0.map(\.caller) } }

        var openCount: Int { self.connections.withLock { $0.count { $0.isOpen } } }

        func begin(_ caller: SocketAddress?) -> Int {
            self.connections.withLock {
                $0.append(Connection(caller: caller?.ipAddress))
                return $0.count - 1
            }
        }

        func end(_ connection: Int) {
            self.connections.withLock { $0[connection].isOpen = false }
        }

        func add(_ buffer: ByteBuffer, to connection: Int) {
            self.connections.withLock { $0[connection].bytes += buffer.readableBytesView }
        }
    }
}

private final class ScriptHandler: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var steps: ArraySlice<ScriptedPeer.Step>
    private let record: ScriptedPeer.Recorder
    private let connection: Int
    private var inbound = ByteBuffer()
    private var upstream: (any Channel)?

    init(_ steps: [ScriptedPeer.Step], record: ScriptedPeer.Recorder, connection: Int) {
        self.steps = steps[...]
        self.record = record
        self.connection = connection
    }

    func channelActive(context: ChannelHandlerContext) {
        self.go(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        self.record.add(bytes, to: self.connection)
        self.inbound.writeBuffer(&bytes)
        self.go(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.upstream?.close(promise: nil)
        self.record.end(self.connection)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func go(_ context: ChannelHandlerContext) {
        if let upstream {
            upstream.writeAndFlush(self.inbound, promise: nil)
            self.inbound.clear()
            return
        }
        while let step = self.steps.first {
            switch step {
            case .readHead:
                let view = self.inbound.readableBytesView
                guard let end = view.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
                self.inbound.moveReaderIndex(to: end.upperBound)
            case .read(let count):
                guard self.inbound.readSlice(length: count) != nil else { return }
            case .send(let bytes):
                context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            case .drip(let bytes):
                for byte in bytes {
                    context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: [byte])), promise: nil)
                }
            case .relay(let port):
                self.steps.removeFirst()
                return self.relay(to: port, context)
            case .onTick(let ticker, let pieces):
                ticker.attach(context.channel, pieces)
            case .close:
                context.close(promise: nil)
            case .closeOutput:
                context.close(mode: .output, promise: nil)
            case .drop:
                context.channel.closeBelowTLS()
            case .reset:
                let options = context.channel as? any SocketOptionProvider
                options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
                context.channel.closeBelowTLS()
            }
            self.steps.removeFirst()
        }
    }

    private func relay(to port: Int, _ context: ChannelHandlerContext) {
        let client = context.channel
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { $0.pipeline.addHandler(RelayHandler(to: client)) }
            .connect(host: "127.0.0.1", port: port)
            .whenComplete { result in
                switch result {
                case .failure: client.close(promise: nil)
                case .success(let upstream):
                    self.upstream = upstream
                    upstream.writeAndFlush(self.inbound, promise: nil)
                    self.inbound.clear()
                }
            }
    }
}

final class RelayHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let client: any Channel

    init(to client: any Channel) {
        self.client = client
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.client.writeAndFlush(self.unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.client.close(promise: nil)
        context.fireChannelInactive()
    }
}
