// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What the peer has told about itself (RFC 9113 section 6.5.2), and what we tell about us.
struct HTTP2Settings {
    enum Identifier {
        static let headerTableSize: UInt16 = 0x1
        static let enablePush: UInt16 = 0x2
        static let maximumConcurrentStreams: UInt16 = 0x3
        static let initialWindowSize: UInt16 = 0x4
        static let maximumFrameSize: UInt16 = 0x5
        static let maximumHeaderListSize: UInt16 = 0x6
    }

    /// The largest window there can be (section 6.9.1).
    static let maximumWindow = 0x7FFF_FFFF
    /// The last number that a stream of ours can have (section 5.1.1).
    static let maximumStreamID: UInt32 = 0x7FFF_FFFF
    /// How many bytes the peer may send on the connection before we give the window back: many responses' worth.
    static let connectionWindow = 16 * 1024 * 1024
    /// The most streams that we open on one connection, whatever the peer allows.
    static let streamCeiling = 1000

    /// How many streams the peer allows at a time; 100, the least that peers are asked to allow, until it has said so.
    var maximumConcurrentStreams = 100
    var initialWindowSize = 65_535
    var maximumFrameSize = 16 * 1024
    var headerTableSize = 4096
    /// The sizes in the last frame that came, in order: the smallest one counts as well as the last (RFC 7541 section 4.2).
    private(set) var headerTableSizes = [Int]()
    private var hasArrived = false

    /// Takes in what the peer says.
    mutating func apply(_ settings: [(identifier: UInt16, value: UInt32)]) throws(HTTP2Fault) {
        // The first SETTINGS frame without a limit means that there is none.
        if !self.hasArrived { self.maximumConcurrentStreams = Self.streamCeiling }
        self.hasArrived = true
        self.headerTableSizes = []
        for (identifier, value) in settings {
            switch identifier {
            case Identifier.headerTableSize:
                self.headerTableSize = Int(value)
                self.headerTableSizes.append(Int(value))
            case Identifier.enablePush:
                guard value == 0 else { throw .violation("the peer wants to be pushed to, which no server may") }
            case Identifier.maximumConcurrentStreams:
                self.maximumConcurrentStreams = Swift.min(Int(value), Self.streamCeiling)
            case Identifier.initialWindowSize:
                guard value <= Self.maximumWindow else {
                    throw .violation("the peer's initial window is too large", .flowControlError)
                }
                self.initialWindowSize = Int(value)
            case Identifier.maximumFrameSize:
                guard (16_384...16_777_215).contains(value) else {
                    throw .violation("the peer's frame size is not allowed")
                }
                // Larger frames bring nothing, and would hold up the other streams.
                self.maximumFrameSize = Swift.min(Int(value), 64 * 1024)
            default:
                break
            }
        }
    }
}
