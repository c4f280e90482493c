// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What this process holds of the machine, as the system counts it.
public enum ResidentMemory {
    /// The bytes of memory; 0 where the system does not say.
    public static func byteCount() -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The most bytes of memory that were held at once during an operation, beyond those before it; nil where the system does not say.
    ///
    /// - Parameter operation: What to measure; nothing else should run beside it.
    /// - Returns: The bytes.
    /// - Throws: What the operation throws.
    public static func peakGrowth(of operation: () throws -> Void) rethrows -> Int? {
        // Sets the peak back to what is held now (proc(5)).
        guard (try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)) != nil else {
            return nil
        }
        let before = Self.byteCount()
        try operation()
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({
                Int($0)
            })
        else { return nil }
        return kilobytes * 1024 - before
    }

    /// The number of open descriptors; 0 where the system does not say.
    public static func descriptorCount() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }
}
