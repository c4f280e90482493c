// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOSSL
import NIOTLS

/// Secures a channel that is connected.
enum TLSHandshake {
    /// What the two sides agreed on.
    struct Outcome: Sendable {
        /// The protocol chosen by ALPN (RFC 7301), nil if the peer chose none.
        var applicationProtocol: String?
    }

    /// Runs the handshake; the future fails with a ``TransportError`` if it fails, or takes longer than the limit.
    static func secure(
        _ channel: any Channel,
        context: NIOSSLContext,
        origin: Origin,
        limit: Duration?
    ) -> EventLoopFuture<Outcome> {
        let gate = TLSGate(done: channel.eventLoop.makePromise(of: Outcome.self))
        let timeout = limit.map { limit in
            let bound = NIOLoopBound(gate, eventLoop: channel.eventLoop)
            return channel.eventLoop.scheduleTask(in: TimeAmount(limit)) {
                bound.value.fail(
                    TransportError(
                        .timedOut,
                        phase: .handshake,
                        reason: "the TLS handshake with \(origin) took longer than \(limit)"
                    )
                )
            }
        }
        do {
            let handler = try Self.handler(context: context, host: origin.host)
            gate.isForHost = { [weak handler] in
                handler.map { Self.isCertificate(of: $0, for: origin.host) } ?? false
            }
            try channel.pipeline.syncOperations.addHandler(gate)
            try channel.pipeline.syncOperations.addHandler(handler, position: .before(gate))
        } catch {
            gate.fail(TransportError(mapping: error, phase: .handshake, isRequestSent: false))
        }
        return gate.done.futureResult.always { _ in timeout?.cancel() }
    }

    private static func isCertificate(of handler: NIOSSLClientHandler, for host: String) -> Bool {
        guard let certificate = try? handler.peerCertificate?.toDERBytes() else { return false }
        return PeerIdentity(certificate: certificate)?.includes(host) ?? false
    }

    /// A handler for a connection to this host.
    ///
    /// An IP address may not be sent as a server name (RFC 6066 section 3); the certificate is then checked against the address that was
    /// connected to.
    private static func handler(context: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
    }
}

/// Waits for the end of the handshake, then leaves the pipeline to whoever comes next.
private final class TLSGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    let done: EventLoopPromise<TLSHandshake.Outcome>
    /// Whether the certificate is for the host that was asked for; asked when the handshake is done.
    var isForHost = { false }
    private var isDone = false
    /// What a peer that speaks first sends together with the end of its handshake.
    private var early = [NIOAny]()

    init(done: EventLoopPromise<TLSHandshake.Outcome>) {
        self.done = done
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if !context.channel.isActive { self.fail(.closedInHandshake) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.fail(.closedInHandshake)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent, !self.isDone else {
            return context.fireUserInboundEventTriggered(event)
        }
        guard self.isForHost() else { return self.fail(.forAnotherHost) }
        self.isDone = true
        // Whoever waits adds the next handler within this call.
        self.done.succeed(TLSHandshake.Outcome(applicationProtocol: negotiated))
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if self.isDone { context.fireChannelRead(data) } else { self.early.append(data) }
    }

    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        for data in self.early { context.fireChannelRead(data) }
        if !self.early.isEmpty { context.fireChannelReadComplete() }
        self.early = []
        context.leavePipeline(removalToken: removalToken)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.fail(TransportError(mapping: error, phase: .handshake, isRequestSent: false))
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.fail(.closedInHandshake)
        context.fireChannelInactive()
    }

    func fail(_ error: TransportError) {
        guard !self.isDone else { return }
        self.isDone = true
        self.done.fail(error)
    }
}

extension TransportError {
    fileprivate static var forAnotherHost: TransportError {
        TransportError(
            .untrustedCertificate,
            phase: .handshake,
            reason: "the server's certificate is for another host"
        )
    }

    fileprivate static var closedInHandshake: TransportError {
        TransportError(.tlsFailed, phase: .handshake, reason: "the peer closed the connection during the TLS handshake")
    }
}
