// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Peers that want HTTP/1.1 instead (RFC 9113 section 7, HTTP_1_1_REQUIRED).
extension HTTP2Handler {
    /// The peer wants the request of a stream over HTTP/1.1: it is repeated there, if it can be and may be.
    func fallBack(_ stream: Stream) {
        let isAllowed = self.noteHTTP1Required()
        let hasResponse = stream.hasResponse
        let error = TransportError.http11Required(
            hasResponse
                ? "it had begun to respond"
                : isAllowed ? "the request's body cannot be produced again" : "only HTTP/2 may be spoken to it",
            phase: stream.io.response.head == nil ? .responseHead : .responseBody,
            isRequestSent: hasResponse
        )
        let loss = ExchangeLoss.requiresHTTP1(isBodyBegun: stream.hasBody && !stream.awaitsContinue)
        self.finish(stream, .failure(error), loss: isAllowed && !hasResponse ? loss : nil)
    }

    /// Remembers what the peer wants.
    ///
    /// - Returns: Whether it can have that.
    func noteHTTP1Required() -> Bool {
        guard let connection else { return false }
        return self.pool.noteHTTP1Required(by: connection)
    }
}

extension TransportError {
    /// The peer requires HTTP/1.1 on a connection that can carry HTTP/2 only.
    static var onlyHTTP2: TransportError {
        .http11Required("only HTTP/2 may be spoken to it", phase: .responseHead, isRequestSent: true)
    }

    static func http11Required(_ obstacle: String, phase: Phase, isRequestSent: Bool) -> TransportError {
        TransportError(
            .http11Required,
            phase: phase,
            reason: "the server wants this request over HTTP/1.1, and \(obstacle)",
            isRequestSent: isRequestSent
        )
    }
}
