// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import NIOSSL

/// Prepares handshakes: the context is made, or found, before a socket is opened.
struct TLSPreparation: Sendable {
    private let options: TLSOptions
    private let contexts: TLSContextCache
    private let rules: ChainRules
    private let clock: EngineClock

    /// - Parameters:
    ///   - options: Server trust and client identity.
    ///   - protocols: The protocols to offer, the preferred one first (ALPN, RFC 7301).
    ///   - rules: What is asked of a chain besides what the library verifies.
    ///   - clock: Where the time comes from.
    init(
        options: TLSOptions,
        protocols: [String],
        rules: ChainRules,
        clock: EngineClock
    ) {
        self.options = options
        self.contexts = TLSContextCache(options: options, protocols: protocols)
        self.rules = rules
        self.clock = clock
    }

    /// Prepares a handshake with an origin; the future is on the event loop given.
    ///
    /// - Parameters:
    ///   - origin: Whose certificate is expected.
    ///   - trust: Who judges it; the options' own evaluator unless given.
    ///   - clientIdentity: The certificate shown; the options' own unless given.
    ///   - isHTTP1Only: Whether only HTTP/1.1 is offered, whatever else the options say.
    ///   - limit: How long the handshake may take.
    ///   - eventLoop: Where the future is kept.
    /// - Returns: The handshake, to be run on a channel that is connected.
    func handshake(
        with origin: Origin,
        trust: TrustKey? = nil,
        clientIdentity: ClientIdentity? = nil,
        isHTTP1Only: Bool = false,
        limit: Duration?,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<TLSHandshake> {
        let host: TLSHost
        do { host = try TLSHost(origin.host) } catch { return eventLoop.makeFailedFuture(error) }
        let evaluator = trust?.evaluator ?? self.options.trust
        let variant = TLSContextCache.Variant(
            verification: Self.verification(host, evaluator?.mode ?? .additional),
            clientIdentity: clientIdentity,
            isHTTP1Only: isHTTP1Only
        )
        @Sendable func handshake(_ context: NIOSSLContext, isNew: Bool) -> TLSHandshake {
            TLSHandshake(
                context: context,
                origin: origin,
                host: host,
                rules: self.rules,
                evaluator: evaluator,
                isNew: isNew,
                limit: limit,
                clock: self.clock
            )
        }
        if let context = self.contexts.cached(variant) {
            return eventLoop.makeSucceededFuture(handshake(context, isNew: false))
        }
        return self.contexts.context(variant, on: eventLoop).map { handshake($0, isNew: true) }
    }

    /// What is left to the TLS library.
    private static func verification(_ host: TLSHost, _ mode: TrustMode) -> TLSContextCache.Variant.Verification {
        switch mode {
        case .replacing: .nothing
        case .additionalToChain: .chain
        case .additional: host.name == nil ? .chain : .chainAndName
        }
    }
}
