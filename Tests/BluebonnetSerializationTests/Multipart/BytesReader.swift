// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// Gives some bytes, at most so many at a time, and then the end or an error.
struct BytesReader: BodyReader {
    struct Failure: Error {}

    private var bytes: ArraySlice<UInt8>
    private let most: Int
    private let fails: Bool

    init(_ bytes: [UInt8], most: Int = .max, fails: Bool = false) {
        self.bytes = bytes[...]
        self.most = most
        self.fails = fails
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if self.bytes.isEmpty, self.fails { throw Failure() }
        let count = min(buffer.count, self.most, self.bytes.count)
        buffer.copyBytes(from: self.bytes.prefix(count))
        self.bytes = self.bytes.dropFirst(count)
        return count
    }
}
