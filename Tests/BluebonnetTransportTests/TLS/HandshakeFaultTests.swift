// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Testing

@testable import BluebonnetTransport

/// Peers that begin a handshake and do not know how to go on.
@Suite(.timeLimit(.minutes(1))) struct HandshakeFaultTests {
    /// Sends bytes when the first have come, and closes.
    private final class Sender: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: self.bytes)), promise: nil)
            context.close(promise: nil)
        }
    }

    /// What becomes of a request to such a peer.
    private static func failure(of bytes: [UInt8], over transport: NIOTransport) async throws -> TransportError? {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Sender(bytes)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let origin = Origin(scheme: .https, host: "127.0.0.1", port: listener.localAddress?.port)
        let failure: TransportError?
        do {
            _ = try await transport.exchange(TransportRequest(origin: origin, target: "/"))
            failure = nil
        } catch let error as TransportError {
            failure = error
        }
        try await listener.close()
        return failure
    }

    /// A server's hello for TLS 1.3 that a client takes for one, and the beginning of what would follow.
    private static let hello: [UInt8] = {
        let share: [UInt8] = [0, 0x33, 0, 0x24, 0, 0x1D, 0, 0x20] + [9] + Array(repeating: 0, count: 31)
        let extensions: [UInt8] = [0, 0x2B, 0, 2, 3, 4] + share
        let body: [UInt8] =
            [3, 3] + Array(repeating: 7, count: 32) + [0, 0x13, 0x01, 0, 0, UInt8(extensions.count)] + extensions
        let message: [UInt8] = [2, 0, 0, UInt8(body.count)] + body
        return [22, 3, 3, 0, UInt8(message.count)] + message + [23, 3, 3, 0, 40] + Array(repeating: 1, count: 40)
    }()

    @Test(.bug(id: "F530")) func `a handshake that is cut anywhere fails at once, with nothing sent`() async throws {
        let transport = NIOTransport()
        // The library refuses the hello as soon as it is whole; 45 bytes follow it.
        for count in stride(from: 1, to: Self.hello.count - 45, by: 7) {
            let error = try await Self.failure(of: Array(Self.hello.prefix(count)), over: transport)
            #expect(error?.code == .connectionClosed, "\(count): \(String(describing: error))")
            #expect(error?.phase == .tlsHandshake)
            #expect(error?.isRequestSent == false)
        }
        await transport.shutdown()
    }

    @Test func `a handshake with a byte changed anywhere fails, and nothing worse`() async throws {
        let transport = NIOTransport()
        for index in stride(from: 0, to: Self.hello.count, by: 3) {
            var bytes = Self.hello
            bytes[index] ^= 0x41
            let error = try await Self.failure(of: bytes, over: transport)
            // A byte that makes a record longer leaves the handshake without its end.
            let codes: [TransportError.Code?] = [.tlsFailed, .connectionClosed]
            #expect(codes.contains(error?.code), "\(index): \(String(describing: error))")
            #expect(error?.isRequestSent == false)
        }
        await transport.shutdown()
    }

    @Test(arguments: [
        (40, "refuses the handshake"), (70, "no version of TLS"), (112, "no host of this name"),
        (120, "none of the protocols"),
    ])
    func `an alert is put into words`(_ alert: UInt8, _ words: String) async throws {
        let transport = NIOTransport()
        let error = try await Self.failure(of: [21, 3, 3, 0, 2, 2, alert], over: transport)
        #expect(error?.code == .tlsFailed)
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
        await transport.shutdown()
    }

    @Test(.bug(id: "F532")) func `a handshake that is ended with close_notify was closed by the server`() async throws {
        let transport = NIOTransport()
        let error = try await Self.failure(of: [21, 3, 3, 0, 2, 1, 0], over: transport)
        #expect(error?.code == .connectionClosed)
        #expect(error?.phase == .tlsHandshake)
        #expect(error?.reason == "the server closed the connection during the TLS handshake")
        await transport.shutdown()
    }

    @Test(.bug(id: "F532")) func `a protocol that was not offered is put into words`() async throws {
        var configuration = NIOTransport.Configuration()
        configuration.httpVersions = .http2
        let transport = NIOTransport(configuration: configuration)
        let selected: [UInt8] = [0, 16, 0, 11, 0, 9, 8] + Array("http/1.1".utf8)
        let body: [UInt8] =
            [3, 3] + Array(repeating: 7, count: 32) + [0, 0xC0, 0x2F, 0, 0, UInt8(selected.count)] + selected
        let message: [UInt8] = [2, 0, 0, UInt8(body.count)] + body
        let error = try await Self.failure(of: [22, 3, 3, 0, UInt8(message.count)] + message, over: transport)
        #expect(error?.code == .tlsFailed)
        #expect(error?.reason.contains("none of the protocols that were offered") == true, "\(error?.reason ?? "")")
        await transport.shutdown()
    }

    @Test(.bug(id: "F538")) func `a renegotiation is put into words`() {
        let text = "sslError([Error: 268435640 error:100000b8:SSL routines:OPENSSL_internal:NO_RENEGOTIATION at 1])"
        #expect(TLSFault(reading: text).reason.contains("asks for a client certificate or new keys"))
    }
}
