// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOSSL
import NIOTLS

/// Starts TLS on a connected channel.
struct TLSHandshake {
    let context: NIOSSLContext
    let origin: Origin
    let host: TLSHost
    let rules: ChainRules
    /// The evaluator, which decides in addition to the library or in place of it.
    let evaluator: (any TrustEvaluator)?
    /// Whether its context was created for it, so that roots and keys were read.
    let isNew: Bool
    /// The time limit, including the evaluator.
    let limit: Duration?
    let clock: EngineClock

    /// Checks a path against the engine's own rules.
    ///
    /// - Parameter path: The certificates in DER, from the leaf to the root.
    /// - Returns: The objection; nil if there is none.
    func objection(to path: [[UInt8]]) -> CertificateObjection? {
        if self.evaluator?.mode == .additionalToChain { return self.rules.weakness(of: path) }
        return self.rules.objection(to: path, host: self.host)
    }

    /// Performs the handshake and evaluates server trust; the future fails with a ``TransportError`` if either fails or
    /// exceeds the time limit.
    ///
    /// To be called on the channel's event loop. The future's callback must add the next handler synchronously; no byte
    /// passes before it.
    func secure(_ channel: any Channel) -> EventLoopFuture<TLSDetails> {
        let path = VerifiedPath(cache: self.rules.cache)
        let gate = TLSGate(handshake: self, path: path, channel: channel)
        let timeout = self.limit.map { limit in
            let bound = NIOLoopBound(gate, eventLoop: channel.eventLoop)
            return self.clock.schedule(at: self.clock.now() + TimeAmount(limit), on: channel.eventLoop) { [origin] in
                bound.value.fail(
                    TransportError(
                        .timedOut,
                        phase: .tlsHandshake,
                        reason: bound.value.isEvaluating
                            ? "judging the certificates of \(origin) took longer than \(limit)"
                            : "the TLS handshake with \(origin) took longer than \(limit)"
                    )
                )
            }
        }
        do {
            let handler =
                if let evaluator, evaluator.mode == .replacing {
                    try TLSHandlers.unverifying(context: self.context, name: self.host.name) { certificates, promise in
                        gate.evaluate(certificates, by: evaluator, promise: promise)
                    }
                } else {
                    try TLSHandlers.verifying(context: self.context, name: self.host.name, path: path)
                }
            gate.handler = handler
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(gate.hello)
            try pipeline.addHandler(handler)
            try pipeline.addHandler(gate)
            if !channel.isActive { gate.fail(.closedInHandshake) }
        } catch {
            gate.fail(TransportError(mapping: error, phase: .tlsHandshake, isRequestSent: false))
        }
        return gate.done.futureResult.always { _ in timeout?.cancel() }
    }
}

extension TransportError {
    /// The connection was closed without an alert that says why, so another attempt may succeed.
    static var closedInHandshake: TransportError {
        TransportError(
            .connectionClosed,
            phase: .tlsHandshake,
            reason: "the server closed the connection during the TLS handshake"
        )
    }
}
