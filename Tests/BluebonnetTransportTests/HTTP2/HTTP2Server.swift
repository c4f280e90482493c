// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import CZlib
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// An HTTP/2 server on loopback, on an implementation of the protocol that is not ours.
final class HTTP2Server: Sendable {
    let port: Int
    let isSecure: Bool
    private let listener: any Channel
    let seen = Mutex([Seen]())

    /// A request as it arrived.
    struct Seen: Sendable {
        /// Which connection it came over, counted from 1.
        var connection = 0
        var fields: [String] = []
        var byteCount = 0
        var checksum: UInt = 0
        var trailers: [String] = []
    }

    /// Runs a test against a server and an engine that speaks HTTP/2 to it.
    static func run(
        tls: Bool = true,
        certificate: CertificateKind = .valid,
        settings: HTTP2Settings = nioDefaultSettings,
        engine: NIOTransport.Configuration = NIOTransport.Configuration(),
        _ body: (HTTP2Server, NIOTransport, Origin) async throws -> Void
    ) async throws {
        let server = try await HTTP2Server(tls: tls, certificate: certificate, settings: settings)
        var configuration = engine
        if tls {
            configuration.tls.additionalRoots.append(.pem(try CertificateAuthority.shared().pem))
        } else {
            configuration.httpVersions = .http2
        }
        let transport = NIOTransport(configuration: configuration)
        let origin = Origin(scheme: tls ? .https : .http, host: tls ? "localhost" : "127.0.0.1", port: server.port)
        let result: Result<Void, any Error>
        do { result = .success(try await body(server, transport, origin)) } catch { result = .failure(error) }
        await transport.shutdown()
        try? await server.listener.close()
        try result.get()
    }

    init(tls: Bool, certificate: CertificateKind, settings: HTTP2Settings) async throws {
        self.isSecure = tls
        var context: NIOSSLContext?
        if tls {
            let identity = try CertificateAuthority.shared().makeIdentity(certificate)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMBytes(identity.certificatePEM).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: identity.privateKeyPEM, format: .pem))
            )
            configuration.applicationProtocols = ["h2"]
            context = try NIOSSLContext(configuration: configuration)
        }
        let box = Box()
        self.listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { [context] channel in
                let connection = box.connections.add(1, ordering: .relaxed).newValue
                return channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
                        mode: .server,
                        connectionConfiguration: {
                            var configuration = NIOHTTP2Handler.ConnectionConfiguration()
                            configuration.initialSettings = settings
                            return configuration
                        }(),
                        streamConfiguration: {
                            var configuration = NIOHTTP2Handler.StreamConfiguration()
                            // Tests give more requests up than any client does that means well.
                            configuration.streamResetFrameRateLimit.maximumCount = 1_000_000
                            return configuration
                        }()
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(
                                HTTP2Routes(server: box, connection: connection)
                            )
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.port = self.listener.localAddress?.port ?? 0
        box.server.withLock { $0 = WeakServer(server: self) }
    }

    /// Lets the routes find the server that is still being made when they are set up.
    final class Box: Sendable {
        let server = Mutex(WeakServer(server: nil))
        let connections = Atomic(0)
    }

    struct WeakServer: Sendable {
        weak let server: HTTP2Server?
    }
}

