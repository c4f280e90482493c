// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a refused certificate: an open set, so that a new value breaks no client.
///
/// It is ``TransportError/certificateFault``, for programs; ``TransportError/reason`` is the text for people.
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

    /// A certificate of the chain has expired.
    public static let expired = Self(kind: .expired)
    /// A certificate of the chain is not valid yet.
    public static let notYetValid = Self(kind: .notYetValid)
    /// The server's certificate is for other hosts, or for none.
    public static let wrongHost = Self(kind: .wrongHost)
    /// The chain ends in a self-signed certificate that is not trusted.
    public static let selfSigned = Self(kind: .selfSigned)
    /// No valid path leads to a trusted root: an authority is unknown, or its certificate was not sent, or does not
    /// permit this one.
    public static let unknownAuthority = Self(kind: .unknownAuthority)
    /// An RSA key of the chain has fewer than 2048 bits.
    public static let weakKey = Self(kind: .weakKey)
    /// A certificate of the chain is signed with MD5 or SHA-1.
    public static let weakSignature = Self(kind: .weakSignature)
    /// The chain violates a rule, for example on names, purposes or policies, or has a critical extension that is not
    /// supported.
    public static let brokenRule = Self(kind: .brokenRule)
    /// A certificate of the chain cannot be parsed, or uses an algorithm that is not supported.
    public static let unreadable = Self(kind: .unreadable)
    /// The chain is trusted, but contains none of the pinned keys or certificates.
    public static let pinMismatch = Self(kind: .pinMismatch)
}

/// Why the engine itself refuses a chain: a code for programs and a text for people.
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
