// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Limits the acknowledgements that wait for a server which requests them and does not read.
///
/// Other bytes may wait in the channel too, the heads of a thousand requests for example; they are not counted.
struct HTTP2Answers {
    /// The number of bytes of acknowledgements after which some that were written before must have been read.
    static let limit = 512 * 1024

    private var byteCount = 0
    /// The number of bytes that had been written to the connection when the count began.
    private var mark: Int64 = 0

    /// Counts an acknowledgement.
    ///
    /// - Parameters:
    ///   - byteCount: Its size.
    ///   - progress: The progress of the connection.
    ///   - unsent: The number of bytes that wait in the channel; read only when the limit is reached.
    /// - Throws: ``HTTP2Error`` if acknowledgements that were written before the last ``limit`` bytes wait still.
    mutating func add(_ byteCount: Int, _ progress: SendProgress, unsent: @autoclosure () -> Int) throws(HTTP2Error) {
        self.byteCount += byteCount
        guard self.byteCount > Self.limit else { return }
        guard !progress.isWaiting(self.mark, waiting: unsent()) else {
            throw .limit("the server requests more acknowledgements than it reads")
        }
        (self.byteCount, self.mark) = (0, progress.writtenByteCount)
    }
}
