// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Servers that require HTTP/1.1 (RFC 9113 section 7, HTTP_1_1_REQUIRED).
extension HTTP2Handler {
    /// Repeats the request of a stream over HTTP/1.1, if that is possible.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - isAllowed: The result of ``noteHTTP1Required()``.
    func fallBack(_ stream: Stream, isAllowed: Bool) {
        let hasResponse = stream.hasResponse
        let obstacle: String? =
            hasResponse
            ? "it had begun to respond" : isAllowed ? "the request's body cannot be produced again" : nil
        let error = TransportError.http11Required(obstacle, isRequestSent: hasResponse)
        self.finish(stream, .failure(error), loss: isAllowed && !hasResponse ? .requiresHTTP1 : nil)
    }

    /// Makes the pool use HTTP/1.1 for the origin of the connection.
    ///
    /// - Returns: Whether that is allowed.
    func noteHTTP1Required() -> Bool {
        guard let connection else { return false }
        return self.pool.noteHTTP1Required(by: connection)
    }
}

extension TransportError {
    /// The server requires HTTP/1.1, and the request cannot be repeated over it.
    ///
    /// Without an obstacle, the reason is that only HTTP/2 is allowed.
    static func http11Required(_ obstacle: String? = nil, isRequestSent: Bool) -> TransportError {
        TransportError(
            .http11Required,
            phase: .responseHead,
            reason: "the server wants this request over HTTP/1.1, and \(obstacle ?? "only HTTP/2 may be spoken to it")",
            isRequestSent: isRequestSent
        )
    }
}
