// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Decodes one coding, piece by piece; knows a format and no limits.
///
/// Belongs to one ``BodyDecoder``.
protocol ContentDecoder: AnyObject {
    /// Whether the data may end here.
    var isComplete: Bool { get }

    /// Decodes as much as there is input and room.
    ///
    /// With input something is read or written, unless there is no room. It may be called without any: a decoder that filled its room may
    /// hold more.
    ///
    /// - Parameters:
    ///   - source: Encoded bytes.
    ///   - target: Room for decoded ones.
    /// - Returns: How many bytes were used of each.
    /// - Throws: ``TransportError/Code/decompressionFailed`` if the data is corrupt, or has bytes behind its end.
    func decode(
        _ source: UnsafeRawBufferPointer,
        into target: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> DecodingProgress
}

/// What one step of a ``ContentDecoder`` did.
struct DecodingProgress {
    var readCount = 0
    var writtenCount = 0
}

extension TransportError {
    static let corruptBody = TransportError.undecodable("the compressed response is corrupt")
    static let bytesBehindBody = TransportError.undecodable("the compressed response has bytes behind its end")
}
