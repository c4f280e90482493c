// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// Creates the TLS contexts of a transport, each once, when the first connection needs it.
final class TLSContextCache: Sendable {
    /// The properties that distinguish the contexts of one transport.
    struct Variant: Hashable, Sendable {
        /// What the TLS library verifies of a server.
        enum Verification: Hashable, Sendable {
            case chainAndName, chain, nothing
        }

        var verification = Verification.chainAndName
        /// The client identity; nil for the transport's own.
        var clientIdentity: ClientIdentity?
        /// Whether only HTTP/1.1 is offered.
        var isHTTP1Only = false
    }

    private struct State {
        var made: [Variant: NIOSSLContext] = [:]
        /// The promises for contexts that are being created.
        var waiting: [Variant: [EventLoopPromise<NIOSSLContext>]] = [:]
        /// The transport's own certificates; they are not read before a context needs them.
        var roots: [NIOSSLCertificate]?
        var identity: Identity?
        /// Writes the key log; it is not opened before a context is created.
        var keyLog: (@Sendable ([UInt8]) -> Void)?
    }

    private typealias Identity = (chain: [NIOSSLCertificate], key: NIOSSLPrivateKey)

    private let options: TLSOptions
    private let protocols: [String]
    private let state = Mutex(State())

    /// The maximum number of cached contexts: requests may have any number of identities.
    private static let limit = 64

    /// - Parameters:
    ///   - options: Server trust and client identity.
    ///   - protocols: The protocols to offer, in order of preference (ALPN, RFC 7301).
    init(options: TLSOptions, protocols: [String]) {
        self.options = options
        self.protocols = protocols
    }

    /// Returns a cached context.
    func cached(_ variant: Variant) -> NIOSSLContext? {
        self.state.withLock { $0.made[variant] }
    }

    /// Returns a context.
    ///
    /// Creating the first one of a kind takes tens of milliseconds, because roots and keys are read; concurrent callers
    /// wait for it.
    ///
    /// - Returns: The context on the given event loop; the future fails with ``TransportError/Code/tlsFailed`` if a
    ///   file cannot be read or the options contradict each other.
    func context(_ variant: Variant, on eventLoop: any EventLoop) -> EventLoopFuture<NIOSSLContext> {
        let promise = eventLoop.makePromise(of: NIOSSLContext.self)
        let (context, isFirst) = self.state.withLock { state -> (NIOSSLContext?, Bool) in
            if let context = state.made[variant] { return (context, false) }
            state.waiting[variant, default: []].append(promise)
            return (nil, state.waiting[variant]?.count == 1)
        }
        if let context { promise.succeed(context) }
        if isFirst {
            // The waiting callers are on different event loops, which are notified independently.
            NIOThreadPool.singleton.submit { state in
                self.finish(
                    variant,
                    Result {
                        guard state == .active else { throw TransportError.shutDown(in: .tlsHandshake) }
                        return try self.make(variant)
                    }
                )
            }
        }
        return promise.futureResult
    }

    private func finish(_ variant: Variant, _ result: Result<NIOSSLContext, any Error>) {
        let waiting = self.state.withLock { state in
            if case .success(let context) = result {
                if state.made.count >= Self.limit { state.made = state.made.filter { $0.key.clientIdentity == nil } }
                state.made[variant] = context
            }
            return state.waiting.removeValue(forKey: variant) ?? []
        }
        for promise in waiting { promise.completeWith(result) }
    }

    /// Returns a value that all contexts share, and makes it the first time.
    ///
    /// Contexts for different requests are created at different times, and a file may have changed meanwhile. Of two callers
    /// that make it concurrently, the value of one is dropped.
    private func once<Value: Sendable>(
        _ place: WritableKeyPath<State, Value?>,
        _ make: () throws -> Value
    ) throws -> Value {
        if let made = self.state.withLock({ $0[keyPath: place] }) { return made }
        let made = try make()
        return self.state.withLock { state in
            let first = state[keyPath: place] ?? made
            state[keyPath: place] = first
            return first
        }
    }

