// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How far what was written to a connection has left it: a peer that takes bytes is slow, and not silent.
///
/// The channel says how many bytes wait in it. Under TLS that is a little more than was written, which does not matter: what counts is
/// that they become fewer.
struct SendProgress {
    /// The bytes that were given to the channel so far.
    private(set) var writtenByteCount: Int64 = 0
    /// The bytes that had left it when that was last noted.
    private var takenByteCount: Int64 = 0

    /// Bytes were given to the channel.
    mutating func wrote(_ byteCount: Int) {
        self.writtenByteCount += Int64(byteCount)
    }

    /// Notes how many bytes wait in the channel.
    ///
    /// - Returns: Whether the peer has taken some since that was last noted.
    @discardableResult
    mutating func note(waiting byteCount: Int) -> Bool {
        let before = self.takenByteCount
        self.takenByteCount = self.writtenByteCount - Int64(byteCount)
        return self.takenByteCount > before
    }

    /// Whether something waits in the channel still.
    ///
    /// - Parameters:
    ///   - mark: How many bytes had been written with it.
    ///   - byteCount: How many bytes wait in the channel.
    /// - Returns: Whether it is among them.
    func isWaiting(_ mark: Int64, waiting byteCount: Int) -> Bool {
        self.writtenByteCount - mark < Int64(byteCount)
    }
}
