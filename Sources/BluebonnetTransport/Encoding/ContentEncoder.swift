// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Encodes one coding incrementally.
package protocol ContentEncoder: AnyObject {
    /// Whether the last byte has been written.
    var isComplete: Bool { get }

    /// Encodes some bytes.
    ///
    /// - Parameters:
    ///   - source: The bytes; those that are not read must be passed again.
    ///   - mode: What is written of them.
    ///   - target: The space for encoded bytes; not empty.
    /// - Returns: The bytes read and the bytes written.
    /// - Throws: ``TransportError/Code/bodyFailed`` if the library cannot allocate memory.
    func encode(
        _ source: UnsafeRawBufferPointer,
        _ mode: EncodingMode,
        into target: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> EncodingProgress
}

/// How much a ``ContentEncoder`` writes of the bytes that it has read.
package enum EncodingMode: Sendable {
    /// As much as it likes: it keeps bytes to encode them with later ones.
    case keeping
    /// All of them, at the cost of a few bytes, so that they can be decoded before others follow.
    case flushing
    /// All of them and the end of the data.
    case finishing
}

/// The result of one step of a ``ContentEncoder``.
package struct EncodingProgress {
    package var readCount: Int
    package var writtenCount: Int
    /// Whether the encoder keeps no bytes; only in the mode ``EncodingMode/flushing``, which is repeated until then.
    package var isFlushed: Bool

    package init(readCount: Int = 0, writtenCount: Int = 0, isFlushed: Bool = false) {
        (self.readCount, self.writtenCount, self.isFlushed) = (readCount, writtenCount, isFlushed)
    }
}

extension TransportError {
    static func unencodable(_ library: String) -> TransportError {
        TransportError(
            .bodyFailed,
            phase: .requestBody,
            reason: "\(library) cannot encode the body",
            isRequestSent: true
        )
    }
}
