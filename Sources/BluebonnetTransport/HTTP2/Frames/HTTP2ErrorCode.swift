// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The error code of a stream or connection (RFC 9113 section 7).
struct HTTP2ErrorCode: Hashable, Sendable, CustomStringConvertible {
    let rawValue: UInt32

    static let noError = Self(rawValue: 0x0)
    static let protocolError = Self(rawValue: 0x1)
    static let flowControlError = Self(rawValue: 0x3)
    static let frameSizeError = Self(rawValue: 0x6)
    static let refusedStream = Self(rawValue: 0x7)
    static let cancel = Self(rawValue: 0x8)
    static let compressionError = Self(rawValue: 0x9)
    static let enhanceYourCalm = Self(rawValue: 0xB)
    static let http11Required = Self(rawValue: 0xD)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    var description: String {
        self.rawValue < UInt32(Self.names.count)
            ? Self.names[Int(self.rawValue)] : "0x" + String(self.rawValue, radix: 16)
    }
}

/// A violation of the protocol or of a limit by the server.
struct HTTP2Error: Error {
    /// The error code that is sent to the server.
    let code: HTTP2ErrorCode
    /// The error that the caller receives.
    let error: TransportError

    static func violation(_ reason: String, _ code: HTTP2ErrorCode = .protocolError) -> HTTP2Error {
        HTTP2Error(code: code, error: .violation(reason))
    }

    static func limit(_ reason: String) -> HTTP2Error {
        HTTP2Error(code: .enhanceYourCalm, error: .limit(reason))
    }
}
