// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOSSL

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Verifies servers against custom roots instead of the system's, in place of the TLS library's own verification.
///
/// A server is trusted if a valid path leads from its certificate to one of the anchors. The path must satisfy:
/// signatures, dates, basic and name constraints (RFC 5280 section 6.1), key purposes, at least 2048 bits for RSA, no
/// MD5 or SHA-1, and an alternative name of the server's certificate that matches the host (RFC 9525): a name, also
/// with `*` for its first label, or an IP address. An anchor may be any certificate: a root, an intermediate authority,
/// or the server's own, which then need not be self-signed.
///
/// At most ``chainLimit`` certificates are accepted from a server. Revocation is not checked. A chain is refused if it
/// contains a certificate that is signed with RSASSA-PSS or has a negative serial number, a name constraint other than
/// on DNS names, IP addresses and URIs, or a critical extension other than: basic, name and policy constraints, key
/// usage, extended key usage, alternative names, certificate policies, policy mappings and inhibitAnyPolicy. If a
/// certificate constrains policies, every one below the anchor must assert the same policy.
///
/// ```swift
/// var options = TLSOptions()
/// options.trust = try X509TrustEvaluator(anchors: [.pemFile("/etc/service/server.pem")])
/// ```
public struct X509TrustEvaluator: TrustEvaluator {
    /// The maximum number of certificates that a server may send: 10.
    public static let chainLimit = ChainVerifier.chainLimit

    public let identity: TrustIdentity
    private let verifier: ChainVerifier
    private let now: (@Sendable () -> Date)?

    /// Creates an evaluator and reads its anchors; blocks if they are in files.
    ///
    /// Evaluators with the same anchors in the same order have the same identity, unless they are given a clock.
    ///
    /// - Parameters:
    ///   - anchors: The only trusted roots; at least one.
    ///   - now: Returns the current time; the system's clock unless given.
    /// - Throws: ``TransportError/Code/tlsFailed`` if an anchor cannot be read, or there is none.
    public init(anchors: [TLSOptions.Certificate], now: (@Sendable () -> Date)? = nil) throws {
        let certificates = try anchors.flatMap { try $0.read() }.map { try $0.toDERBytes() }
        guard !certificates.isEmpty else {
            throw TransportError(setup: "an evaluator without anchors would trust nobody")
        }
        do throws(TrustRefusal) {
            self.verifier = try ChainVerifier(anchors: certificates)
        } catch {
            throw TransportError(setup: "an anchor cannot be used: \(error.reason)", underlying: error)
        }
        self.now = now
        self.identity = now == nil ? TrustIdentity(Anchors(certificates: certificates)) : .unique()
    }

    private struct Anchors: Hashable, Sendable {
        let certificates: [[UInt8]]
    }

    /// The mode ``TrustMode/replacing``: the engine verifies nothing else.
    public var mode: TrustMode { .replacing }

    public func evaluate(_ server: ServerTrust) async throws {
        _ = try await self.verifiedPath(of: server)
    }

    /// Verifies a server and returns the verified path, which pins can be compared with.
    ///
    /// - Parameter server: The server; its certificates are treated as unverified.
    /// - Returns: The certificates in DER, from the leaf to the anchor.
    /// - Throws: ``TrustRefusal``.
    public func verifiedPath(of server: ServerTrust) async throws -> [[UInt8]] {
        try await self.verifier.path(
            server.certificates,
            ChainVerifier.Checks(host: server.host, time: self.now?() ?? Date.now)
        )
    }
}
