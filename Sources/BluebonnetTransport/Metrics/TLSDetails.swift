// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What the two sides of a TLS connection agreed on; one value for all exchanges on the connection.
public final class TLSDetails: Sendable {
    /// The version of TLS.
    public let version: TLSOptions.Version?

    /// The cipher suite.
    public let cipherSuite: CipherSuite?

    /// The protocol chosen by ALPN (RFC 7301), for example `h2`; nil if the server chose none.
    public let applicationProtocol: String?

    /// The server's certificates in DER, its own first.
    public let certificates: [[UInt8]]

    /// Whether the certificates are the path that was verified, up to the root, rather than what the server has sent.
    ///
    /// False only under an evaluator of the mode ``TrustMode/replacing``.
    public let isVerified: Bool

    /// Creates a value, for a transport of your own.
    ///
    /// - Parameters:
    ///   - version: The version of TLS.
    ///   - cipherSuite: The cipher suite.
    ///   - applicationProtocol: The protocol chosen by ALPN.
    ///   - certificates: The server's certificates in DER, its own first.
    ///   - isVerified: Whether they are the path that was verified.
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
