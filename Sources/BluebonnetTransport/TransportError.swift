// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A failure between this process and the server.
///
/// Two errors are equal if their codes are equal. The description contains no query, no header value and no body.
public struct TransportError: Error, Sendable {
    /// The phase of the exchange in which a failure occurred.
    public typealias Phase = ExchangePhase

    /// The kind of failure.
    public var code: Code
    /// The phase in which the failure occurred.
    public var phase: Phase
    /// One sentence for people: what happened and, if helpful, what to try.
    ///
    /// It begins with a small letter and ends without a full stop, so that it can stand behind a colon.
    public var reason: String
    /// The underlying error.
    public var underlying: (any Error)?
    /// Whether any byte of the request may have reached the peer; if false, the request can safely be sent again.
    public var isRequestSent: Bool
    /// The number of body bytes handed to the connection before the exchange failed on it, without framing.
    ///
    /// The peer has received no more than these, and possibly fewer or none.
    public var requestBodyByteCount: Int64 = 0
    /// The status with which an HTTP proxy refused to open a tunnel, for example 403 or 407; nil for everything else.
    public var proxyStatus: Int?
    /// What is wrong with a refused certificate; nil for other failures, and if a custom evaluator did not say.
    public var certificateFault: CertificateFault?
    /// What led to the failure, where several causes share the code; nil where it does not say more than the code.
    public var cause: Cause?
    /// What the exchange was waiting for when its total limit had passed; nil for other failures.
    package var phaseUnderWay: Phase?
    /// See ``response``; in a box, because an error is copied often and rarely has one.
    var failedResponse: FailedResponse?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - phase: The phase in which it occurred.
    ///   - reason: One sentence for people.
    ///   - underlying: The underlying error.
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
    /// The kind of a ``TransportError``: an open set, so that a new code breaks no client.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case nameResolutionFailed
            case connectFailed
            case addressNotAllowed
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

        private init(kind: Kind) { self.kind = kind }

        /// The code with a name, which is what ``description`` gives; nil if there is none.
        package init?(name: String) {
            guard let kind = Kind(rawValue: name) else { return nil }
            self.init(kind: kind)
        }

        /// The code's name, for example `timedOut`.
        public var description: String { self.kind.rawValue }

        /// The host has no address.
        public static let nameResolutionFailed = Self(kind: .nameResolutionFailed)
        /// No address of the host accepted a connection.
        public static let connectFailed = Self(kind: .connectFailed)
        /// No address of the host is one that requests may be sent to; nothing was sent there.
        ///
        /// See ``AddressPolicy``.
        public static let addressNotAllowed = Self(kind: .addressNotAllowed)
        /// The host is reachable only through a network interface that the request does not allow; nothing was sent
        /// there.
        ///
        /// See ``TransportRequest/allowsCellularAccess``.
        public static let interfaceNotAllowed = Self(kind: .interfaceNotAllowed)
        /// The proxy in a configuration or an environment variable is invalid; nothing was sent anywhere.
        public static let invalidProxy = Self(kind: .invalidProxy)
        /// The proxy is unreachable, does not open a tunnel, or violates its protocol; no byte of the request was sent.
        ///
        /// Its status, if there is one, is in ``TransportError/proxyStatus``.
        public static let proxyFailed = Self(kind: .proxyFailed)
        /// The proxy requires credentials, or different ones, to open a tunnel; no byte of the request was sent.
        public static let proxyAuthenticationRequired = Self(kind: .proxyAuthenticationRequired)
        /// TLS was refused, by this process or by the peer, for a reason other than the peer's certificate.
        ///
        /// Examples are an option that cannot be used, and an alert from the peer. A connection that is closed or reset
        /// during the handshake is ``connectionClosed``.
        public static let tlsFailed = Self(kind: .tlsFailed)
        /// The peer's certificate is not trusted, has expired, or is not for this host.
        public static let untrustedCertificate = Self(kind: .untrustedCertificate)
        /// A phase exceeded its time limit; see ``TransportError/phase``.
        public static let timedOut = Self(kind: .timedOut)
        /// The peer closed or reset the connection during the TLS handshake, or before the response was complete.
        ///
        /// On HTTP/2 that is also a stream that the peer reset, or ended before the body had its Content-Length.
        public static let connectionClosed = Self(kind: .connectionClosed)
        /// The peer sent bytes that are not valid HTTP, or that contradict each other.
        public static let protocolViolation = Self(kind: .protocolViolation)
        /// The server of an HTTP/2 connection requires HTTP/1.1 (RFC 9113 section 7), and the request cannot be
        /// repeated over it.
        ///
        /// The cause is that the configuration allows HTTP/2 only, the body cannot be produced again, or a response had
        /// begun.
        public static let http11Required = Self(kind: .http11Required)
        /// The response's body is larger than the caller allows.
        public static let responseTooLarge = Self(kind: .responseTooLarge)
        /// The server sent more than ``TransportLimits`` allow, for example more header bytes; or, over HTTP/2, too
        /// many frames without progress or requests for acknowledgements that it does not read.
        public static let limitExceeded = Self(kind: .limitExceeded)
        /// The content coding of the response is corrupt, or expands beyond ``TransportLimits``.
        public static let decompressionFailed = Self(kind: .decompressionFailed)
        /// The request cannot be sent as it is, for example because its method or a header field is invalid.
        ///
        /// Also for the body of a response that another task is reading.
        public static let invalidRequest = Self(kind: .invalidRequest)
        /// The request's body could not be read, or did not have its declared length.
        public static let bodyFailed = Self(kind: .bodyFailed)
        /// The transport was shut down; ``TransportError/phase`` is the phase of the exchange at that time.
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
    /// The text of ``reason``, which `localizedDescription` returns too.
    public var errorDescription: String? { self.reason }
}
