// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes

extension SessionError {
    /// The origin of an error that is converted into a session error.
    enum Source {
        case transport, interceptor, disposition, redirectPolicy, retryPolicy

        var name: String {
            switch self {
            case .transport: "the transport"
            case .interceptor: "an interceptor"
            case .disposition: "the function that decides about the response"
            case .redirectPolicy: "the function of the redirect policy"
            case .retryPolicy: "the function of the retry policy"
            }
        }
    }

    /// Converts an error thrown below the session into one of the two errors that a session throws.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - request: The request it was thrown for.
    ///   - source: The origin of an error of an unknown type.
    /// - Returns: A `SessionError`, or an unchanged `CancellationError`.
    static func wrapping(_ error: any Error, request: Request, source: Source) -> any Error {
        switch error {
        case is CancellationError:
            return error
        case var error as SessionError:
            if error.request == nil { error.request = FailedRequest(request) }
            return error
        case let error as TransportError:
            // A connection that is closed by the cancellation of the task may report the closing first.
            if Task.isCancelled { return CancellationError() }
            return SessionError(error, request: request)
        case let error as SerializationError:
            // It may have been thrown before or after an exchange, and only false is a promise.
            return SessionError(error, request: request, isRequestSent: true)
        default:
            return SessionError(
                source == .transport ? .transportFailed : .interceptorFailed,
                reason: "\(source.name) failed with an error of type \(type(of: error))",
                underlying: error,
                request: request,
                // Nothing is known about the progress of the request; only false is a promise.
                isRequestSent: true
            )
        }
    }

    init(_ error: TransportError, request: Request) {
        self.init(
            Code(error.code),
            reason: Self.reason(of: error),
            underlying: error,
            request: request,
            phase: error.phase,
            isRequestSent: error.isRequestSent
        )
        self.certificateFault = error.certificateFault
        self.cause = error.cause
        self.proxyStatus = error.proxyStatus
        self.requestBodyByteCount = error.requestBodyByteCount
    }

    /// The reason of the error; if the body of the request was that of another response, why that one has failed.
    private static func reason(of error: TransportError) -> String {
        switch error.underlying {
        case let cause as SerializationError: cause.reason
        case let cause as SessionError where error.code == .bodyFailed:
            "the request's body could not be read: \(cause.reason)"
        default: error.reason
        }
    }

    init(_ error: SerializationError, request: Request?, isRequestSent: Bool = false) {
        self.init(
            Code(error.code),
            reason: error.locatedReason + Self.redirectAdvice(error),
            underlying: error,
            request: request,
            response: error.response,
            isRequestSent: isRequestSent
        )
    }
}

extension SessionError {
    /// A hint for a redirect that was refused for its status: accepting the status would not help.
    private static func redirectAdvice(_ error: SerializationError) -> String {
        guard error.code == .unacceptableStatus, let response = error.response, response.status.kind == .redirection,
            let location = response.headers[.location], let url = response.url
        else { return "" }
        guard RedirectTarget(location, from: url) != nil else {
            return "; the redirect cannot be followed: its Location field is not an http or https URL"
        }
        return "; the redirect was not followed, see Session.Configuration.redirects"
    }
}

extension SessionError.Code {
    fileprivate init(_ code: TransportError.Code) {
        self =
            switch code {
            case .nameResolutionFailed: .nameResolutionFailed
            case .connectFailed: .connectFailed
            case .addressNotAllowed: .addressNotAllowed
            case .interfaceNotAllowed: .interfaceNotAllowed
            case .invalidProxy: .invalidProxy
            case .proxyFailed: .proxyFailed
            case .proxyAuthenticationRequired: .proxyAuthenticationRequired
            case .tlsFailed: .tlsFailed
            case .untrustedCertificate: .untrustedCertificate
            case .timedOut: .timedOut
            case .connectionClosed: .connectionClosed
            case .protocolViolation: .protocolViolation
            case .http11Required: .http11Required
            case .responseTooLarge: .responseTooLarge
            case .limitExceeded: .limitExceeded
            case .decompressionFailed: .decompressionFailed
            case .invalidRequest: .invalidRequest
            case .bodyFailed: .bodyFailed
            case .shutDown: .shutDown
            default: .transportFailed
            }
    }

    fileprivate init(_ code: SerializationError.Code) {
        self =
            switch code {
            case .invalidURL: .invalidURL
            case .invalidMethod, .invalidHeader, .bodyNotAllowed, .invalidBoundary: .invalidRequest
            case .fileNotFound, .notARegularFile, .fileNotReadable, .lengthMismatch, .bodyNotReplayable, .readFailed:
                .bodyFailed
            case .unacceptableContentType: .unacceptableContentType
            case .unacceptableStatus: .unacceptableStatus
            default: .serializationFailed
            }
    }
}
