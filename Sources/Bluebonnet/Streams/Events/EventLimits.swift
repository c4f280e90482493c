// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Limits on what a server may send at a time in a stream of events.
///
/// Exceeding a limit ends the stream with ``SessionError/Code/limitExceeded``; an ``EventSource`` does not reconnect
/// then. Limits above 4 GiB minus three bytes are reduced to that.
public struct EventLimits: Sendable, Hashable {
    /// The largest number of bytes in a line, without its end: 4 MiB unless set.
    public var lineByteCount: Int

    /// The largest number of bytes in the data of an event: 16 MiB unless set.
    public var eventByteCount: Int

    /// The largest number of bytes in an `id`, which is sent back in a header field: 4 KiB unless set.
    public var idByteCount: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - lineByteCount: The largest number of bytes in a line.
    ///   - eventByteCount: The largest number of bytes in the data of an event.
    ///   - idByteCount: The largest number of bytes in an `id`.
    public init(lineByteCount: Int = 4 << 20, eventByteCount: Int = 16 << 20, idByteCount: Int = 4 << 10) {
        self.lineByteCount = lineByteCount
        self.eventByteCount = eventByteCount
        self.idByteCount = idByteCount
    }
}
