// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A certificate and its key, in PEM: of a server or of a client.
public struct CertificateIdentity: Sendable, Hashable {
    /// The certificate in PEM, followed by those between it and the root that are sent with it.
    public var certificatePEM: [UInt8]
    /// Its private key in PEM.
    public var privateKeyPEM: [UInt8]

    /// Creates an identity from what you have.
    ///
    /// - Parameters:
    ///   - certificatePEM: The certificate in PEM, followed by those between it and the root.
    ///   - privateKeyPEM: Its private key in PEM, not encrypted.
    public init(certificatePEM: [UInt8], privateKeyPEM: [UInt8]) {
        self.certificatePEM = certificatePEM
        self.privateKeyPEM = privateKeyPEM
    }
}
