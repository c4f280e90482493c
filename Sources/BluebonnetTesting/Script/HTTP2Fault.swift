// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// An HTTP/2 event during a response; see ``ScriptedResponse/http2Faults``.
///
/// It has no effect on HTTP/1.1, for which there is ``SocketEffect``.
public enum HTTP2Fault: Sendable, Hashable {
    /// An error code (RFC 9113 section 7).
    public enum Code: UInt32, Sendable, Hashable, CaseIterable {
        case noError, protocolError, internalError, flowControlError, settingsTimeout, streamClosed, frameSizeError
        case refusedStream, cancel, compressionError, connectError, enhanceYourCalm, inadequateSecurity, http11Required
    }

    /// A setting that a server may change (RFC 9113 section 6.5.2).
    public enum Setting: Sendable, Hashable {
        /// The maximum number of concurrent requests.
        case maximumConcurrentStreams(UInt32)
        /// The number of bytes of a request body that may be sent before the server sends WINDOW_UPDATE.
        case initialWindowSize(UInt32)
        /// The maximum payload size of a frame, in bytes.
        case maximumFrameSize(UInt32)
    }

    /// The server resets the stream (RST_STREAM); the rest of the response is not sent.
    case resetStream(SocketEffect.Moment, Code)

    /// The server announces that the connection accepts no more requests (GOAWAY, RFC 9113 section 6.8).
    ///
    /// If it is processed, GOAWAY names this request as the last one, and the response continues. Otherwise it names
    /// the one before: this request was not processed, and there is no response.
    case goAway(SocketEffect.Moment, Code = .noError, isProcessed: Bool = true)

    /// The server changes its settings (SETTINGS), and the response continues.
    case settings(SocketEffect.Moment, [Setting])

    /// The server sends a PING, and the response continues.
    case ping(SocketEffect.Moment)

    /// The position in the response.
    public var moment: SocketEffect.Moment {
        switch self {
        case .resetStream(let moment, _), .goAway(let moment, _, _), .settings(let moment, _), .ping(let moment): moment
        }
    }

    /// Whether the response ends there.
    var isLast: Bool {
        switch self {
        case .resetStream: true
        case .goAway(_, _, let isProcessed): !isProcessed
        case .settings, .ping: false
        }
    }
}
