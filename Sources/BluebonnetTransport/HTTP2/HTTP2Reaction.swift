// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The action for a frame of a stream.
enum HTTP2Reaction<IO> {
    /// Nothing: it was a WINDOW_UPDATE, or the frame arrived after the stream ended on our side or the response was
    /// complete.
    case none
    /// Deliver the frame.
    case deliver(HTTP2Stream<IO>)
    /// Stop sending the request body.
    case stopBody(HTTP2Stream<IO>)
    /// Send the request over HTTP/1.1, as the server requires.
    case fallBack(HTTP2Stream<IO>)
    /// Send the request again: the server has refused the stream, and not processed the request.
    case refuse(HTTP2Stream<IO>, TransportError)
    /// Fail the exchange: the server has ended the stream.
    case fail(HTTP2Stream<IO>, TransportError)
    /// Reset the stream.
    case reject(HTTP2Stream<IO>, TransportError, HTTP2ErrorCode)
}

extension TransportError {
    /// The server reset the stream of the exchange.
    static func reset(_ code: HTTP2ErrorCode, isRequestSent: Bool) -> TransportError {
        var error = TransportError.closed("the server reset the stream: \(code)", isRequestSent: isRequestSent)
        error.cause = .streamReset
        return error
    }
}
