// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A sink that keeps what is written in memory.
final class MemorySink: OutputSink {
    private let storage = Mutex<[UInt8]>([])

    let isTerminal: Bool
    let columns: Int

    init(isTerminal: Bool = false, columns: Int = 80) {
        self.isTerminal = isTerminal
        self.columns = columns
    }

    /// The bytes that have been written so far.
    var bytes: [UInt8] { self.storage.withLock { $0 } }

    /// The text that has been written so far.
    var text: String { String(decoding: self.bytes, as: UTF8.self) }

    func write(_ bytes: UnsafeRawBufferPointer) {
        self.storage.withLock { $0.append(contentsOf: bytes) }
    }
}

/// An empty input.
struct EmptySource: InputSource {
    let isPiped = false

    var remainingByteCount: Int64? { 0 }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }

    func waitUntilReadable(milliseconds: Int32) -> Bool { true }
}
