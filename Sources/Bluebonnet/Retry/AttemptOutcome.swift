// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes

/// The outcome of an attempt: a response, a session error, or a cancellation.
struct AttemptOutcome: Sendable {
    let result: Result<StreamedResponse, any Error>

    /// The error as a caller would see it; nil for a response.
    ///
    /// It is not stored as its own type, which is large and would be kept during the next attempt.
    private let failure: (any Error)?

    /// Whether any byte of the attempt may have been sent, over all its hops.
    let isRequestSent: Bool

    /// What is left of the time that a server has asked for in the response to an attempt in parallel; nil for none.
    var otherRetryAfter: Duration?

    init(_ result: Result<StreamedResponse, any Error>, of request: Request, isRequestSent: Bool) {
        self.result = result
        self.isRequestSent = isRequestSent
        if case .failure(let error) = result {
            self.failure = SessionError.wrapping(error, request: request, source: .interceptor)
        } else {
            self.failure = nil
        }
    }

    /// The same outcome with another result, for example after the body of its response has been read.
    func replaced(by result: Result<StreamedResponse, any Error>, of request: Request) -> AttemptOutcome {
        var outcome = AttemptOutcome(result, of: request, isRequestSent: self.isRequestSent)
        outcome.otherRetryAfter = self.otherRetryAfter
        return outcome
    }

    /// The error as a caller would see it; nil for a response and for a cancellation.
    var error: SessionError? { self.failure as? SessionError }

    var response: StreamedResponse? {
        if case .success(let response) = self.result { response } else { nil }
    }

    /// Whether a function of the program may have to decide about it.
    var isFailure: Bool {
        if let response { Self.isFailure(response.status) } else { self.failure is SessionError }
    }

    /// Whether a function of the program may have to decide about a response.
    static func isFailure(_ status: HTTPResponse.Status) -> Bool {
        ![.successful, .redirection].contains(status.kind)
    }

    /// Returns the response to the caller, or throws the error.
    ///
    /// - Parameters:
    ///   - attempts: The attempts before it.
    ///   - isSent: Whether any byte of these attempts, or of one in parallel, may have been sent. The error says so,
    ///     since the server may have acted on the request, whatever happened to the last attempt.
    /// - Returns: The response.
    /// - Throws: The error.
    @inline(never)
    func delivered(after attempts: [FailedAttempt], isSent: Bool) throws -> StreamedResponse {
        switch self.result {
        case .success(var response):
            response.failedAttempts = attempts
            return response
        case .failure(let error):
            // An error of another type is not changed for the interceptors above.
            guard var error = error as? SessionError else { throw error }
            error.failedAttempts = attempts
            if isSent { error.isRequestSent = true }
            throw error
        }
    }

    func failedAttempt(_ number: Int, delay: Duration) -> FailedAttempt {
        FailedAttempt(
            number: number,
            status: self.response?.status,
            error: self.error,
            metrics: self.response.map { $0.body.metrics ?? $0.metrics },
            delay: delay
        )
    }
}
