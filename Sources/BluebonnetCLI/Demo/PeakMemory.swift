// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The peak memory usage of this process.
enum PeakMemory {
    /// The peak in bytes; nil if the system does not report it.
    ///
    /// `getrusage` is not used: its peak survives `exec`, and so may be that of the program that started this one.
    static var byteCount: Int64? {
        guard let status = try? LocalFile.text("/proc/self/status") else { return nil }
        for line in status.split(separator: "\n") where line.hasPrefix("VmHWM:") {
            let words = line.split(whereSeparator: \.isWhitespace)
            return words.count == 3 ? Int64(words[1]).map { $0 * 1024 } : nil
        }
        return nil
    }
}
