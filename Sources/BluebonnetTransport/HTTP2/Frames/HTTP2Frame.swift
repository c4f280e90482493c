// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A received frame; a field block includes its continuations (RFC 9113 section 6).
enum HTTP2Frame {
    /// - Parameter flowLength: The bytes that count against the flow-control windows: data and padding.
    case data(stream: UInt32, bytes: ByteBuffer, flowLength: Int, isEnd: Bool)
    /// - Parameter byteCount: The size of the frames: the block, their headers, and padding.
    case headers(stream: UInt32, block: ByteBuffer, isEnd: Bool, byteCount: Int)
    case reset(stream: UInt32, code: HTTP2ErrorCode)
    case settings([(identifier: UInt16, value: UInt32)])
    case settingsAcknowledgement
    case ping(UInt64)
    case pingAcknowledgement
    case goAway(lastStream: UInt32, code: HTTP2ErrorCode)
    case windowUpdate(stream: UInt32, increment: Int)
    /// A frame that a client may ignore: PRIORITY, and unknown types (section 5.5).
    case ignored

    /// Whether it is a part of a response; any other frame advances no exchange.
    var isPartOfResponse: Bool {
        switch self {
        case .data, .headers: true
        default: false
        }
    }

    /// The size of the header of a frame.
    static let headerSize = 9
    /// The size of a PING frame.
    static let pingSize = 17

    enum Kind {
        static let data: UInt8 = 0x0
        static let headers: UInt8 = 0x1
        static let reset: UInt8 = 0x3
        static let settings: UInt8 = 0x4
        static let pushPromise: UInt8 = 0x5
        static let ping: UInt8 = 0x6
        static let goAway: UInt8 = 0x7
        static let windowUpdate: UInt8 = 0x8
        static let continuation: UInt8 = 0x9
    }

    enum Flag {
        static let endStream: UInt8 = 0x1
        static let acknowledgement: UInt8 = 0x1
        static let endHeaders: UInt8 = 0x4
        static let padded: UInt8 = 0x8
        static let priority: UInt8 = 0x20
    }
}
