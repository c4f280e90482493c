// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOSSL
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Verifies servers against roots of one's own, instead of the system's: a full verification on its own, without the TLS library's.
///
/// A server is trusted if a path leads from its certificate to one of the anchors and every rule is kept on it: signatures, dates, basic and
/// name constraints (RFC 5280 section 6.1), the purposes of keys, at least 2048 bits for RSA, no MD5 or SHA-1, and an alternative name of the
/// server's certificate that is the host (RFC 9525): a name, also with `*` for its first label, or an IP address. An anchor
/// may be any certificate: a root, an authority in the middle, or the server's own, which need not be signed by itself then.
///
/// At most ``chainLimit`` certificates are looked at. Revocation is not checked.
///
/// ```swift
/// var options = TLSOptions()
/// options.trust = try X509TrustEvaluator(anchors: [.pemFile("/etc/service/server.pem")])
/// ```
public struct X509TrustEvaluator: TrustEvaluator {
    /// The most certificates that a server may send: 10.
    public static let chainLimit = 10

    public let identity: TrustIdentity
    private let anchors: CertificateStore
    private let anchorBytes: Set<[UInt8]>
    private let now: (@Sendable () -> Date)?
    private let rules = ChainRules(cache: CertificateFactsCache())

    /// Reads the anchors; blocks where they are in files.
    ///
    /// Evaluators with the same anchors in the same order have the same identity, unless they are given a clock.
    ///
    /// - Parameters:
    ///   - anchors: The only roots that are trusted; at least one.
    ///   - now: What time it is; the system's clock unless given.
    /// - Throws: ``TransportError/Code/tlsFailed`` if an anchor cannot be read, or there is none.
    public init(anchors: [TLSOptions.Certificate], now: (@Sendable () -> Date)? = nil) throws {
        let certificates = try anchors.flatMap { try $0.read() }.map { try $0.toDERBytes() }
        guard !certificates.isEmpty else {
            throw TransportError(setup: "an evaluator without anchors would trust nobody")
        }
        do {
            self.anchors = CertificateStore(try certificates.map { try Certificate(derEncoded: $0) })
        } catch {
            throw TransportError(setup: "an anchor cannot be read as a certificate", underlying: error)
        }
        self.anchorBytes = Set(certificates)
        self.now = now
        self.identity = now == nil ? TrustIdentity(Anchors(certificates: certificates)) : .unique()
    }

    private struct Anchors: Hashable, Sendable {
        let certificates: [[UInt8]]
    }

    /// Decides alone: nothing else is verified.
    public var mode: TrustMode { .replacing }

    public func evaluate(_ server: ServerTrust) async throws {
        _ = try await self.verifiedPath(of: server)
    }

    /// Verifies a server, and shows what was verified: what pins can be compared with.
    ///
    /// - Parameter server: The server; its certificates are taken as if nothing were verified.
    /// - Returns: The certificates in DER, from the server's own to the anchor.
    /// - Throws: ``TrustRefusal``.
    @concurrent
    public func verifiedPath(of server: ServerTrust) async throws -> [[UInt8]] {
        guard server.certificates.count <= Self.chainLimit else {
            throw TrustRefusal("the server sends more than \(Self.chainLimit) certificates")
        }
        let host = try TLSHost(server.host)
        let sent: [Certificate]
        do {
            sent = try server.certificates.map { try Certificate(derEncoded: $0) }
        } catch {
            // The library below refuses to read keys that are too weak.
            let objection =
                self.rules.weakness(of: server.certificates)
                ?? CertificateObjection(.unreadable, "a certificate of the server's chain cannot be read")
            throw TrustRefusal(objection, underlying: error)
        }
        guard let leaf = sent.first else { throw TrustRefusal("the server sends no certificate") }
        let name = host.name
        let address = name == nil ? String(server.host.prefix { $0 != "%" }) : nil
        let time = self.now?() ?? Date.now
        let isAnchor = self.anchorBytes.contains(server.certificates[0])
        var verifier = Verifier(rootCertificates: self.anchors) {
            if isAnchor { AnchoredServerPolicy(time: time) } else { RFC5280Policy(fixedExpiryValidationTime: time) }
            ServerIdentityPolicy(serverHostname: name, serverIP: address)
            ServerPurposePolicy()
        }
        switch await verifier.validate(leaf: leaf, intermediates: CertificateStore(sent.dropFirst())) {
        case .validCertificate(let chain):
            let path = try chain.map { try $0.derBytes() }
            if let objection = self.rules.objection(to: path, host: host) { throw TrustRefusal(objection) }
            return path
        case .couldNotValidate(let failures):
            throw Self.refusal(of: leaf, failures, time: time, host: server.host)
        }
    }

    private static func refusal(
        of leaf: Certificate,
        _ failures: [CertificateValidationResult.PolicyFailure],
        time: Date,
        host: String
    ) -> TrustRefusal {
        guard let failure = failures.first else {
            let isSelfSigned = leaf.issuer == leaf.subject
            return TrustRefusal(
                "no path leads from the server's certificate to one that is trusted",
                fault: isSelfSigned ? .selfSigned : .unknownAuthority
            )
        }
        for certificate in failure.chain {
            if certificate.notValidAfter < time {
                return TrustRefusal("a certificate of the server's chain has expired", fault: .expired)
            }
            if certificate.notValidBefore > time {
                return TrustRefusal("a certificate of the server's chain is not valid yet", fault: .notYetValid)
            }
        }
        let reason = failure.policyFailureReason.description
        if reason.contains("SAN") || reason.contains("Common name") {
            return TrustRefusal("the server's certificate is not for \(host)", fault: .wrongHost)
        }
        // What the verifier says may hold whole certificates.
        return TrustRefusal(
            "the server's certificate chain breaks a rule: \(reason.prefix(200))",
            fault: .brokenRule
        )
    }
}
