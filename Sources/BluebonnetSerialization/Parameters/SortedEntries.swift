// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The entries of a dictionary in the order of their keys' UTF-8 bytes.
///
/// Swift and Foundation compare strings by different rules; bytes compare the same way on every system.
struct SortedEntries {
    struct Entry {
        /// The first eight bytes of the key, the most significant first: they decide most comparisons.
        let prefix: UInt64
        let key: String
        let value: ParameterValue
    }

    private(set) var entries: [Entry]

    /// - Parameters:
    ///   - values: The dictionary.
    ///   - isSorted: Whether to sort; if not, the order is the dictionary's own, which changes from run to run.
    init(_ values: [String: ParameterValue], isSorted: Bool = true) {
        self.entries = []
        self.entries.reserveCapacity(values.count)
        for (key, value) in values {
            self.entries.append(Entry(prefix: Self.prefix(of: key), key: key, value: value))
        }
        guard isSorted else { return }
        if self.entries.count > 24 {
            self.entries.sort(by: Self.isOrdered)
        } else {
            self.sortFew()
        }
    }

    /// Insertion sort: it allocates nothing, and is fastest for the few keys that most requests have.
    private mutating func sortFew() {
        self.entries.withUnsafeMutableBufferPointer { entries in
            guard entries.count > 1 else { return }
            for unsorted in 1..<entries.count {
                var index = unsorted
                while index > 0, Self.isOrdered(entries[index], entries[index - 1]) {
                    entries.swapAt(index, index - 1)
                    index -= 1
                }
            }
        }
    }

    private static func isOrdered(_ left: Entry, _ right: Entry) -> Bool {
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        return left.key.precedesInUTF8(right.key)
    }

    private static func prefix(of key: String) -> UInt64 {
        if let prefix = key.utf8.withContiguousStorageIfAvailable(Self.prefix) { return prefix }
        return Array(key.utf8).withUnsafeBufferPointer(Self.prefix)
    }

    private static func prefix(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        if bytes.count >= 8 { return UInt64(bigEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt64.self)) }
        var prefix: UInt64 = 0
        for byte in bytes { prefix = prefix << 8 | UInt64(byte) }
        return bytes.isEmpty ? 0 : prefix << (64 - 8 * UInt64(bytes.count))
    }
}
