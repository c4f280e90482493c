// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
public import Logging

/// Who is trusted on https, by three modes and two flags: what AFNetworking's `AFSecurityPolicy` was, without its holes.
///
/// The default trusts whom the engine trusts: a chain to a known root, and a certificate for the host. The other two modes refuse more; they
/// pin certificates, or the keys of certificates. ``PublicKeyPins`` need no certificates, and are the better way to pin keys.
///
/// ```swift
/// var policy = SecurityPolicy(.publicKey, pinnedCertificates: try SecurityPolicy.certificates(in: folder))
/// configuration.securityPolicy = policy
/// ```
///
/// ``allowInvalidCertificates`` and ``validatesDomainName`` can make the policy accept servers that prove nothing. Both apply to
/// ``insecureHosts`` alone, whose names have to be given; every request to one of them is logged as a warning. For all other hosts the
/// policy is the one with both flags at their defaults.
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
/// A pinned certificate may be the server's own, one in the middle, or a root. The modes that pin refuse everybody if nothing is pinned.
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

    /// What is pinned; nothing unless given.
    public var pinningMode: PinningMode

    /// The certificates in DER.
    public var pinnedCertificates: Set<[UInt8]>

    /// Whether certificates of ``insecureHosts`` are accepted that no trusted root vouches for; false unless changed.
    public var allowInvalidCertificates = false

    /// Whether the certificates of ``insecureHosts`` have to be for the host; true unless changed.
    public var validatesDomainName = true

    /// The only hosts that ``allowInvalidCertificates`` and ``validatesDomainName`` apply to: names and IP addresses, no patterns; none unless changed.
    ///
    /// Every call fails with ``SessionError/Code/invalidConfiguration`` if one of the two flags is changed and no host is named.
    public var insecureHosts: Set<String> = []

    /// Where requests to ``insecureHosts`` are logged, each as a warning; a logger with the label `bluebonnet.trust` unless changed.
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
            allowsInvalid: self.allowInvalidCertificates,
            validatesDomain: self.validatesDomainName,
            hosts: self.insecureHosts
        )
    }
}

extension SecurityPolicy {
    /// What makes the policy unusable, whatever server it meets; nil if nothing does.
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
        guard self.allowInvalidCertificates || !self.validatesDomainName else { return nil }
        if self.insecureHosts.isEmpty {
            return "invalid certificates or other names are to be accepted, and no host is named"
        }
        if let host = self.insecureHosts.first(where: { HostPattern.host($0) == nil }) {
            return "“\(host)” is not a host"
        }
        return self.relaxedPlan.refusal
    }
}
