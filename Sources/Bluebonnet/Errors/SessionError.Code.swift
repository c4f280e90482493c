// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension SessionError {
    /// The kind of a ``SessionError``: an open set, so that adding a code is not a breaking change.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String, CaseIterable {
            case invalidURL
            case invalidRequest
            case invalidConfiguration
            case unsupportedOption
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
            case limitExceeded
            case decompressionFailed
            case responseTooLarge
            case bodyFailed
            case transportFailed
            case interceptorFailed
            case unacceptableStatus
            case unacceptableContentType
            case tooManyRedirects
            case redirectRefused
            case authenticationFailed
            case authenticationCancelled
            case serializationFailed
            case notCached
            case incompleteDownload
            case digestMismatch
            case destinationExists
            case destinationUnavailable
            case destinationInUse
            case storageFull
            case storageFailed
            case sourceChanged
            case uploadInUse
            case uploadLost
            case uploadProtocolFailed
            case uploadTooLarge
            case transferQueueInUse
            case transferQueueUnavailable
            case transferQueueFull
            case transferNotFound
            case wouldDeadlock
            case shutDown
        }

        private let kind: Kind

        private init(kind: Kind) {
            self.kind = kind
        }

        /// All codes.
        static var all: [Code] { Kind.allCases.map { Code(kind: $0) } }

        /// Creates the code with a name, as in ``description``; nil if there is none.
        init?(name: String) {
            guard let kind = Kind(rawValue: name) else { return nil }
            self.kind = kind
        }

        /// The code's name, for example `timedOut`.
        public var description: String { self.kind.rawValue }

        /// The URL cannot be requested: not http or https, no host, a bad port, or bytes that may not be sent.
        public static let invalidURL = Self(kind: .invalidURL)
        /// The method or a header field may not be sent, or an expected digest is invalid.
        public static let invalidRequest = Self(kind: .invalidRequest)
        /// The session's configuration contradicts itself; nothing is sent.
        public static let invalidConfiguration = Self(kind: .invalidConfiguration)
        /// The request has an option that the session cannot honour; nothing is sent.
        public static let unsupportedOption = Self(kind: .unsupportedOption)
        /// The host has no address.
        public static let nameResolutionFailed = Self(kind: .nameResolutionFailed)
        /// No address of the host accepted a connection.
        public static let connectFailed = Self(kind: .connectFailed)
        /// No address of the host is one that requests may be sent to; nothing was sent there.
        ///
        /// See ``Session/Configuration/addressPolicy``.
        public static let addressNotAllowed = Self(kind: .addressNotAllowed)
        /// The host can be reached only over an interface that the request does not allow; nothing was sent there.
        ///
        /// See `RequestOptions.allowsCellularAccess`.
        public static let interfaceNotAllowed = Self(kind: .interfaceNotAllowed)
        /// The proxy in a configuration or in an environment variable is invalid; nothing was sent anywhere.
        public static let invalidProxy = Self(kind: .invalidProxy)
        /// The proxy cannot be reached, does not open the tunnel, or violates its protocol; the request was not sent.
        ///
        /// The `TransportError` in ``SessionError/underlying`` has the proxy's status, if there was one.
        public static let proxyFailed = Self(kind: .proxyFailed)
        /// The proxy requires credentials before it opens the tunnel, or others than it was given; nothing of the
        /// request was sent.
        public static let proxyAuthenticationRequired = Self(kind: .proxyAuthenticationRequired)
        /// TLS was refused, by this process or by the server, for a reason other than the server's certificate.
        ///
        /// Examples are an option that cannot be used, and an alert from the server. A connection that is closed or
        /// reset during the handshake is ``connectionClosed``.
        public static let tlsFailed = Self(kind: .tlsFailed)
        /// The server's certificate is not trusted, has expired, or is not for this host.
        public static let untrustedCertificate = Self(kind: .untrustedCertificate)
        /// A phase took longer than its limit; see ``SessionError/phase``.
        public static let timedOut = Self(kind: .timedOut)
        /// The server closed or reset the connection during the TLS handshake, or before the response was complete.
        ///
        /// On HTTP/2 that is also a stream that the server reset, or ended before the body had its Content-Length.
        public static let connectionClosed = Self(kind: .connectionClosed)
        /// The server sent bytes that are not HTTP, or that contradict each other.
        public static let protocolViolation = Self(kind: .protocolViolation)
        /// The server requires the request over HTTP/1.1, and it cannot be repeated there; see
        /// `TransportError.Code.http11Required`.
        public static let http11Required = Self(kind: .http11Required)
        /// The server sent more header bytes, header fields or informational responses than the transport allows, or a
        /// line or an event of a stream that is longer than its limit.
        public static let limitExceeded = Self(kind: .limitExceeded)
        /// The response's content coding is corrupt or expands too far, or is not decoded where lines, events or documents
        /// are read.
        public static let decompressionFailed = Self(kind: .decompressionFailed)
        /// The response's body is larger than ``Session/Limits/responseByteCount``, or a download than
        /// ``DownloadPolicy/maximumByteCount``.
        public static let responseTooLarge = Self(kind: .responseTooLarge)
        /// The request's body could not be read, or its length was not the announced one.
        public static let bodyFailed = Self(kind: .bodyFailed)
        /// The transport failed with an error that has no code of its own here.
        public static let transportFailed = Self(kind: .transportFailed)
        /// An interceptor, or another function of the program that a call waits for, threw an error of its own; it is in
        /// ``SessionError/underlying``.
        public static let interceptorFailed = Self(kind: .interceptorFailed)
        /// The response's status is not one of those accepted; the response is in ``SessionError/response``.
        public static let unacceptableStatus = Self(kind: .unacceptableStatus)
        /// The response's content type is not one of those accepted; the response is in ``SessionError/response``.
        public static let unacceptableContentType = Self(kind: .unacceptableContentType)
        /// A request was redirected more often than ``RedirectPolicy/maximumCount`` allows.
        ///
        /// The last response is in ``SessionError/response``, those before it in its history.
        public static let tooManyRedirects = Self(kind: .tooManyRedirects)
        /// A redirect may not be followed: it leads from https to http, or needs a body again that is read only once.
        public static let redirectRefused = Self(kind: .redirectRefused)
        /// A challenge of the server could not be answered, or the server did not prove that it knows the password.
        ///
        /// The reason is a body that can be read only once, credentials that the scheme cannot send, or a token that
        /// could not be refreshed; the error of the refresh is in ``SessionError/underlying``. If there are no
        /// credentials, or the server refuses them, the 401 is delivered instead.
        public static let authenticationFailed = Self(kind: .authenticationFailed)
        /// The program's handler of authentication challenges has cancelled the request.
        public static let authenticationCancelled = Self(kind: .authenticationCancelled)
        /// Parameters could not be encoded or a response could not be decoded; the `SerializationError` is in
        /// ``SessionError/underlying``.
        public static let serializationFailed = Self(kind: .serializationFailed)
        /// The request allows only a stored response, and there is none; nothing is sent.
        public static let notCached = Self(kind: .notCached)
        /// The body of a download was not as long as the response had announced.
        public static let incompleteDownload = Self(kind: .incompleteDownload)
        /// The bytes of a download do not have the expected digest, and were removed; or a server found a damaged piece
        /// of a ``ResumableUpload``.
        public static let digestMismatch = Self(kind: .digestMismatch)
        /// There is a file at the destination, and the download does not replace it.
        public static let destinationExists = Self(kind: .destinationExists)
        /// The destination cannot be written: no such directory, a directory in its place, or no permission; or its
        /// directory was moved during the download.
        public static let destinationUnavailable = Self(kind: .destinationUnavailable)
        /// Another download to the same destination is under way, in this process or in another one.
        public static let destinationInUse = Self(kind: .destinationInUse)
        /// The disk or the quota is full.
        public static let storageFull = Self(kind: .storageFull)
        /// The system failed to write a file for another reason.
        public static let storageFailed = Self(kind: .storageFailed)
        /// The file of a ``ResumableUpload`` is not the one that its upload began with, or changes while it is read.
        public static let sourceChanged = Self(kind: .sourceChanged)
        /// Another upload of the same file to the same URL is under way, in this process or in another one.
        public static let uploadInUse = Self(kind: .uploadInUse)
        /// The server no longer has the upload; see ``ResumableUpload/whenLost``.
        public static let uploadLost = Self(kind: .uploadLost)
        /// The server does not implement the protocol of a ``ResumableUpload``, or contradicts itself.
        public static let uploadProtocolFailed = Self(kind: .uploadProtocolFailed)
        /// The file is larger than the server's stated limits.
        public static let uploadTooLarge = Self(kind: .uploadTooLarge)
        /// Another ``TransferQueue`` uses the folder, in this process or in another one.
        public static let transferQueueInUse = Self(kind: .transferQueueInUse)
        /// The folder of a ``TransferQueue`` no longer exists, or cannot be created, read or written.
        public static let transferQueueUnavailable = Self(kind: .transferQueueUnavailable)
        /// The ``TransferQueue`` has its largest number of transfers: 10,000.
        public static let transferQueueFull = Self(kind: .transferQueueFull)
        /// The ``TransferQueue`` has no transfer with this identity.
        public static let transferNotFound = Self(kind: .transferNotFound)
        /// A function of the program waits for the operation that has called it, which would never end.
        public static let wouldDeadlock = Self(kind: .wouldDeadlock)
        /// The session or its transport has been shut down.
        public static let shutDown = Self(kind: .shutDown)
    }
}
