// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The limits on a stream from a server, for functions that are not given their own.
///
/// Exceeding a limit ends the stream with ``SessionError/Code/limitExceeded``. They are a part of ``Session/Limits``; a
/// response that was not made by a session has the defaults.
public struct StreamLimits: Sendable, Hashable {
    /// The largest number of bytes in a line of text, without its end: 1 MiB unless changed; see
    /// ``LineOptions/lineByteCount``.
    public var lineByteCount = 1 << 20

    /// The largest number of bytes in one of several JSON documents: 8 MiB unless changed.
    ///
    /// See ``StreamedResponse/jsonLines(as:decoder:limits:)`` and
    /// ``StreamedResponse/jsonTextSequence(as:decoder:limits:skipsInvalidTexts:)``.
    public var documentByteCount = 8 << 20

    /// The limits of server-sent events.
    public var events = EventLimits()

    /// Creates the default limits.
    public init() {}
}
