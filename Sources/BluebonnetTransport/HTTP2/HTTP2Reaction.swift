// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What to do about a frame of a stream.
enum HTTP2Reaction<IO> {
    /// Nothing: it was about windows, or the stream has ended on our side, and the frame is late.
    case none
    /// It is handed on.
    case deliver(HTTP2Stream<IO>)
    /// The rest of the request is not wanted.
    case stopBody(HTTP2Stream<IO>)
    /// The peer wants the request over HTTP/1.1.
    case fallBack(HTTP2Stream<IO>)
    /// The peer has ended the stream.
    case fail(HTTP2Stream<IO>, TransportError)
    /// The stream has to be reset.
    case reject(HTTP2Stream<IO>, TransportError, HTTP2ErrorCode)
}

/// What has changed with the settings of the peer.
struct HTTP2SettingsChange: Equatable {
    /// Every size that the peer has asked for, in order; none if they are all what it was.
    var headerTableSizes = [Int]()
    var capacity: Int?
}
