// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A certificate and its key, in PEM, of a server or a client.
public struct CertificateIdentity: Sendable, Hashable {
    /// The certificate in PEM, followed by the intermediate certificates that are sent with it.
    public var certificatePEM: [UInt8]
    /// Its private key in PEM.
    public var privateKeyPEM: [UInt8]

    /// Creates an identity from existing PEM data.
    ///
    /// - Parameters:
    ///   - certificatePEM: The certificate in PEM, followed by the intermediate certificates.
    ///   - privateKeyPEM: Its unencrypted private key in PEM.
    public init(certificatePEM: [UInt8], privateKeyPEM: [UInt8]) {
        self.certificatePEM = certificatePEM
        self.privateKeyPEM = privateKeyPEM
    }
}
