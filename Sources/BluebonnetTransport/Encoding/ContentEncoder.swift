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
    ///   - isLast: Whether no bytes follow them.
    ///   - target: The space for encoded bytes; not empty.
    /// - Returns: The bytes read and the bytes written.
    /// - Throws: ``TransportError/Code/bodyFailed`` if the library cannot allocate memory.
    func encode(
        _ source: UnsafeRawBufferPointer,
        isLast: Bool,
        into target: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> EncodingProgress
}

/// The result of one step of a ``ContentEncoder``.
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
