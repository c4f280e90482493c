// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A field that a table can hold.
protocol HPACKEntry {
    /// Name and value together, in bytes.
    var byteCount: Int { get }
}

/// The fields that one side has sent last, newest first (RFC 7541 section 2.3.2).
struct HPACKDynamicTable<Entry: HPACKEntry> {
    /// The size at the beginning of a connection (RFC 9113 section 6.5.2), and the most that we keep, in bytes.
    static var defaultSize: Int { 4096 }

    private(set) var entries: [Entry] = []
    private(set) var size = 0
    private(set) var maximumSize = Self.defaultSize

    /// Puts a field in and drops the oldest until it has room; one that is larger than the table empties it (section 4.4).
    mutating func insert(_ entry: Entry) {
        let size = Self.size(of: entry)
        self.shrink(to: self.maximumSize - size)
        guard size <= self.maximumSize else { return }
        self.entries.insert(entry, at: 0)
        self.size += size
    }

    /// Changes the size and drops what no longer has room (section 4.3).
    mutating func resize(to maximumSize: Int) {
        self.maximumSize = maximumSize
        self.shrink(to: maximumSize)
    }

    /// What a field counts for (section 4.1).
    static func size(of entry: Entry) -> Int { entry.byteCount + 32 }

    private mutating func shrink(to limit: Int) {
        while self.size > Swift.max(limit, 0), let oldest = self.entries.popLast() {
            self.size -= Self.size(of: oldest)
        }
    }
}
