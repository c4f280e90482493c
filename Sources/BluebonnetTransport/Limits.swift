// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How much a peer may make the engine hold.
///
/// One value for a transport; a request may bring its own, see ``TransportRequest/limits``. How long the head of a response may take is
/// ``Timeouts/responseHead``.
///
/// Whatever passes a limit fails its exchange with ``TransportError/Code/limitExceeded``, or with
/// ``TransportError/Code/decompressionFailed`` where the limit is one of decoding.
public struct Limits: Sendable, Hashable {
    /// The bytes of a response's status line and header fields together: 64 KiB unless changed.
    ///
    /// On HTTP/2 a request cannot raise this above the limit of its transport.
    public var maximumHeadByteCount = 64 * 1024

    /// The bytes of the fields behind a response's body: 16 KiB unless changed.
    public var maximumTrailerByteCount = 16 * 1024

    /// The number of header fields, and of trailer fields: 256 unless changed; never more than 60,000.
    public var maximumFieldCount = 256

    /// The informational responses (1xx) before the final one: 16 unless changed.
    public var maximumInformationalResponseCount = 16

    /// The bytes of one chunk-size line with its extensions: 4 KiB unless changed.
    public var maximumChunkLineByteCount = 4 * 1024

    /// The bytes of chunk framing in one response that its data does not account for: 16 KiB unless changed.
    ///
    /// Each chunk may have a size line of 16 bytes, and two more bytes for each byte of data; the bytes beyond add up. Only chunk extensions
    /// that are longer than the data reach this.
    public var maximumChunkOverheadByteCount = 16 * 1024

    /// How many codings of a body are decoded, one inside the other: 2 unless changed.
    ///
    /// Looked at where ``TransportRequest/decodesContent`` is set; a response with more fails.
    public var maximumCodingCount = 2

    /// How many times larger than on the wire a compressed body may become: 200 unless changed.
    ///
    /// Looked at when more than 4 MiB have been decoded; what expands more is a bomb.
    public var maximumDecodingRatio = 200

    /// The bytes a compressed body may expand to; nil, the default, for any number.
    ///
    /// A collected response has its own limit, which counts decoded bytes too.
    public var maximumDecodedByteCount: Int64?

    /// Creates the default limits.
    public init() {}
}
