// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Encodes the header blocks of one connection, in the order in which they are sent (RFC 7541 section 6).
struct HPACKEncoder {
    /// Whether a field enters the dynamic table, from which a repetition costs one byte.
    enum Indexing {
        case incremental
        case without
        /// Never indexed, not even by an intermediary: a secret must not be guessable from its compressed size (section
        /// 7.1.3).
        case never
    }

    private struct Entry: HPACKEntry {
        let name: String
        let value: [UInt8]
        var byteCount: Int { self.name.utf8.count + self.value.count }
    }

    private var table = HPACKDynamicTable<Entry>()
    /// The smallest and the last table size that the peer announced since the last block (section 4.2).
    private var resizing: (smallest: Int, last: Int)?

    /// Sets the peer's limit for the table, in bytes; ours is never larger than 4 KiB.
    mutating func allowTable(of byteCount: Int) {
        let size = Swift.min(byteCount, HPACKDynamicTable<Entry>.defaultSize)
        self.resizing = (smallest: Swift.min(size, self.resizing?.smallest ?? size), last: size)
    }

    /// Begins a block.
    mutating func begin(_ block: inout ByteBuffer) {
        guard let resizing else { return }
        self.resizing = nil
        for size in Set([resizing.smallest, resizing.last]).sorted() {
            self.table.resize(to: size)
            Self.write(size, prefix: 5, pattern: 0x20, into: &block)
        }
    }

    /// Appends a field.
    ///
    /// - Parameters:
    ///   - name: The name in lower case.
    ///   - value: The bytes of the value.
    ///   - indexing: How the peer indexes the field.
    ///   - block: The block that has begun.
    mutating func append(
        _ name: String,
        _ value: UnsafeBufferPointer<UInt8>,
        indexing: Indexing,
        into block: inout ByteBuffer
    ) {
        let place = self.find(name, value)
        if let index = place.field, indexing == .incremental {
            return Self.write(index, prefix: 7, pattern: 0x80, into: &block)
        }
        let index = place.name ?? 0
        switch indexing {
        case .never: Self.write(index, prefix: 4, pattern: 0x10, into: &block)
        case .without: Self.write(index, prefix: 4, pattern: 0x00, into: &block)
        case .incremental:
            let entry = Entry(name: name, value: Array(value))
            // A field that would evict all others costs more than it saves.
            let isKept = HPACKDynamicTable.size(of: entry) <= self.table.maximumSize / 2
            Self.write(index, prefix: isKept ? 6 : 4, pattern: isKept ? 0x40 : 0x00, into: &block)
            if isKept { self.table.insert(entry) }
        }
        if index == 0 {
            var name = name
            name.withUTF8 { Self.write($0, into: &block) }
        }
        Self.write(value, into: &block)
    }

    /// Finds the index of a field, and that of its name.
    private func find(_ name: String, _ value: UnsafeBufferPointer<UInt8>) -> (field: Int?, name: Int?) {
        let statics = HPACKStaticTable.fields
        var known: Int?
        // The dynamic table is searched first: from the second request on, it holds most of a head.
        for (offset, entry) in self.table.entries.enumerated() where entry.name == name {
            known = known ?? statics.count + 1 + offset
            if entry.value.elementsEqual(value) { return (statics.count + 1 + offset, known) }
        }
        guard let first = HPACKStaticTable.indices[name] else { return (nil, known) }
        let field = (first...statics.count).prefix { statics[$0 - 1].name == name }
            .first { statics[$0 - 1].value.utf8.elementsEqual(value) }
        return (field, first)
    }

    private static func write(_ bytes: UnsafeBufferPointer<UInt8>, into block: inout ByteBuffer) {
        let count = HPACKHuffman.encodedCount(bytes)
        guard count < bytes.count else {
            Self.write(bytes.count, prefix: 7, pattern: 0, into: &block)
            block.writeBytes(bytes)
            return
        }
        Self.write(count, prefix: 7, pattern: 0x80, into: &block)
        HPACKHuffman.encode(bytes, into: &block)
    }

    /// Writes an integer after the pattern of its representation (section 5.1).
    private static func write(_ value: Int, prefix: Int, pattern: UInt8, into block: inout ByteBuffer) {
        let full = 1 << prefix - 1
        guard value >= full else {
            block.writeInteger(pattern | UInt8(value))
            return
        }
        block.writeInteger(pattern | UInt8(full))
        var rest = value - full
        while rest >= 0x80 {
            block.writeInteger(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        block.writeInteger(UInt8(rest))
    }
}
