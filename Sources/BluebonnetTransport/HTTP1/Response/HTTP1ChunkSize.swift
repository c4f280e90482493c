// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// Parses the chunk-size line (RFC 9112 section 7.1).
enum HTTP1ChunkSize {
    /// Parses the size at the start of a line; chunk extensions are ignored.
    static func parse(_ line: UnsafeRawBufferPointer) throws(TransportError) -> Int64 {
        var size: Int64 = 0
        var place = 0
        while place < line.count, let digit = line[place].hexadecimalValue {
            // Fifteen hexadecimal digits always fit into an Int64, and no real chunk is larger. Leading zeros do not
            // count.
            guard size < 1 << 56 else { throw .violation("a chunk of the response claims an impossible size") }
            size = size << 4 | Int64(digit)
            place += 1
        }
        let extensions = UnsafeRawBufferPointer(rebasing: line[place...]).trimmingBlanks()
        guard place > 0, extensions.isEmpty || extensions[0] == UInt8(ascii: ";"),
            extensions.firstIndex(of: 0x0D, from: 0) == nil, extensions.firstIndex(of: 0, from: 0) == nil
        else {
            throw .violation("a chunk of the response has no valid size")
        }
        return size
    }
}
