// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How much a peer may make the engine store.
///
/// The limits apply to a transport; a request may have its own, see ``TransportRequest/limits``. The time limit for the
/// head of a response is ``Timeouts/responseHead``.
///
/// An exchange that exceeds a limit fails with ``TransportError/Code/limitExceeded``, or with
/// ``TransportError/Code/decompressionFailed`` for a limit on decoding.
public struct TransportLimits: Sendable, Hashable {
    /// The maximum size of a response's status line and header fields together, in bytes: 64 KiB unless changed.
    ///
    /// On HTTP/2, a request cannot raise this above the limit of its transport.
    public var maximumHeadByteCount = 64 * 1024

    /// The maximum size of a response's trailer fields, in bytes: 16 KiB unless changed.
    public var maximumTrailerByteCount = 16 * 1024

    /// The maximum number of header fields, and of trailer fields: 256 unless changed; never more than 60,000.
    public var maximumFieldCount = 256

    /// The maximum number of informational responses (1xx) before the final one: 16 unless changed.
    public var maximumInformationalResponseCount = 16

    /// The maximum size of one chunk-size line with its extensions, in bytes: 4 KiB unless changed.
    public var maximumChunkLineByteCount = 4 * 1024

    /// The maximum excess of chunk framing in one response, in bytes: 16 KiB unless changed.
    ///
    /// Each chunk may have a size line of 16 bytes, and two more bytes for each byte of data; the excess is added up.
    /// Only chunk extensions that are longer than the data can reach this limit.
    public var maximumChunkOverheadByteCount = 16 * 1024

    /// The maximum number of nested codings that are decoded: 2 unless changed.
    ///
    /// It is checked if ``TransportRequest/decodesContent`` is set; a response with more codings fails.
    public var maximumCodingCount = 2

    /// The maximum ratio of the decoded size of a body to its size on the wire: 200 unless changed.
    ///
    /// It is checked once more than 4 MiB have been decoded; a body that expands further is treated as a decompression
    /// bomb.
    public var maximumDecodingRatio = 200

    /// The maximum decoded size of a compressed body, in bytes; nil, the default, for no limit.
    ///
    /// A collected response has its own limit, which counts decoded bytes too.
    public var maximumDecodedByteCount: Int64?

    /// Creates the default limits.
    public init() {}
}