/// Answers the requests of one stream.
private final class HTTP2Routes: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let server: HTTP2Server.Box
    private var seen = HTTP2Server.Seen()
    private var path = ""
    private var isHead = false

    init(server: HTTP2Server.Box, connection: Int) {
        self.server = server
        self.seen.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .headers(let headers) where self.path.isEmpty:
            self.path = headers.headers.first(name: ":path") ?? "?"
            self.isHead = headers.headers.first(name: ":method") == "HEAD"
            self.seen.fields = headers.headers.map { "\($0.name): \($0.value)" }
            if headers.headers.first(name: "expect") != nil { self.head(100, context: context) }
            if self.path == "/early" { self.response("413", context: context) }
            if self.path == "/mirror" {
                context.writeAndFlush(
                    self.wrapOutboundOut(.headers(.init(headers: [":status": "200"]))),
                    promise: nil
                )
            }
            if headers.endStream { self.answer(context: context) }
        case .headers(let headers):
            self.seen.trailers = headers.headers.map { "\($0.name): \($0.value)" }
            self.answer(context: context)
        case .data(let data):
            if case .byteBuffer(let bytes) = data.data {
                self.seen.byteCount += bytes.readableBytes
                self.seen.checksum = bytes.checksum(after: self.seen.checksum)
            }
            if self.path == "/mirror" { context.writeAndFlush(self.wrapOutboundOut(.data(data)), promise: nil) }
            if data.endStream { self.answer(context: context) }
        default:
            break
        }
    }

    private func answer(context: ChannelHandlerContext) {
        self.server.server.withLock { $0.server }?.seen.withLock { $0.append(self.seen) }
        let parts = self.path.split(separator: "/").map(String.init)
        switch parts.first {
        case "bytes": self.bytes(parts.last.flatMap { Int($0) } ?? 0, context: context)
        case "status": self.response(parts.last ?? "200", context: context)
        case "hang": break
        case "fields":
            let sent = self.seen.fields.filter { $0.hasPrefix("x-sent: ") }.map { String($0.dropFirst(8)) }
            self.send(["200"], body: sent.joined(separator: "|"), context: context)
        case "reset":
            let code: HTTP2ErrorCode = parts.last == "refused" ? .refusedStream : .internalError
            context.writeAndFlush(self.wrapOutboundOut(.rstStream(code)), promise: nil)
        case "early", "mirror": break
        case "hints":
            self.head(103, context: context)
            self.response("200", context: context)
        case "trailers":
            self.send(["200"], body: "with trailers", trailers: ["checksum": "abc"], context: context)
        case "goaway":
            let parent = context.channel.parent
            self.response("200", context: context)
            let frame = HTTP2Frame(
                streamID: .rootStream,
                payload: .goAway(lastStreamID: HTTP2StreamID(1), errorCode: .noError, opaqueData: nil)
            )
            parent?.writeAndFlush(frame, promise: nil)
        default:
            self.send(["200"], body: "\(self.seen.byteCount) \(self.seen.checksum)", context: context)
        }
    }

    private func head(_ status: Int, context: ChannelHandlerContext) {
        let headers: HPACKHeaders = [":status": String(status), "link": "</style.css>"]
        context.writeAndFlush(self.wrapOutboundOut(.headers(.init(headers: headers))), promise: nil)
    }

    private func response(_ status: String, context: ChannelHandlerContext) {
        self.send([status], body: "", context: context)
    }

    private func send(
        _ status: [String],
        body: String,
        trailers: HPACKHeaders? = nil,
        context: ChannelHandlerContext
    ) {
        let headers: HPACKHeaders = [
            ":status": status[0], "content-type": "text/plain", "set-cookie": "a=1", "x-custom": "é",
            "x-multi": "a", "x-empty": "", "x-multi": "b, c", "x-multi": "a",
        ]
        context.write(self.wrapOutboundOut(.headers(.init(headers: headers))), promise: nil)
        let data = IOData.byteBuffer(ByteBuffer(string: ["204", "304"].contains(status[0]) ? "" : body))
        context.write(self.wrapOutboundOut(.data(.init(data: data, endStream: trailers == nil))), promise: nil)
        if let trailers {
            context.write(self.wrapOutboundOut(.headers(.init(headers: trailers, endStream: true))), promise: nil)
        }
        context.flush()
    }

    private func bytes(_ count: Int, context: ChannelHandlerContext) {
        let headers: HPACKHeaders = [":status": "200", "content-length": String(count)]
        context.write(
            self.wrapOutboundOut(.headers(.init(headers: headers, endStream: count == 0 || self.isHead))),
            promise: nil
        )
        var left = self.isHead ? 0 : count
        while left > 0 {
            let size = min(left, 16 * 1024)
            left -= size
            let piece = IOData.byteBuffer(ByteBuffer(repeating: UInt8(truncatingIfNeeded: left / 16_384), count: size))
            context.write(self.wrapOutboundOut(.data(.init(data: piece, endStream: left == 0))), promise: nil)
        }
        context.flush()
    }
}

extension ByteBuffer {
    /// A block again and again, up to a number of bytes.
    init(repeating block: [UInt8], upTo count: Int) {
        self.init()
        while self.readableBytes < count { self.writeBytes(block.prefix(count - self.readableBytes)) }
    }

    /// The CRC of the bytes, behind those that a sum was made of; a loop over millions of them takes a debug build seconds.
    func checksum(after sum: UInt = 0) -> UInt {
        self.withUnsafeReadableBytes { bytes in
            crc32(sum, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(bytes.count))
        }
    }
}
