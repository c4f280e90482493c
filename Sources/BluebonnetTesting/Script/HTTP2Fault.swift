// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What a server does to HTTP/2 in the middle of a response; see ``ScriptedResponse/http2Faults``.
///
/// Without effect on HTTP/1.1, where ``SocketEffect`` says what goes wrong.
public enum HTTP2Fault: Sendable, Hashable {
    /// An error code (RFC 9113 section 7).
    public enum Code: UInt32, Sendable, Hashable, CaseIterable {
        case noError, protocolError, internalError, flowControlError, settingsTimeout, streamClosed, frameSizeError
        case refusedStream, cancel, compressionError, connectError, enhanceYourCalm, inadequateSecurity, http11Required
    }

    /// A setting that a server may change (RFC 9113 section 6.5.2).
    public enum Setting: Sendable, Hashable {
        /// How many requests may be under way at a time.
        case maximumConcurrentStreams(Int)
        /// How many bytes of a request's body may be sent before the server asks for more.
        case initialWindowSize(Int)
        /// How many bytes a frame may have.
        case maximumFrameSize(Int)
    }

    /// The stream is reset (RST_STREAM); nothing more of the response is sent.
    case resetStream(SocketEffect.Moment, Code)

    /// The connection takes no more requests (GOAWAY, RFC 9113 section 6.8).
    ///
    /// A frame that is processed names this request as the last one, and the response goes on. Otherwise it names the one before: this request
    /// was not looked at, and there is no response.
    case goAway(SocketEffect.Moment, Code = .noError, isProcessed: Bool = true)

    /// The server changes its settings (SETTINGS), and the response goes on.
    case settings(SocketEffect.Moment, [Setting])

    /// The server asks for a sign of life (PING), and the response goes on.
    case ping(SocketEffect.Moment)

    /// Where in the response it happens.
    public var moment: SocketEffect.Moment {
        switch self {
        case .resetStream(let moment, _), .goAway(let moment, _, _), .settings(let moment, _), .ping(let moment): moment
        }
    }

    /// Whether nothing follows it.
    var isLast: Bool {
        switch self {
        case .resetStream: true
        case .goAway(_, _, let isProcessed): !isProcessed
        case .settings, .ping: false
        }
    }
}
