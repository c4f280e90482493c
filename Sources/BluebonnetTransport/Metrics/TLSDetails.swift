// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The negotiated parameters of a TLS connection; one value for all exchanges on the connection.
public final class TLSDetails: Sendable {
    /// The version of TLS.
    public let version: TLSOptions.Version?

    /// The cipher suite.
    public let cipherSuite: CipherSuite?

    /// The protocol selected with ALPN (RFC 7301), for example `h2`; nil if the server selected none.
    public let applicationProtocol: String?

    /// The server's certificates in DER, the leaf first.
    public let certificates: [[UInt8]]

    /// Whether the certificates are the verified path up to the root, rather than the chain that the server sent.
    ///
    /// False only under an evaluator of the mode ``TrustMode/replacing``.
    public let isVerified: Bool

    /// Creates a value, for a custom transport.
    ///
    /// - Parameters:
    ///   - version: The version of TLS.
    ///   - cipherSuite: The cipher suite.
    ///   - applicationProtocol: The protocol selected with ALPN.
    ///   - certificates: The server's certificates in DER, the leaf first.
    ///   - isVerified: Whether they are the verified path.
    public init(
        version: TLSOptions.Version?,
        cipherSuite: CipherSuite?,
        applicationProtocol: String? = nil,
        certificates: [[UInt8]],
        isVerified: Bool
    ) {
        self.version = version
        self.cipherSuite = cipherSuite
        self.applicationProtocol = applicationProtocol
        self.certificates = certificates
        self.isVerified = isVerified
    }
}
