// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The kind of traffic that a connection carries, which queues in this machine and in routers act on.
///
/// Each class has a Differentiated Services code point (RFC 2474), which marks every packet of a connection, and a
/// priority for the queues of this machine (`SO_PRIORITY`, socket(7)). The code points are those of RFC 4594 section
/// 2.3 and, for ``lowerEffort``, RFC 8622. The priorities are the user priorities to which RFC 8325 section 4.3 maps
/// them, which Wi-Fi drivers use.
///
/// | Class | Code point | Value | Priority |
/// |---|---|---|---|
/// | ``standard`` | DF | 0 | 0 |
/// | ``lowerEffort`` | LE | 1 | 1 |
/// | ``lowLatencyData`` | AF21 | 18 | 3 |
/// | ``multimediaStreaming`` | AF31 | 26 | 4 |
/// | ``realTimeInteractive`` | CS4 | 32 | 4 |
/// | ``multimediaConferencing`` | AF41 | 34 | 4 |
/// | ``signaling`` | CS5 | 40 | 5 |
/// | ``telephony`` | EF | 46 | 6 |
///
/// A code point is a request only: many networks clear it. Requests of different classes never share a connection.
public enum TrafficClass: String, Sendable, Hashable, CaseIterable {
    /// Traffic without a class; sockets keep the system's defaults.
    case standard
    /// Traffic that may wait until there is nothing else to send.
    case lowerEffort
    /// Short exchanges that a person waits for.
    case lowLatencyData
    /// Audio and video that are buffered before playback.
    case multimediaStreaming
    /// Audio and video that cannot adapt to the network.
    case realTimeInteractive
    /// Conferences whose encoders adapt to the network.
    case multimediaConferencing
    /// Call signaling.
    case signaling
    /// Voice.
    case telephony

    /// The code point: the upper six bits of the DS field (RFC 2474 section 3).
    public var codePoint: UInt8 {
        switch self {
        case .standard: 0
        case .lowerEffort: 1
        case .lowLatencyData: 18
        case .multimediaStreaming: 26
        case .realTimeInteractive: 32
        case .multimediaConferencing: 34
        case .signaling: 40
        case .telephony: 46
        }
    }

    /// The priority for the queues of this machine: 0 to 6, which any process may set.
    public var priority: UInt8 {
        switch self {
        case .standard: 0
        case .lowerEffort: 1
        case .lowLatencyData: 3
        case .multimediaStreaming, .realTimeInteractive, .multimediaConferencing: 4
        case .signaling: 5
        case .telephony: 6
        }
    }
}
