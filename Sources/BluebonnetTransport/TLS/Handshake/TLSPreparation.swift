// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import NIOSSL

/// Prepares handshakes: the TLS context is created, or found, before a socket is opened.
struct TLSPreparation: Sendable {
    private let options: TLSOptions
    private let contexts: TLSContextCache
    private let rules: ChainRules
    private let clock: EngineClock

    /// - Parameters:
    ///   - options: Server trust and client identity.
    ///   - protocols: The protocols to offer, in order of preference (ALPN, RFC 7301).
    ///   - rules: The rules for a chain beyond what the library verifies.
    ///   - clock: The source of time.
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

    /// Prepares a handshake with an origin; the future is on the given event loop.
    ///
    /// - Parameters:
    ///   - origin: The origin whose certificate is expected.
    ///   - trust: The evaluator; the options' own unless given.
    ///   - clientIdentity: The client identity; the options' own unless given.
    ///   - isHTTP1Only: Whether to offer only HTTP/1.1, whatever the options say.
    ///   - limit: The time limit of the handshake.
    ///   - eventLoop: The event loop of the future.
    /// - Returns: The handshake, to be run on a connected channel.
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

    /// Returns what the TLS library verifies.
    private static func verification(_ host: TLSHost, _ mode: TrustMode) -> TLSContextCache.Variant.Verification {
        switch mode {
        case .replacing: .nothing
        case .additionalToChain: .chain
        case .additional: host.isCheckedByLibraries ? .chainAndName : .chain
        }
    }
}
