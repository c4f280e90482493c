// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What goes wrong with the connection of a ``ScriptedResponse``.
public enum SocketEffect: Sendable, Hashable {
    /// A place in a response.
    public enum Moment: Sendable, Hashable {
        /// The request was read, nothing of the response was sent.
        case beforeResponse
        /// The status line and the header fields were sent, nothing of the body.
        case afterHead
        /// This many bytes of the body were sent; of a raw response, this many bytes of the whole.
        ///
        /// Chunk framing does not count. With as many bytes as the body has, or more, a chunked body still lacks its last chunk.
        case afterBody(Int64)
        /// The response was sent whole, without a `Connection: close` that would have announced the end.
        case afterResponse
    }

    /// The server closes the connection in an orderly way: TLS close notice, then FIN.
    case close(Moment)

    /// The server closes the socket without a TLS close notice; on plain HTTP the same as ``close(_:)``.
    case drop(Moment)

    /// The connection is reset (RST), as by a crashed machine or a hostile middlebox.
    case reset(Moment)

    /// The server sends nothing more and keeps the connection open, until the client gives up.
    case stall(Moment)

    /// The server sends nothing more until the test opens a gate, then goes on as if nothing had been.
    case hold(Moment, until: Gate)

    /// The body comes in pieces of so many bytes, with a pause after each.
    case throttle(byteCount: Int, every: Duration)

    /// The head of the request is read and nothing more, and there is no answer: a client with a long body is stuck.
    case doNotRead
}