    /// Returns the identity of a context; nil if it has none.
    private func identity(_ variant: Variant) throws -> Identity? {
        if let identity = variant.clientIdentity { return try identity.load() }
        guard let own = self.options.clientIdentity else { return nil }
        return try self.once(\.identity) { try own.load() }
    }

    /// Creates a context; blocks.
    func make(_ variant: Variant) throws -> NIOSSLContext {
        guard self.options.minimumVersion <= self.options.maximumVersion else {
            throw TransportError(setup: "the lowest version of TLS is above the highest")
        }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = self.options.minimumVersion == .tls13 ? .tlsv13 : .tlsv12
        configuration.maximumTLSVersion = self.options.maximumVersion == .tls13 ? .tlsv13 : .tlsv12
        if let suites = self.options.cipherSuites {
            configuration.cipherSuiteValues = try Self.offered(suites).map { NIOTLSCipher($0.rawValue) }
        }
        configuration.applicationProtocols = variant.isHTTP1Only ? ["http/1.1"] : self.protocols
        configuration.verifySignatureAlgorithms = Self.signatures
        // The side that closes sends close_notify and need not wait for the peer's (RFC 9112 section 9.8). A closing
        // connection is kept for this time, with about 100 KiB, even if the peer closes without close_notify.
        configuration.shutdownTimeout = .milliseconds(100)
        if let log = self.options.keyLog {
            let keyLog = try self.once(\.keyLog) { try log.open() }
            configuration.keyLogCallback = { keyLog(Array(buffer: $0)) }
        }
        try self.setTrust(in: &configuration, variant.verification)
        let identity = try self.identity(variant)
        if let identity {
            configuration.certificateChain = identity.chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(identity.key)
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            if let identity { try ClientIdentity.check(identity.chain, identity.key) }
            let hint =
                variant.verification != .nothing && self.options.trustsSystemRoots
                ? "; are the system's root certificates installed (package ca-certificates)?" : ""
            throw TransportError(setup: "TLS could not be set up\(hint)", underlying: error)
        }
    }

    /// Returns the suites to offer.
    ///
    /// The library stops the process for a suite that it does not know, and for a list without a suite of TLS 1.2.
    private static func offered(_ suites: [CipherSuite]) throws(TransportError) -> [CipherSuite] {
        if let unknown = suites.first(where: { !$0.isKnown }) {
            throw TransportError(setup: "the cipher suite \(unknown) is not supported")
        }
        guard suites.contains(where: { !$0.isOfTLS13 }) else {
            throw TransportError(setup: "the list of cipher suites has none of TLS 1.2")
        }
        return suites
    }

    private func setTrust(in configuration: inout TLSConfiguration, _ verification: Variant.Verification) throws {
        guard verification != .nothing else {
            // The evaluator alone decides; the callback for it is called only if the library would have verified the
            // chain.
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates([])
            return
        }
        // The library checks a name. The engine's own rules check an address, because the library would check that of
        // the socket, which may be a proxy's.
        configuration.certificateVerification = verification == .chain ? .noHostnameVerification : .fullVerification
        let roots = try self.once(\.roots) {
            TrustedRoots.withoutPredecessors(try self.options.additionalRoots.flatMap { try $0.read() })
        }
        if self.options.trustsSystemRoots {
            configuration.additionalTrustRoots = roots.isEmpty ? [] : [.certificates(roots)]
        } else {
            configuration.trustRoots = .certificates(roots)
        }
    }

    /// The library's default list, without SHA-1 (RFC 9155).
    private static let signatures: [SignatureAlgorithm] = [
        .ecdsaSecp256R1Sha256, .rsaPssRsaeSha256, .rsaPkcs1Sha256, .ecdsaSecp384R1Sha384, .rsaPssRsaeSha384,
        .rsaPkcs1Sha384,
        .rsaPssRsaeSha512, .rsaPkcs1Sha512,
    ]
}

extension TransportError {
    /// TLS cannot be set up with these options.
    init(setup reason: String, _ cause: Cause? = nil, underlying: (any Error)? = nil) {
        self.init(.tlsFailed, phase: .tlsHandshake, reason: reason, underlying: underlying)
        self.cause = cause
    }
}
