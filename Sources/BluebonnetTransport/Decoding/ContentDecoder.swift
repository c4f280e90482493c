// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Decodes one coding incrementally; it knows a format and no limits.
///
/// It is used by one ``BodyDecoder`` only.
protocol ContentDecoder: AnyObject {
    /// Whether the data may end here.
    var isComplete: Bool { get }

    /// Decodes as much as input and output space allow.
    ///
    /// With input and output space, each call makes progress. It may be called without input: a decoder that filled its
    /// output may hold more.
    ///
    /// - Parameters:
    ///   - source: The encoded bytes.
    ///   - target: The space for decoded bytes.
    /// - Returns: The bytes read and the bytes written.
    /// - Throws: ``TransportError/Code/decompressionFailed`` if the data is corrupt, or bytes follow its end.
    func decode(
        _ source: UnsafeRawBufferPointer,
        into target: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> DecodingProgress
}

/// The result of one step of a ``ContentDecoder``.
struct DecodingProgress {
    var readCount = 0
    var writtenCount = 0
}

extension TransportError {
    static let corruptBody = TransportError.undecodable("the compressed response is corrupt")
    static let bytesBehindBody = TransportError.undecodable("the compressed response has bytes behind its end")
}
