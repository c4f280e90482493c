// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Whom the engine trusts on https, what it speaks there, and how it shows who it is.
///
/// The certificate chain, the host name and the strength of keys and signatures are always verified; there is no switch that turns this off.
/// (A ``TrustEvaluator`` of the mode ``TrustMode/replacing`` takes the decision over, and with it the duty.) Keys of RSA with fewer
/// than 2048 bits and signatures with SHA-1 or MD5 are refused, in the chain and in the handshake; a certificate without alternative names
/// is for no host (RFC 9110 section 4.3.4).
///
/// Sessions are not resumed (RFC 8446 section 2.2): each new connection is a full handshake.
public struct TLSOptions: Sendable {
    /// A certificate, or several, in PEM.
    public enum Certificate: Sendable, Hashable {
        /// The path of a PEM file, read when the first https connection is made.
        case pemFile(String)
        /// The bytes of a PEM file.
        case pem([UInt8])
    }

    /// The versions of TLS that can be asked for.
    public enum Version: String, Sendable, Hashable, Comparable, CaseIterable {
        /// RFC 5246.
        case tls12 = "1.2"
        /// RFC 8446.
        case tls13 = "1.3"

        public static func < (left: Version, right: Version) -> Bool { left == .tls12 && right == .tls13 }
    }

    /// Roots trusted in addition to the system's.
    public var additionalRoots: [Certificate] = []

    /// Whether the system's roots are trusted; true unless changed.
    public var trustsSystemRoots = true

    /// Who else has a say in whether a server is trusted; nobody unless changed.
    ///
    /// A request can bring its own, see ``TransportRequest/trust``.
    public var trust: (any TrustEvaluator)?

    /// The certificate shown to servers that ask for one; none unless changed.
    ///
    /// A request can bring its own, see ``TransportRequest/clientIdentity``.
    public var clientIdentity: ClientIdentity?

    /// The lowest version to agree to: TLS 1.2 unless changed, which is also the lowest there is.
    public var minimumVersion: Version = .tls12

    /// The highest version to agree to: TLS 1.3 unless changed.
    public var maximumVersion: Version = .tls13

    /// The cipher suites of TLS 1.2 to offer, the preferred one first; nil, the default, for those of the TLS library.
    ///
    /// Those of TLS 1.3 are fixed: each of them is offered, whatever stands here. A list without a suite of TLS 1.2 makes every connection fail.
    public var cipherSuites: [CipherSuite]?

    /// Where the secrets of every connection are written, so that a capture of its packets can be read; nowhere unless changed.
    public var keyLog: KeyLog?

    /// Creates options that trust the system's roots.
    public init() {}
}
