// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// What went wrong between this process and the server.
///
/// Two errors are equal when their codes are equal. The description holds no query, no header value and no body.
public struct TransportError: Error, Sendable {
    /// Where in the exchange a failure happened.
    public typealias Phase = ExchangePhase

    /// The kind of failure.
    public var code: Code
    /// The phase in which it happened.
    public var phase: Phase
    /// One sentence for a person: what happened and, where it helps, what to try.
    public var reason: String
    /// The failure below this one.
    public var underlying: (any Error)?
    /// Whether any byte of the request may have reached the peer; false means that sending it again is safe.
    public var isRequestSent: Bool
    /// The bytes of the request's body that had been handed to the connection when the exchange failed on it, without framing.
    ///
    /// The peer has not taken more than these; it may have taken fewer, down to none.
    public var requestBodyByteCount: Int64 = 0
    /// The status with which an HTTP proxy refused to open a tunnel, for example 403 or 407; nil for everything else.
    public var proxyStatus: Int?
    /// What is wrong with a certificate that was refused; nil for everything else, and where an evaluator of the program's own did not say.
    public var certificateFault: CertificateFault?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - phase: Where it happened.
    ///   - reason: One sentence for a person.
    ///   - underlying: The failure below this one.
    ///   - isRequestSent: Whether any byte of the request may have reached the peer.
    public init(
        _ code: Code,
        phase: Phase,
        reason: String,
        underlying: (any Error)? = nil,
        isRequestSent: Bool = false
    ) {
        self.code = code
        self.phase = phase
        self.reason = reason
        self.underlying = underlying
        self.isRequestSent = isRequestSent
    }

    static func responseTooLarge(limit: Int) -> TransportError {
        TransportError(
            .responseTooLarge,
            phase: .responseBody,
            reason: "the response's body is larger than the limit of \(limit) bytes",
            isRequestSent: true
        )
    }
}

extension TransportError {
    /// The kind of a ``TransportError``: an open set, so that a new code breaks nobody.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case nameResolutionFailed
            case connectFailed
            case interfaceNotAllowed
            case invalidProxy
            case proxyFailed
            case proxyAuthenticationRequired
            case tlsFailed
            case untrustedCertificate
            case timedOut
            case connectionClosed
            case protocolViolation
            case http11Required
            case responseTooLarge
            case limitExceeded
            case decompressionFailed
            case invalidRequest
            case bodyFailed
            case shutDown
        }

        private let kind: Kind

        /// The code's name, for example `timedOut`.
        public var description: String { self.kind.rawValue }

        /// The host has no address.
        public static let nameResolutionFailed = Self(kind: .nameResolutionFailed)
        /// No address of the host accepted a connection.
        public static let connectFailed = Self(kind: .connectFailed)
        /// The host is reached only by a network interface that the request does not allow; nothing was sent there.
        ///
        /// See ``TransportRequest/allowsCellularAccess``.
        public static let interfaceNotAllowed = Self(kind: .interfaceNotAllowed)
        /// The proxy cannot be used as it is written, in a configuration or in an environment variable; nothing was sent anywhere.
        public static let invalidProxy = Self(kind: .invalidProxy)
        /// The proxy cannot be reached, does not open a tunnel, or does not speak its protocol; nothing of the request was sent.
        ///
        /// Its status, if it gave one, is in ``TransportError/proxyStatus``.
        public static let proxyFailed = Self(kind: .proxyFailed)
        /// The proxy requires credentials before it opens a tunnel, or others than it was given; nothing of the request was sent.
        public static let proxyAuthenticationRequired = Self(kind: .proxyAuthenticationRequired)
        /// The TLS handshake failed for a reason other than the peer's certificate.
        public static let tlsFailed = Self(kind: .tlsFailed)
        /// The peer's certificate is not trusted, has expired, or is not for this host.
        public static let untrustedCertificate = Self(kind: .untrustedCertificate)
        /// A phase took longer than its limit; see ``TransportError/phase``.
        public static let timedOut = Self(kind: .timedOut)
        /// The peer closed or reset the connection before the response was complete.
        public static let connectionClosed = Self(kind: .connectionClosed)
        /// The peer sent bytes that are not HTTP, or that contradict themselves.
        public static let protocolViolation = Self(kind: .protocolViolation)
        /// The server of an HTTP/2 connection requires HTTP/1.1 (RFC 9113 section 7), and the request cannot be repeated there.
        ///
        /// The configuration allows HTTP/2 only, the body cannot be produced again, or a response had begun.
        public static let http11Required = Self(kind: .http11Required)
        /// The response's body is larger than the caller allows.
        public static let responseTooLarge = Self(kind: .responseTooLarge)
        /// The peer sent more header bytes, header fields or informational responses than ``Limits`` allow.
        public static let limitExceeded = Self(kind: .limitExceeded)
        /// The response's coding is corrupt or expands beyond ``Limits``.
        public static let decompressionFailed = Self(kind: .decompressionFailed)
        /// The method, target or a header field holds bytes that may not be sent.
        public static let invalidRequest = Self(kind: .invalidRequest)
        /// The request's body could not be read, or was not as long as it had promised.
        public static let bodyFailed = Self(kind: .bodyFailed)
        /// The transport has been shut down; ``TransportError/phase`` is the one that the exchange was in.
        public static let shutDown = Self(kind: .shutDown)
    }
}

extension TransportError {
    /// The transport was shut down while the exchange was in a phase.
    static func shutDown(in phase: Phase, isRequestSent: Bool = false) -> TransportError {
        TransportError(
            .shutDown,
            phase: phase,
            reason: "the transport has been shut down",
            isRequestSent: isRequestSent
        )
    }
}

extension TransportError: Equatable {
    /// Whether both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension TransportError: CustomStringConvertible {
    public var description: String { "\(self.code) (\(self.phase.rawValue)): \(self.reason)" }
}

extension TransportError: LocalizedError {
    /// The sentence of ``reason``, which `localizedDescription` gives too.
    public var errorDescription: String? { self.reason }
}
