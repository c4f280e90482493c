// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOResumableUpload
import Synchronization

/// A server of draft-ietf-httpbis-resumable-upload in this process: that of swift-nio-extras.
final class UploadDraftServer: Sendable {
    /// The bytes and the digest of an upload that has ended.
    struct Received: Sendable, Equatable {
        var byteCount: Int
        var sha256: String
    }

    private let uploads = Mutex<[Received]>([])

    /// What has arrived whole.
    var received: [Received] { self.uploads.withLock { $0 } }

    static func run(_ body: (URL, UploadDraftServer) async throws -> Void) async throws {
        let server = UploadDraftServer()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        // Without an origin the URLs of uploads are relative.
        let context = HTTPResumableUploadContext(origin: "")
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    try pipeline.addHandler(
                        HTTPResumableUploadHandler(context: context) { upload in
                            try? upload.pipeline.syncOperations.addHandler(ReceivingHandler(server))
                        }
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<Void, any Error>
        do {
            let port = channel.localAddress?.port ?? 0
            let url = URL(string: "http://127.0.0.1:\(port)/upload") ?? URL(filePath: "/")
            result = .success(try await body(url, server))
        } catch {
            result = .failure(error)
        }
        try await channel.close()
        try await group.shutdownGracefully()
        try result.get()
    }

    fileprivate func ended(_ upload: Received) { self.uploads.withLock { $0.append(upload) } }
}

/// Digests the body of one upload.
private final class ReceivingHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let server: UploadDraftServer
    private var hash = SHA256()
    private var byteCount = 0

    init(_ server: UploadDraftServer) { self.server = server }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head: break
        case .body(let buffer):
            self.byteCount += buffer.readableBytes
            buffer.withUnsafeReadableBytes { self.hash.update(bufferPointer: $0) }
        case .end:
            let digest = self.hash.finalize().map { String(format: "%02x", $0) }.joined()
            self.server.ended(.init(byteCount: self.byteCount, sha256: digest))
            var head = HTTPResponse(status: .created)
            head.headerFields[.contentLength] = "0"
            context.write(self.wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
