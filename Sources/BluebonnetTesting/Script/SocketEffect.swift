// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A fault of the connection of a ``ScriptedResponse``.
public enum SocketEffect: Sendable, Hashable {
    /// A position in a response.
    public enum Moment: Sendable, Hashable {
        /// After the request was read, before the response.
        case beforeResponse
        /// After the status line and the header fields, before the body.
        case afterHead
        /// After this many bytes of the body; for a raw response, after this many bytes of the whole.
        ///
        /// Chunk framing does not count. At the length of the body or beyond, a chunked body still lacks its last
        /// chunk. A response without a body, as to HEAD, is whole by then: a client may reuse a connection that is
        /// stalled at this moment, and wait in vain.
        case afterBody(Int64)
        /// After the whole response, which has no `Connection: close` to announce the end.
        case afterResponse
    }

    /// The server closes the connection in an orderly way: close_notify of TLS, then FIN.
    case close(Moment)

    /// The server closes the socket without close_notify; on plain HTTP the same as ``close(_:)``.
    case drop(Moment)

    /// The server resets the connection (RST), as a crashed machine or a hostile middlebox would.
    case reset(Moment)

    /// The server sends nothing more and keeps the connection open until the client closes it.
    case stall(Moment)

    /// The server sends nothing more until the test opens a gate, then continues normally.
    case hold(Moment, until: Gate)

    /// The body is sent in pieces of this many bytes, with a pause after each.
    case throttle(byteCount: Int, every: Duration)

    /// The server reads only the head of the request and does not respond: a client with a long body is blocked.
    case doNotRead
}
