// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOSSL

extension TestServer {
    /// How a ``TestServer`` speaks TLS.
    public struct TLS: Sendable {
        /// The versions of TLS.
        public enum Version: Sendable, Hashable, Comparable {
            case tls10, tls11, tls12, tls13
        }

        /// What a server wants to know of its clients.
        public enum ClientCertificates: Sendable, Hashable {
            /// It does not ask for a certificate.
            case ignored
            /// It asks for one, and refuses one that its authority has not signed.
            case optional
            /// It asks for one, and refuses clients that have none.
            case required
        }

        /// What is right or wrong with the certificate; nothing is wrong unless changed.
        public var certificate: CertificateKind

        /// Who signs it; the authority that all servers of the process share unless given.
        public var authority: CertificateAuthority?

        /// A certificate of your own, which goes before ``certificate`` and ``authority``.
        public var identity: CertificateIdentity?

        /// The lowest version it agrees to: TLS 1.2 unless changed.
        public var minimumVersion: Version = .tls12

        /// The highest version it agrees to: TLS 1.3 unless changed.
        public var maximumVersion: Version = .tls13

        /// The protocols it offers (ALPN, RFC 7301): HTTP/1.1 unless changed; see ``TestServer/Configuration/http2`` for HTTP/2.
        public var applicationProtocols = ["http/1.1"]

        /// What it wants to know of its clients; nothing unless changed.
        public var clientCertificates = ClientCertificates.ignored

        /// Who has to have signed the certificates of clients; the authority that signs the server's unless given.
        public var clientAuthority: CertificateAuthority?

        /// Creates options.
        ///
        /// - Parameters:
        ///   - certificate: What is right or wrong with the certificate.
        ///   - authority: Who signs it.
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
