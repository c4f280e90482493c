// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOSSL
import NIOTLS

/// The handler above TLS: counts handshakes, and stores the client's certificate.
final class SecurityHandler: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let wire: WireHandler
    private let state: ObservedState<ServerState>
    private var isSecured = false
    private var hasFailed = false

    init(wire: WireHandler, state: ObservedState<ServerState>) {
        self.wire = wire
        self.state = state
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event {
            self.isSecured = true
            let handler = try? context.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
            self.wire.clientCertificate = try? handler?.peerCertificate?.toDERBytes()
            self.state.update { $0.connections.handshakes += 1 }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is NIOSSLError || error is BoringSSLError, !self.isSecured {
            // One failure may be reported more than once.
            if !self.hasFailed { self.state.update { $0.connections.failedHandshakes += 1 } }
            self.hasFailed = true
            return self.wire.drop()
        }
        context.fireErrorCaught(error)
    }
}
