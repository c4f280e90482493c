// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
public import FoundationEssentials
public import HTTPTypes

/// What went wrong in a session: the only error its functions throw, beside `CancellationError`.
///
/// Two errors are equal when their codes are equal. The description names the request's method, host and path; it never holds user
/// information, a query, a header value or a body. Those can be read from the properties.
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

    /// The request that failed, as far as it is needed to recognise it.
    public struct FailedRequest: Sendable, Hashable {
        /// The method.
        public var method: HTTPRequest.Method

        /// The whole URL, with whatever secrets it holds.
        public var url: URL

        /// The URL as it may be printed: scheme, host, port and path, without user information, query and fragment.
        public var redactedURL: String { RequestTarget.redacted(self.url) }

        init(_ request: Request) {
            self.method = request.method
            self.url = request.url
        }
    }

    /// The kind of failure.
    public var code: Code

    /// One sentence for a person: what happened and, where it helps, what to try.
    public var reason: String

    /// The failure below this one: a `SerializationError`, a `TransportError`, or what an interceptor threw.
    public var underlying: (any Error)?

    /// The request that failed; nil if there was none yet.
    public var request: FailedRequest?

    /// The response, if one had arrived; its body is empty unless it had been read.
    public var response: Response?

    /// The phase in which it happened, if it happened in the session's queue or in an exchange.
    public var phase: Phase?

    /// Whether any byte of the request may have reached the server; false means that sending it again is safe.
    public var isRequestSent: Bool

    /// What is wrong with a certificate that was refused; nil for everything else.
    public var certificateFault: CertificateFault?

    /// The status with which an HTTP proxy refused to open a tunnel, for example 403 or 407; nil for everything else.
    public var proxyStatus: Int?

    /// The bytes of the request's body that had been handed to the connection when the exchange failed, without framing.
    ///
    /// The server has not received more than these; it may have received fewer, down to none.
    public var requestBodyByteCount: Int64 = 0

    /// The attempts before the one that ended with this error; empty if the request was not retried.
    public internal(set) var failedAttempts: [FailedAttempt] = []

    /// What a download has left on the disk; nil if it has left nothing, and for everything else.
    public var remains: DownloadRemains?

    /// What a ``ResumableUpload`` can go on with; nil if there is nothing, and for everything else.
    public var uploadRemains: UploadRemains?

    /// What decodes the body of the response, unless ``decode(_:decoder:)`` is given another decoder; nil for one with its defaults.
    var decoder: ResponseDecoder?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - reason: One sentence for a person.
    ///   - underlying: The failure below this one.
    ///   - request: The request that failed.
    ///   - response: The response, if one had come.
    ///   - phase: Where it happened.
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
