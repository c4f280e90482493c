// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOSSL
import NIOTLS

/// Waits behind the TLS handler until the handshake is complete and the server is trusted, then leaves the pipeline.
///
/// It passes no writes, and it buffers early data: reading stops while an evaluator is running.
final class TLSGate: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let done: EventLoopPromise<TLSDetails>
    let hello = ServerHelloHandler()
    /// The TLS handler before this one; set before the handshake begins.
    var handler: NIOSSLClientHandler?
    private(set) var isEvaluating = false

    private let handshake: TLSHandshake
    private let path: VerifiedPath
    private let evaluation: TrustEvaluation
    private var context: ChannelHandlerContext?
    private var isDone = false
    /// Data that a server that sends first delivers together with the end of its handshake.
    private var early = [NIOAny]()
    private var isReadHeld = false
    /// The server's certificates, and the TLS handler's promise, if an evaluator alone decides.
    private var presented: [[UInt8]]?
    private var verdict: EventLoopPromise<NIOSSLVerificationResult>?

    init(handshake: TLSHandshake, path: VerifiedPath, channel: any Channel) {
        self.handshake = handshake
        self.path = path
        self.evaluation = TrustEvaluation(eventLoop: channel.eventLoop)
        self.done = channel.eventLoop.makePromise(of: TLSDetails.self)
    }

    // MARK: The pipeline

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.fail(.closedInHandshake)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent, !self.isDone, !self.isEvaluating
        else {
            return context.fireUserInboundEventTriggered(event)
        }
        self.judge(negotiated: negotiated)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if self.isDone { context.fireChannelRead(data) } else { self.early.append(data) }
    }

    func read(context: ChannelHandlerContext) {
        if self.isEvaluating, self.verdict == nil { self.isReadHeld = true } else { context.read() }
    }

    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        for data in self.early { context.fireChannelRead(data) }
        if !self.early.isEmpty { context.fireChannelReadComplete() }
        self.early = []
        if self.isReadHeld { context.read() }
        context.leavePipeline(removalToken: removalToken)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.fail(self.reason(for: error))
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.fail(.closedInHandshake)
        context.fireChannelInactive()
    }

    // MARK: Server trust

    /// Asks an evaluator that decides alone; the handshake waits for it.
    func evaluate(
        _ certificates: [[UInt8]],
        by evaluator: any TrustEvaluator,
        promise: EventLoopPromise<NIOSSLVerificationResult>
    ) {
        guard !self.isDone, !certificates.isEmpty else { return promise.succeed(.failed) }
        self.presented = certificates
        self.verdict = promise
        self.ask(evaluator, about: certificates, isVerified: false) { gate in gate.settleVerdict(.certificateVerified) }
    }

    /// Completes the handshake: applies the engine's own rules, then asks an evaluator that may refuse more.
    private func judge(negotiated: String?) {
        if let presented {
            return self.open(negotiated, certificates: presented, isVerified: false)
        }
        let certificates = self.path.certificates
        if let objection = self.handshake.objection(to: certificates) {
            return self.fail(TransportError(objection))
        }
        guard let evaluator = self.handshake.evaluator else {
            return self.open(negotiated, certificates: certificates, isVerified: true)
        }
        self.ask(evaluator, about: certificates, isVerified: true) { gate in
            gate.open(negotiated, certificates: certificates, isVerified: true)
        }
    }

    private func ask(
        _ evaluator: any TrustEvaluator,
        about certificates: [[UInt8]],
        isVerified: Bool,
        accepted: @escaping (TLSGate) -> Void
    ) {
        let origin = self.handshake.origin
        let server = ServerTrust(
            host: origin.host,
            port: origin.port,
            certificates: certificates,
            isVerified: isVerified
        )
        self.isEvaluating = true
        self.evaluation.start(evaluator, about: server) { [weak self] answer in
            guard let self, !self.isDone else { return }
            self.isEvaluating = false
            switch answer {
            case .success: accepted(self)
            case .failure(let error): self.fail(TransportError(refusalOf: origin, error: error))
            }
        }
    }

    private func settleVerdict(_ result: NIOSSLVerificationResult) {
        self.verdict?.succeed(result)
        self.verdict = nil
    }

    private func open(_ negotiated: String?, certificates: [[UInt8]], isVerified: Bool) {
        guard !self.isDone else { return }
        self.isDone = true
        let version: TLSOptions.Version? =
            switch self.handler?.tlsVersion {
            case .tlsv13: .tls13
            case .tlsv12: .tls12
            default: nil
            }
        self.handler = nil
        self.done.succeed(
            TLSDetails(
                version: version,
                cipherSuite: self.hello.cipherSuite,
                applicationProtocol: negotiated,
                certificates: certificates,
                isVerified: isVerified
            )
        )
        if let context { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
    }

    /// Fails the handshake; the future's callback closes the channel.
    func fail(_ error: TransportError) {
        guard !self.isDone else { return }
        self.isDone = true
        self.isEvaluating = false
        self.handler = nil
        self.early = []
        self.evaluation.cancel()
        self.done.fail(error)
        self.settleVerdict(.failed)
    }

    private func reason(for error: any Error) -> TransportError {
        if let objection = self.path.objection ?? self.path.refused.map({ RefusedCertificate(der: $0).objection }) {
            return TransportError(objection, underlying: error)
        }
        // The library does not say which hosts the certificate is for.
        let certificates = self.path.certificates
        if error as? NIOSSLExtraError == .failedToValidateHostname, !certificates.isEmpty,
            let objection = self.handshake.rules.objection(to: certificates, host: self.handshake.host)
        {
            return TransportError(objection, underlying: error)
        }
        return TransportError(mapping: error, phase: .tlsHandshake, isRequestSent: false)
    }
}
