// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A field that a table can hold.
protocol HPACKEntry {
    /// The length of name and value together, in bytes.
    var byteCount: Int { get }
}

/// The dynamic table: the fields that one side sent most recently, newest first (RFC 7541 section 2.3.2).
struct HPACKDynamicTable<Entry: HPACKEntry> {
    /// The initial size (RFC 9113 section 6.5.2), and the largest that we use, in bytes.
    static var defaultSize: Int { 4096 }

    private(set) var entries: [Entry] = []
    private(set) var size = 0
    private(set) var maximumSize = Self.defaultSize

    /// Inserts a field and evicts the oldest until it fits; a field larger than the table empties it (section 4.4).
    mutating func insert(_ entry: Entry) {
        let size = Self.size(of: entry)
        self.shrink(to: self.maximumSize - size)
        guard size <= self.maximumSize else { return }
        self.entries.insert(entry, at: 0)
        self.size += size
    }

    /// Changes the maximum size and evicts what no longer fits (section 4.3).
    mutating func resize(to maximumSize: Int) {
        self.maximumSize = maximumSize
        self.shrink(to: maximumSize)
    }

    /// Returns the size of an entry (section 4.1).
    static func size(of entry: Entry) -> Int { entry.byteCount + 32 }

    private mutating func shrink(to limit: Int) {
        while self.size > Swift.max(limit, 0), let oldest = self.entries.popLast() {
            self.size -= Self.size(of: oldest)
        }
    }
}
