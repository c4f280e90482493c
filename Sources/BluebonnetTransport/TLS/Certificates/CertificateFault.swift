// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a certificate that was refused: an open set, so that a new one breaks nobody.
///
/// In ``TransportError/certificateFault``, for programs that decide by it; the sentence for people is ``TransportError/reason``.
public struct CertificateFault: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
        case expired
        case notYetValid
        case wrongHost
        case selfSigned
        case unknownAuthority
        case weakKey
        case weakSignature
        case brokenRule
        case unreadable
        case pinMismatch
    }

    private let kind: Kind

    /// The fault's name, for example `expired`.
    public var description: String { self.kind.rawValue }

    /// The time of a certificate of the chain is over.
    public static let expired = Self(kind: .expired)
    /// The time of a certificate of the chain has not begun.
    public static let notYetValid = Self(kind: .notYetValid)
    /// The server's certificate is for other hosts, or names none.
    public static let wrongHost = Self(kind: .wrongHost)
    /// The chain ends in a certificate that is signed with its own key and is not among the trusted ones.
    public static let selfSigned = Self(kind: .selfSigned)
    /// No path that keeps the rules leads to a trusted root: an authority is not known, or its certificate was not sent, or does not allow this.
    public static let unknownAuthority = Self(kind: .unknownAuthority)
    /// An RSA key of the chain has fewer than 2048 bits.
    public static let weakKey = Self(kind: .weakKey)
    /// A certificate of the chain is signed with MD5 or SHA-1.
    public static let weakSignature = Self(kind: .weakSignature)
    /// The chain breaks one of its own rules, for example on names, purposes or policies.
    public static let brokenRule = Self(kind: .brokenRule)
    /// A certificate of the chain cannot be read.
    public static let unreadable = Self(kind: .unreadable)
    /// The chain is trusted, and none of its keys or certificates is one that the program has pinned.
    public static let pinMismatch = Self(kind: .pinMismatch)
}

/// Why the engine itself refuses a chain: for programs, and for people.
struct CertificateObjection: Sendable, Hashable {
    var fault: CertificateFault
    /// One sentence.
    var reason: String

    init(_ fault: CertificateFault, _ reason: String) {
        self.fault = fault
        self.reason = reason
    }
}

extension TrustRefusal {
    init(_ objection: CertificateObjection, underlying: (any Error)? = nil) {
        self.init(objection.reason, fault: objection.fault, underlying: underlying)
    }
}

extension TransportError {
    /// The engine does not trust a server.
    init(_ objection: CertificateObjection, underlying: (any Error)? = nil) {
        self.init(.untrustedCertificate, phase: .tlsHandshake, reason: objection.reason, underlying: underlying)
        self.certificateFault = objection.fault
    }
}
