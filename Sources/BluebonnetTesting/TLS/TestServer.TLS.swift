// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOSSL

extension TestServer {
    /// The TLS options of a ``TestServer``.
    public struct TLS: Sendable {
        /// The versions of TLS.
        public enum Version: Sendable, Hashable, Comparable {
            case tls10, tls11, tls12, tls13
        }

        /// Whether a server requests client certificates.
        public enum ClientCertificates: Sendable, Hashable {
            /// It does not request a certificate.
            case ignored
            /// It requests one, and refuses one that its authority has not signed.
            case optional
            /// It requires one, and refuses clients without one.
            case required
        }

        /// The kind of certificate; valid unless changed.
        public var certificate: CertificateKind

        /// The signer of the certificate; the authority shared by all servers of the process unless given.
        public var authority: CertificateAuthority?

        /// A custom certificate, which takes precedence over ``certificate`` and ``authority``.
        public var identity: CertificateIdentity?

        /// The lowest version to negotiate: TLS 1.2 unless changed.
        public var minimumVersion: Version = .tls12

        /// The highest version to negotiate: TLS 1.3 unless changed.
        public var maximumVersion: Version = .tls13

        /// The protocols it offers (ALPN, RFC 7301): HTTP/1.1 unless changed; see ``TestServer/Configuration/http2`` for HTTP/2.
        public var applicationProtocols = ["http/1.1"]

        /// Whether client certificates are requested; no unless changed.
        public var clientCertificates = ClientCertificates.ignored

        /// The required signer of client certificates; the authority that signs the server's unless given.
        public var clientAuthority: CertificateAuthority?

        /// Creates options.
        ///
        /// - Parameters:
        ///   - certificate: The kind of certificate.
        ///   - authority: The signer of the certificate.
        public init(certificate: CertificateKind = .valid, authority: CertificateAuthority? = nil) {
            self.certificate = certificate
            self.authority = authority
        }

        func makeContext(authority: CertificateAuthority, speaksHTTP2: Bool) throws -> NIOSSLContext {
            let identity = try self.identity ?? authority.makeIdentity(self.certificate)
            let chain = try NIOSSLCertificate.fromPEMBytes(identity.certificatePEM)
            let key = try NIOSSLPrivateKey(bytes: identity.privateKeyPEM, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
            configuration.minimumTLSVersion = self.minimumVersion.engine
            configuration.maximumTLSVersion = self.maximumVersion.engine
            let offersHTTP2 = speaksHTTP2 && !self.applicationProtocols.contains("h2")
            configuration.applicationProtocols = (offersHTTP2 ? ["h2"] : []) + self.applicationProtocols
            let roots = try NIOSSLCertificate.fromPEMBytes((self.clientAuthority ?? authority).pem)
            switch self.clientCertificates {
            case .ignored: break
            case .optional:
                (configuration.certificateVerification, configuration.trustRoots) = (
                    .optionalVerification, .certificates(roots)
                )
            case .required:
                (configuration.certificateVerification, configuration.trustRoots) = (
                    .noHostnameVerification, .certificates(roots)
                )
            }
            return try NIOSSLContext(configuration: configuration)
        }
    }
}

extension TestServer.TLS.Version {
    fileprivate var engine: TLSVersion {
        switch self {
        case .tls10: .tlsv1
        case .tls11: .tlsv11
        case .tls12: .tlsv12
        case .tls13: .tlsv13
        }
    }
}
