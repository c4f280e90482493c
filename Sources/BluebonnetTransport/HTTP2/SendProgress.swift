// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Tracks how many written bytes have left the connection: a server that accepts bytes is slow, but not silent.
///
/// The channel reports how many bytes are buffered. Under TLS that is slightly more than was written, which does not
/// matter: only a decrease counts.
struct SendProgress {
    /// The total number of bytes written to the channel.
    private(set) var writtenByteCount: Int64 = 0
    /// The number of bytes that had left the channel at the last ``note(waiting:)``.
    private var takenByteCount: Int64 = 0
    /// Whether bytes were buffered in the channel at the last ``note(waiting:)``: the system had no room for them.
    private var isBlocked = false
    /// Whether buffered bytes have left the channel since the last ``takeDrain()``.
    private var hasDrained = false
    /// Whether part of a request is in the bytes that were gathered and not yet written.
    private var hasGatheredRequest = false
    /// When bytes of a body were last gathered, of whichever stream.
    private(set) var lastGathered = NIODeadline.uptimeNanoseconds(0)

    /// Notes that bytes of a body are being gathered.
    mutating func gathered(_ now: NIODeadline) { self.lastGathered = now }

    /// Notes that a head or a frame of a body was gathered.
    ///
    /// - Parameter byteCount: The number of bytes gathered, with those, and not yet written.
    /// - Returns: The value of ``writtenByteCount`` after they are written.
    mutating func gatheredRequest(_ byteCount: Int) -> Int64 {
        self.hasGatheredRequest = true
        return self.writtenByteCount + Int64(byteCount)
    }

    /// Counts bytes written to the channel.
    ///
    /// - Returns: Whether part of a request was among them.
    mutating func wrote(_ byteCount: Int) -> Bool {
        defer { self.hasGatheredRequest = false }
        self.writtenByteCount += Int64(byteCount)
        return self.hasGatheredRequest
    }

    /// Updates the progress with the number of bytes buffered in the channel.
    mutating func note(waiting byteCount: Int) {
        let before = self.takenByteCount
        self.takenByteCount = self.writtenByteCount - Int64(byteCount)
        // What the system has room for leaves the channel at once, whether or not the server is alive.
        if self.takenByteCount > before, self.isBlocked { self.hasDrained = true }
        self.isBlocked = byteCount > 0
    }

    /// Whether bytes that were buffered in the channel have left it since the last call: the server has accepted
    /// some.
    mutating func takeDrain() -> Bool {
        defer { self.hasDrained = false }
        return self.hasDrained
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
