// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import CZlib

/// Compresses bytes in memory in the zlib format (RFC 1950), which HTTP calls `deflate` (RFC 9110 section 8.4.1.2).
package enum ZlibEncoder {
    /// Compresses bytes, with the system's zlib at its usual level.
    ///
    /// - Parameter bytes: What to compress; up to 1 GiB.
    /// - Returns: The compressed bytes; nil if there are too many.
    package static func deflate(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count <= 1 << 30 else { return nil }
        var count = compressBound(uLong(bytes.count))
        var compressed = [UInt8](repeating: 0, count: Int(count))
        guard compress(&compressed, &count, bytes, uLong(bytes.count)) == Z_OK else { return nil }
        compressed.removeLast(compressed.count - Int(count))
        return compressed
    }
}
