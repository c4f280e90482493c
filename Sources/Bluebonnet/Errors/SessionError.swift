// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
public import FoundationEssentials
public import HTTPTypes

/// The failure of a session: the only error that its functions throw, besides `CancellationError`.
///
/// Two errors are equal when their codes are equal. The description names the request's method, host and path; it never
/// contains user information, a query, a header value or a body. These are available as properties.
///
/// ```swift
/// do {
///     let user = try await api.get("users/1", as: User.self)
/// } catch let error as SessionError where error.status == .notFound {
///     print(try error.decode(APIError.self).message)
/// }
/// ```
public struct SessionError: Error, Sendable {
    /// Where in an exchange a failure happened.
    public typealias Phase = TransportError.Phase

    /// The request that failed, with the properties that identify it.
    public struct FailedRequest: Sendable, Hashable {
        /// The method.
        public var method: HTTPRequest.Method

        /// The whole URL, including any secrets in it.
        public var url: URL

        /// The URL for printing: scheme, host, port and path, without user information, query and fragment.
        public var redactedURL: String { RequestTarget.redacted(self.url) }

        init(_ request: Request) {
            self.method = request.method
            self.url = request.url
        }
    }

    /// The kind of failure.
    public var code: Code

    /// One sentence for a person: what happened and, where it helps, what to try.
    ///
    /// It begins with a small letter and ends without a full stop, so that it can stand behind a colon.
    public var reason: String

    /// The underlying failure: a `SerializationError`, a `TransportError`, or the error of an interceptor.
    public var underlying: (any Error)?

    /// The request that failed; nil if there was none yet.
    public var request: FailedRequest?

    /// The response, if its head had arrived; its body is empty unless it had been read to its end.
    public var response: Response?

    /// The phase in which it happened, if it happened in the session's queue or in an exchange.
    public var phase: Phase?

    /// Whether any byte of the request may have reached the server; if false, it is safe to send the request again.
    ///
    /// It is true if this holds for any attempt, including those in ``failedAttempts``, and for any hop of a redirect.
    public var isRequestSent: Bool

    /// The fault of a certificate that was refused; nil for all other errors.
    public var certificateFault: CertificateFault?

    /// What led to the failure of an exchange, where several causes share the code; nil where it does not say more.
    public var cause: TransportError.Cause?

    /// The status with which an HTTP proxy refused to open a tunnel, for example 403 or 407; nil for all other errors.
    public var proxyStatus: Int?

    /// The number of bytes of the request's body that had been passed to the connection, without framing.
    ///
    /// They are those of the exchange that failed, or whose response the error is about: the server has received at
    /// most this many in it. The number is 0 if it is not known, because the error has no response and did not happen in
    /// an exchange: an interceptor's, for example.
    public var requestBodyByteCount: Int64 {
        get { self.failedBodyByteCount ?? self.response?.metrics?.requestBodyByteCount ?? 0 }
        set { self.failedBodyByteCount = newValue }
    }

    /// The number that the error of an exchange has named; nil for that of ``response``.
    private var failedBodyByteCount: Int64?

    /// The attempts before the one that ended with this error; empty if the request was not retried.
    public internal(set) var failedAttempts: [FailedAttempt] = []

    /// The remains of a download on the disk; nil if there are none, and for all other errors.
    public var downloadRemains: DownloadRemains?

    /// The data with which a ``ResumableUpload`` can continue; nil if there is none, and for all other errors.
    public var uploadRemains: UploadRemains?

    /// The method of the request by which a server may have processed a whole upload, though nothing says so and it cannot be asked;
    /// nil for all other errors.
    var undecidedMethod: HTTPRequest.Method?

    /// Whether it happened in the body of ``response``, of which there is only the head.
    var isInBody = false

    /// What decodes the body of the response, unless ``decode(_:decoder:)`` is given another decoder; nil for one with its defaults.
    var decoder: ResponseDecoder?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - reason: One sentence for a person.
    ///   - underlying: The underlying failure.
    ///   - request: The request that failed.
    ///   - response: The response, if one had arrived.
    ///   - phase: The phase in which it happened.
    ///   - isRequestSent: Whether any byte of the request may have reached the server.
    public init(
        _ code: Code,
        reason: String,
        underlying: (any Error)? = nil,
        request: Request? = nil,
        response: Response? = nil,
        phase: Phase? = nil,
        isRequestSent: Bool = false
    ) {
        self.code = code
        self.reason = reason
        self.underlying = underlying
        self.request = request.map(FailedRequest.init)
        self.response = response
        self.phase = phase
        self.isRequestSent = isRequestSent
    }
}

extension SessionError: Equatable {
    /// Whether both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension SessionError: CustomStringConvertible {
    public var description: String {
        var text = "\(self.code)"
        if let phase { text += " (\(phase.rawValue))" }
        if let request { text += ", \(request.method.rawValue) \(request.redactedURL)" }
        return text + ": " + self.reason
    }
}

// The default mirror would print every property: the URL with its query, the header fields and the body.
extension SessionError: CustomDebugStringConvertible, CustomReflectable {
    public var debugDescription: String { self.description }

    public var customMirror: Mirror {
        Mirror(self, children: ["code": self.code.description, "reason": self.reason])
    }
}

extension SessionError.FailedRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(self.method.rawValue) \(self.redactedURL)" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(self, children: ["request": self.description]) }
}
