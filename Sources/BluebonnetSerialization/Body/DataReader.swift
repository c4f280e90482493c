// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Reads bytes in memory.
struct DataReader: BodyReader {
    private let data: Data
    private var offset = 0

    init(_ data: Data) {
        self.data = data
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = self.data.copyBytes(from: self.offset, into: buffer)
        self.offset += count
        return count
    }
}

extension Data {
    /// Copies as many bytes as are available and fit.
    ///
    /// - Returns: The number of bytes copied.
    func copyBytes(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        self.withUnsafeBytes { bytes in
            let count = Swift.min(bytes.count - offset, buffer.count)
            guard count > 0 else { return 0 }
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
            return count
        }
    }
}
