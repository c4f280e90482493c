// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CFileSystem
#endif

/// Starting to write a file to the disk while its later bytes arrive, so that the wait for the disk at its end is short.
///
/// The system itself starts when bytes have been in memory for half a minute, or fill a share of it: a download of
/// 1 GiB to a fast disk then waits a quarter of its time at the end.
enum Writeback {
    /// The bytes that are started together: smaller pieces took more processor time, larger ones left more to wait for.
    static let interval: Int64 = 8 * 1024 * 1024

    /// The intervals that end in a range of bytes just written; empty if none does.
    ///
    /// Where several ranges are written in parallel, those of an interval that are missing yet are started with the file's
    /// end.
    static func intervals(endingIn written: Range<Int64>) -> Range<Int64> {
        let start = written.lowerBound / self.interval * self.interval
        return start..<max(start, written.upperBound / self.interval * self.interval)
    }

    /// Starts to write to the disk what intervals that end in a range hold; errors are left to who waits for the disk.
    static func begin(_ descriptor: CInt, after written: Range<Int64>) {
        let due = self.intervals(endingIn: written)
        guard !due.isEmpty else { return }
        #if os(Linux)
        _ = file_begin_writeback(descriptor, off_t(due.lowerBound), off_t(due.count))
        #endif
    }
}
