// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Decodes the header blocks of one connection, in the order of their arrival (RFC 7541 section 6).
///
/// Fields are bytes until they are checked, and each is checked once: a field that is repeated from a table is not
/// checked again. The decoder holds the table, which is at most 4 KiB, and nothing of a block.
struct HPACKDecoder {
    private static let staticFields = HPACKStaticTable.fields.map { field in
        Array(field.value.utf8).withUnsafeBufferPointer {
            ResponseField(name: ResponseField.Name(field.name), value: $0)
        }
    }

    private var table = HPACKDynamicTable<ResponseField>()

    /// Decodes a complete block.
    ///
    /// - Parameters:
    ///   - block: The block, including its continuations.
    ///   - receive: Called with each field. A field with a fault concerns the stream only: the table holds it
    ///     nevertheless.
    /// - Throws: An error if the block cannot be decoded; no later block can be decoded then.
    mutating func decode(_ block: ByteBuffer, _ receive: (ResponseField) -> Void) throws(HPACKFault) {
        let fault: HPACKFault? = block.withUnsafeReadableBytes { bytes in
            do throws(HPACKFault) { try self.read(HPACKCursor(bytes), receive) } catch { return error }
            return nil
        }
        if let fault { throw fault }
    }

    private mutating func read(_ start: HPACKCursor, _ receive: (ResponseField) -> Void) throws(HPACKFault) {
        var (cursor, isAtStart) = (start, true)
        while let first = cursor.next {
            switch first {
            case 0x80...:
                receive(try self.field(at: try cursor.integer(prefix: 7)))
            case 0x40...:
                let field = try self.literal(&cursor, prefix: 6)
                self.table.insert(field)
                receive(field)
            case 0x20...:
                let size = try cursor.integer(prefix: 5)
                guard isAtStart, size <= HPACKDynamicTable<ResponseField>.defaultSize else { throw .tableSize }
                self.table.resize(to: size)
                continue
            default:
                receive(try self.literal(&cursor, prefix: 4))
            }
            isAtStart = false
        }
    }

    private func literal(_ cursor: inout HPACKCursor, prefix: Int) throws(HPACKFault) -> ResponseField {
        let index = try cursor.integer(prefix: prefix)
        let name =
            index == 0
            ? try cursor.string { ResponseField.Name(String(decoding: $0, as: UTF8.self), byteCount: $0.count) }
            : try self.field(at: index).name
        return try cursor.string { ResponseField(name: name, value: $0) }
    }

    private func field(at index: Int) throws(HPACKFault) -> ResponseField {
        let statics = Self.staticFields
        guard index > 0 else { throw .index }
        if index <= statics.count { return statics[index - 1] }
        guard index - statics.count <= self.table.entries.count else { throw .index }
        return self.table.entries[index - statics.count - 1]
    }
}
