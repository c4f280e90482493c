// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials

/// Failures in the body of a response, whose head had arrived.
extension SessionError {
    /// Adds the head of the response in whose body it happened, unless the error has a response.
    mutating func happened(inBodyOf response: StreamedResponse) {
        guard self.response == nil else { return }
        self.response = response.response(body: Data())
        self.isInBody = true
    }

    /// The response, if it was refused as a response; nil if there is only the head of one whose body failed.
    ///
    /// A rule about responses must not judge that head: the failure is why the attempt was no success.
    var refusedResponse: Response? { self.isInBody ? nil : self.response }

    /// The time that a refused response asks for in its `Retry-After` field; nil if it asks for none.
    ///
    /// A server that is overloaded may well break its answer off. The head has said when to come again, and that holds
    /// whether or not the body arrives; in a successful response whose body failed, the field says nothing.
    ///
    /// - Parameter now: The time of day, in seconds since 1970.
    /// - Returns: The time.
    func retryAfter(now: () -> Int64) -> Duration? {
        guard let response, !self.isInBody || AttemptOutcome.isFailure(response.status) else { return nil }
        return RetryAfter.delay(response.headers, now: now)
    }
}

extension StreamedResponse {
    /// The error for a body that cannot be read to its end, with the head of the response.
    ///
    /// - Parameter error: What reading the body has thrown.
    /// - Returns: A `SessionError`, or an unchanged `CancellationError`.
    func bodyFailure(_ error: any Error) -> any Error {
        let error = SessionError.wrapping(error, request: self.request, source: .transport)
        guard var error = error as? SessionError else { return error }
        error.happened(inBodyOf: self)
        return error
    }

    /// The error that the reader of the body gets, without an effect on the call.
    func bodyFailure(_ error: any Error, of call: Call) -> any Error {
        self.bodyFailure(call.wrapping(error, of: call.originalRequest))
    }

    /// The same response with an empty body, to keep for an error.
    var withoutBody: StreamedResponse {
        var head = self
        head.body = .empty
        return head
    }
}
