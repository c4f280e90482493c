// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Tracks how many written bytes have left the connection: a peer that accepts bytes is slow, but not silent.
///
/// The channel reports how many bytes are buffered. Under TLS that is slightly more than was written, which does not
/// matter: only a decrease counts.
struct SendProgress {
    /// The total number of bytes written to the channel.
    private(set) var writtenByteCount: Int64 = 0
    /// The number of bytes that had left the channel at the last ``note(waiting:)``.
    private var takenByteCount: Int64 = 0

    /// Counts bytes written to the channel.
    mutating func wrote(_ byteCount: Int) {
        self.writtenByteCount += Int64(byteCount)
    }

    /// Updates the progress with the number of bytes buffered in the channel.
    ///
    /// - Returns: Whether the peer has accepted some since the last call.
    @discardableResult
    mutating func note(waiting byteCount: Int) -> Bool {
        let before = self.takenByteCount
        self.takenByteCount = self.writtenByteCount - Int64(byteCount)
        return self.takenByteCount > before
    }

    /// Whether particular bytes are still buffered in the channel.
    ///
    /// - Parameters:
    ///   - mark: The value of ``writtenByteCount`` after those bytes were written.
    ///   - byteCount: The number of bytes buffered in the channel.
    /// - Returns: Whether those bytes are among them.
    func isWaiting(_ mark: Int64, waiting byteCount: Int) -> Bool {
        self.writtenByteCount - mark < Int64(byteCount)
    }
}
