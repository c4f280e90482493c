// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The server's settings (RFC 9113 section 6.5.2), and our own.
struct HTTP2Settings {
    enum Identifier {
        static let headerTableSize: UInt16 = 0x1
        static let enablePush: UInt16 = 0x2
        static let maximumConcurrentStreams: UInt16 = 0x3
        static let initialWindowSize: UInt16 = 0x4
        static let maximumFrameSize: UInt16 = 0x5
        static let maximumHeaderListSize: UInt16 = 0x6
    }

    /// The largest flow-control window (section 6.9.1).
    static let maximumWindow = 0x7FFF_FFFF
    /// The largest stream identifier (section 5.1.1).
    static let maximumStreamID: UInt32 = 0x7FFF_FFFF
    /// The connection's flow-control window, in bytes: enough for many responses.
    static let connectionWindow = 16 * 1024 * 1024
    /// The maximum number of streams that we open on one connection, whatever the server allows.
    static let streamCeiling = 1000

    /// The number of concurrent streams that the server allows; until its first SETTINGS frame, what it allowed last,
    /// or 100, the recommended minimum.
    var maximumConcurrentStreams = 100
    var initialWindowSize = 65_535
    var maximumFrameSize = 16 * 1024
    var headerTableSize = 4096
    /// The sizes in the last frame, in order: the smallest counts as well as the last (RFC 7541 section 4.2).
    private(set) var headerTableSizes = [Int]()
    private(set) var hasArrived = false

    /// Applies the server's settings.
    mutating func apply(_ settings: [(identifier: UInt16, value: UInt32)]) throws(HTTP2Error) {
        // A first SETTINGS frame without this setting means that there is no limit.
        if !self.hasArrived { self.maximumConcurrentStreams = Self.streamCeiling }
        self.hasArrived = true
        self.headerTableSizes = []
        for (identifier, value) in settings {
            switch identifier {
            case Identifier.headerTableSize:
                self.headerTableSize = Int(value)
                self.headerTableSizes.append(Int(value))
            case Identifier.enablePush:
                guard value == 0 else {
                    throw .violation("the server sent SETTINGS_ENABLE_PUSH with a value other than 0")
                }
            case Identifier.maximumConcurrentStreams:
                self.maximumConcurrentStreams = Swift.min(Int(value), Self.streamCeiling)
            case Identifier.initialWindowSize:
                guard value <= Self.maximumWindow else {
                    throw .violation("the server's SETTINGS_INITIAL_WINDOW_SIZE is too large", .flowControlError)
                }
                self.initialWindowSize = Int(value)
            case Identifier.maximumFrameSize:
                guard (16_384...16_777_215).contains(value) else {
                    throw .violation("the server's SETTINGS_MAX_FRAME_SIZE is out of range")
                }
                // Larger frames gain nothing, and would delay the other streams.
                self.maximumFrameSize = Swift.min(Int(value), 64 * 1024)
            default:
                break
            }
        }
    }
}
