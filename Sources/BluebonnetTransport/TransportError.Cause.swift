// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension TransportError {
    /// What led to a failure, where several causes share a ``Code``: an open set, so that a new value breaks no client.
    ///
    /// It is ``TransportError/cause``, for programs; ``TransportError/reason`` is the text for people.
    public struct Cause: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case descriptorsExhausted
            case unixSocketUnreachable
            case proxyCredentialsMissing
            case proxyCredentialsRefused
            case proxySchemesUnsupported
            case notTLS
            case handshakeRefused
            case passphraseRefused
            case clientCertificateMissing
            case clientCertificateRefused
            case notHTTP
            case streamReset
        }

        private let kind: Kind

        /// The cause's name, for example `notTLS`.
        public var description: String { self.kind.rawValue }

        /// The process, or the system, has too few file descriptors left (``Code/connectFailed``).
        public static let descriptorsExhausted = Self(kind: .descriptorsExhausted)
        /// There is no socket at the path of a Unix socket, or none that can be connected to (``Code/connectFailed``).
        public static let unixSocketUnreachable = Self(kind: .unixSocketUnreachable)
        /// The proxy requires credentials, and its configuration has none (``Code/proxyAuthenticationRequired``).
        public static let proxyCredentialsMissing = Self(kind: .proxyCredentialsMissing)
        /// The proxy does not accept the credentials (``Code/proxyAuthenticationRequired``).
        public static let proxyCredentialsRefused = Self(kind: .proxyCredentialsRefused)
        /// The proxy accepts only authentication schemes that are not supported, such as NTLM
        /// (``Code/proxyAuthenticationRequired``).
        public static let proxySchemesUnsupported = Self(kind: .proxySchemesUnsupported)
        /// What the server sent in the handshake is not TLS (``Code/tlsFailed``).
        public static let notTLS = Self(kind: .notTLS)
        /// The server ended the handshake with the alert `handshake_failure` (``Code/tlsFailed``).
        ///
        /// Both sides have no algorithm in common or, with TLS 1.2, the server requires a client certificate.
        public static let handshakeRefused = Self(kind: .handshakeRefused)
        /// The passphrase of a ``ClientIdentity`` is missing or wrong (``Code/tlsFailed``).
        public static let passphraseRefused = Self(kind: .passphraseRefused)
        /// The server requires a client certificate (``Code/tlsFailed``).
        public static let clientCertificateMissing = Self(kind: .clientCertificateMissing)
        /// The server does not accept the client certificate (``Code/tlsFailed``).
        public static let clientCertificateRefused = Self(kind: .clientCertificateRefused)
        /// The response does not begin as one of HTTP/1 does (``Code/protocolViolation``).
        public static let notHTTP = Self(kind: .notHTTP)
        /// The server reset the stream of the exchange, whose connection stays open: HTTP/2 only
        /// (``Code/connectionClosed``).
        public static let streamReset = Self(kind: .streamReset)
    }
}
