// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Server trust, TLS versions and cipher suites, and client identity for https.
///
/// The certificate chain, the host name and the strength of keys and signatures are always verified; no option turns
/// this off. (A ``TrustEvaluator`` of the mode ``TrustMode/replacing`` takes over the decision, and with it the
/// responsibility.) RSA keys of fewer than 2048 bits and signatures with SHA-1 or MD5 are refused, in the chain and in
/// the handshake; a certificate without alternative names is valid for no host (RFC 9110 section 4.3.4).
///
/// Sessions are not resumed (RFC 8446 section 2.2): each new connection performs a full handshake.
public struct TLSOptions: Sendable {
    /// One or more certificates in PEM.
    public enum Certificate: Sendable, Hashable {
        /// The path of a PEM file, which is read once, when the first https connection is made: a regular file of at most 16
        /// MiB. For a file that has changed, make another engine.
        case pemFile(String)
        /// The content of a PEM file.
        case pem([UInt8])
    }

    /// The supported versions of TLS.
    public enum Version: String, Sendable, Hashable, Comparable, CaseIterable {
        /// RFC 5246.
        case tls12 = "1.2"
        /// RFC 8446.
        case tls13 = "1.3"

        public static func < (left: Version, right: Version) -> Bool { left == .tls12 && right == .tls13 }
    }

    /// Roots trusted in addition to the system's.
    ///
    /// Of several with the same name and key only one is used: the valid one that expires last. So a bundle may contain a
    /// root and the certificate that renews it.
    public var additionalRoots: [Certificate] = []

    /// Whether the system's roots are trusted; true unless changed.
    public var trustsSystemRoots = true

    /// An additional evaluator of server trust; nil unless changed.
    ///
    /// A request can have its own, see ``TransportRequest/trust``.
    public var trust: (any TrustEvaluator)?

    /// The client identity for servers that request a certificate; nil unless changed.
    ///
    /// It is offered to every server, also after a redirect to another origin.
    /// A request can have its own, see ``TransportRequest/clientIdentity``.
    public var clientIdentity: ClientIdentity?

    /// The lowest version to negotiate: TLS 1.2 unless changed, which is also the lowest supported.
    public var minimumVersion: Version = .tls12

    /// The highest version to negotiate: TLS 1.3 unless changed.
    public var maximumVersion: Version = .tls13

    /// The TLS 1.2 cipher suites to offer, in order of preference; nil, the default, for those of the TLS library.
    ///
    /// The TLS 1.3 suites are fixed: each of them is always offered. A list without a TLS 1.2 suite, or with a suite that
    /// has no name in ``CipherSuite``, makes every connection fail.
    public var cipherSuites: [CipherSuite]?

    /// The destination of the TLS secrets of every connection, with which a packet capture can be decrypted; nil unless
    /// changed.
    public var keyLog: KeyLog?

    /// Creates options that trust the system's roots.
    public init() {}
}
