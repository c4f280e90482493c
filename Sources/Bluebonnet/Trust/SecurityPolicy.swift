// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
public import Logging

/// Decides which servers are trusted on https, with three modes and two flags: AFNetworking's `AFSecurityPolicy`
/// without its security holes.
///
/// The default trusts the same servers as the engine: a chain to a known root, and a certificate for the host. The
/// other two modes refuse more; they pin certificates, or the keys of certificates. ``PublicKeyPins`` need no
/// certificates, and are the better way to pin keys.
///
/// ```swift
/// var policy = SecurityPolicy(.publicKey, pinnedCertificates: try SecurityPolicy.certificates(in: folder))
/// configuration.securityPolicy = policy
/// ```
///
/// ``allowsInvalidCertificates`` and ``validatesDomainName`` can make the policy accept servers that prove nothing.
/// Both apply only to ``insecureHosts``, whose names have to be given; every request to one of them is logged as a
/// warning. All other hosts are evaluated with both flags at their defaults.
///
/// | mode | allows invalid | validates domain | a server has to have |
/// |---|---|---|---|
/// | none | no | yes | a chain to a trusted root, and a certificate for the host |
/// | none | no | no | a chain to a trusted root |
/// | none | yes | yes | refused: without pins nothing would be verified but a name that anybody can write |
/// | none | yes | no | nothing |
/// | certificate | no | yes | a trusted chain and the host; and a chain to a pinned certificate |
/// | certificate | no | no | a trusted chain; and a chain to a pinned certificate |
/// | certificate | yes | yes | a chain to a pinned certificate, valid at this time, and the host |
/// | certificate | yes | no | a chain to a pinned certificate, valid at this time |
/// | key | no | yes | a trusted chain and the host; and a pinned key in that chain |
/// | key | no | no | a trusted chain; and a pinned key in that chain |
/// | key | yes | yes | a chain of signatures from a pinned key, whenever valid, and the host |
/// | key | yes | no | a chain of signatures from a pinned key, whenever valid |
///
/// A pinned certificate may be the server's own, an intermediate one, or a root. The modes that pin refuse every server
/// if nothing is pinned.
public struct SecurityPolicy: Sendable {
    /// What is pinned.
    public enum PinningMode: String, Sendable, Hashable, CaseIterable {
        /// Nothing.
        case none
        /// The keys of ``SecurityPolicy/pinnedCertificates``.
        case publicKey
        /// ``SecurityPolicy/pinnedCertificates`` themselves.
        case certificate
    }

    /// What is pinned; nothing by default.
    public var pinningMode: PinningMode

    /// The certificates in DER.
    public var pinnedCertificates: Set<[UInt8]>

    /// Whether certificates of ``insecureHosts`` without a chain to a trusted root are accepted; false unless changed.
    public var allowsInvalidCertificates = false

    /// Whether the certificates of ``insecureHosts`` have to be for the host; true unless changed.
    public var validatesDomainName = true

    /// The only hosts that ``allowsInvalidCertificates`` and ``validatesDomainName`` apply to: names and IP addresses,
    /// not patterns; none unless changed.
    ///
    /// Every call fails with ``SessionError/Code/invalidConfiguration`` if one of the two flags is changed and no host is named.
    public var insecureHosts: Set<String> = []

    /// Logs a warning for each request to ``insecureHosts``; its label is `bluebonnet.trust` unless changed.
    public var logger = Logger(label: "bluebonnet.trust")

    /// Creates a policy that verifies chain and host.
    ///
    /// - Parameters:
    ///   - pinningMode: What is pinned.
    ///   - pinnedCertificates: The certificates in DER; see ``certificates(in:)``.
    public init(_ pinningMode: PinningMode = .none, pinnedCertificates: Set<[UInt8]> = []) {
        self.pinningMode = pinningMode
        self.pinnedCertificates = pinnedCertificates
    }
}

extension SecurityPolicy: Hashable {
    /// Whether both policies accept the same servers; loggers make no difference.
    public static func == (left: Self, right: Self) -> Bool { left.parts == right.parts }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.parts)
    }

    private struct Parts: Hashable {
        let mode: PinningMode
        let certificates: Set<[UInt8]>
        let allowsInvalid: Bool
        let validatesDomain: Bool
        let hosts: Set<String>
    }

    private var parts: Parts {
        Parts(
            mode: self.pinningMode,
            certificates: self.pinnedCertificates,
            allowsInvalid: self.allowsInvalidCertificates,
            validatesDomain: self.validatesDomainName,
            hosts: self.insecureHosts
        )
    }
}

extension SecurityPolicy {
    /// The error in the policy, for any server; nil if there is none.
    var fault: SessionError? {
        self.faultReason.map {
            SessionError(.invalidConfiguration, reason: "the security policy cannot be used: \($0)")
        }
    }

    private var faultReason: String? {
        if self.pinningMode != .none, self.pinnedCertificates.isEmpty {
            return "its mode pins certificates, and there are none"
        }
        if self.pinnedCertificates.contains(where: { CertificateInspection.publicKeyDigest(of: $0) == nil }) {
            return "a pinned certificate is not one in DER"
        }
        guard self.allowsInvalidCertificates || !self.validatesDomainName else { return nil }
        if self.insecureHosts.isEmpty {
            return "invalid certificates or other names are to be accepted, and no host is named"
        }
        if let host = self.insecureHosts.first(where: { HostPattern.host($0) == nil }) {
            return "“\(host)” is not a host"
        }
        return self.relaxedPlan.refusal
    }
}
