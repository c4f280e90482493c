// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import BluebonnetCLI

/// A pipe with a text in it.
final class PipedText: InputSource {
    private let bytes: [UInt8]
    private let position = Mutex(0)
    /// How many bytes a read gives at most, as a pipe does.
    private let pieceSize: Int

    init(_ bytes: [UInt8], pieceSize: Int = .max) {
        self.bytes = bytes
        self.pieceSize = pieceSize
    }

    convenience init(_ text: String) { self.init(Array(text.utf8)) }

    let isPiped = true

    let remainingByteCount: Int64? = nil

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        self.position.withLock { position in
            let count = min(buffer.count, self.bytes.count - position, self.pieceSize)
            buffer.copyBytes(from: self.bytes[position..<(position + count)])
            position += count
            return count
        }
    }

    func waitUntilReadable(milliseconds: Int32) -> Bool { true }
}
