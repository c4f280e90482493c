// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps what is written in memory.
final class MemorySink: OutputSink {
    private let storage = Mutex<[UInt8]>([])

    let isTerminal: Bool
    let columns: Int

    init(isTerminal: Bool = false, columns: Int = 80) {
        self.isTerminal = isTerminal
        self.columns = columns
    }

    /// What has been written so far.
    var bytes: [UInt8] { self.storage.withLock { $0 } }

    /// What has been written so far, as text.
    var text: String { String(decoding: self.bytes, as: UTF8.self) }

    func write(_ bytes: UnsafeRawBufferPointer) {
        self.storage.withLock { $0.append(contentsOf: bytes) }
    }
}

/// An input with nothing in it.
struct EmptySource: InputSource {
    let isPiped = false

    var remainingByteCount: Int64? { 0 }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }

    func waitUntilReadable(milliseconds: Int32) -> Bool { true }
}
