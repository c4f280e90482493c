// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Encodes one coding, piece by piece.
package protocol ContentEncoder: AnyObject {
    /// Whether the last byte has been written.
    var isComplete: Bool { get }

    /// Encodes some bytes.
    ///
    /// - Parameters:
    ///   - source: The bytes; those that are not read have to be given again.
    ///   - isLast: Whether nothing follows them.
    ///   - target: Where the encoded bytes go; not empty.
    /// - Returns: How many bytes were used of each.
    /// - Throws: ``TransportError/Code/bodyFailed`` if the library has no memory.
    func encode(
        _ source: UnsafeRawBufferPointer,
        isLast: Bool,
        into target: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> EncodingProgress
}

/// What one step of a ``ContentEncoder`` did.
package struct EncodingProgress {
    package var readCount = 0
    package var writtenCount = 0
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
