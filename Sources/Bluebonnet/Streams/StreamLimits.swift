// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How much a server may send at a time in a stream, where the function that reads it is given no limit of its own.
///
/// What exceeds a limit ends the stream with ``SessionError/Code/limitExceeded``. A part of ``Session/Limits``; a response that no session has
/// made has the defaults.
public struct StreamLimits: Sendable, Hashable {
    /// The largest number of bytes in a line of text, its end not counted: 1 MiB unless changed; see ``LineOptions/byteCount``.
    public var lineByteCount = 1 << 20

    /// The largest number of bytes in a JSON document among many: 8 MiB unless changed.
    ///
    /// See ``StreamedResponse/jsonLines(as:decoder:limits:)`` and
    /// ``StreamedResponse/jsonTextSequence(as:decoder:limits:skipsInvalidTexts:)``.
    public var documentByteCount = 8 << 20

    /// The limits of server-sent events.
    public var events = EventLimits()

    /// Creates the default limits.
    public init() {}
}
