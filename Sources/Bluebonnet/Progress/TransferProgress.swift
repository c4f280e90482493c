// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The progress of a transfer, in bytes.
public struct TransferProgress: Sendable, Hashable {
    /// The number of bytes transferred.
    public var completed: Int64

    /// The total number of bytes; nil if it is not known.
    public var total: Int64?

    /// The completed part, from 0 to 1; nil if the total is not known.
    ///
    /// A transfer of 0 bytes is complete from the start.
    public var fraction: Double? {
        guard let total else { return nil }
        return total <= 0 ? 1 : min(1, Double(self.completed) / Double(total))
    }

    /// Creates a progress.
    ///
    /// - Parameters:
    ///   - completed: The number of bytes transferred.
    ///   - total: The total number of bytes; nil if it is not known.
    public init(completed: Int64 = 0, total: Int64? = nil) {
        self.completed = completed
        self.total = total
    }
}
