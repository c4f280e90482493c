// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The bytes of a response body, read piece by piece; a long body is never completely in memory.
struct BodySource: Sendable {
    private enum Storage: Sendable {
        case buffer(ByteBuffer)
        case pattern(Range<Int64>)
        case file(ServedFile)
    }

    private var storage: Storage

    /// An empty source.
    static var empty: BodySource { BodySource(ByteBuffer()) }

    /// Creates a source from bytes in memory.
    init(_ buffer: ByteBuffer) {
        self.storage = .buffer(buffer)
    }

    /// Creates a source from the UTF-8 bytes of a text.
    init(_ text: String) {
        self.init(ByteBuffer(string: text))
    }

    /// Creates a source from a range of ``PatternBytes``; a negative one is empty.
    init(pattern range: Range<Int64>) {
        self.storage = .pattern(range.lowerBound < 0 ? 0..<0 : range)
    }

    /// Creates a source from a file.
    init(_ file: ServedFile) {
        self.storage = .file(file)
    }

    /// The number of bytes left.
    var byteCount: Int64 {
        switch self.storage {
        case .buffer(let buffer): Int64(buffer.readableBytes)
        case .pattern(let range): range.upperBound - range.lowerBound
        case .file(let file): file.byteCount
        }
    }

    /// Returns the next piece; nil at the end, and if a file has become shorter, while bytes are left.
    mutating func next(upTo limit: Int) -> ByteBuffer? {
        let count = Int(clamping: min(self.byteCount, Int64(min(max(1, limit), PatternBytes.sliceLimit))))
        guard count > 0 else { return nil }
        switch self.storage {
        case .buffer(var buffer):
            let piece = buffer.readSlice(length: count)
            self.storage = .buffer(buffer)
            return piece
        case .pattern(let range):
            self.storage = .pattern(range.lowerBound + Int64(count)..<range.upperBound)
            return PatternBytes.slice(at: range.lowerBound, byteCount: count)
        case .file(let file):
            guard let piece = file.read(upTo: count) else { return nil }
            self.storage = .file(file.part(file.range.lowerBound + Int64(piece.readableBytes)..<file.range.upperBound))
            return piece
        }
    }

    /// Splits off and returns everything after an offset.
    mutating func split(at offset: Int64) -> BodySource {
        let offset = min(max(0, offset), self.byteCount)
        switch self.storage {
        case .buffer(var buffer):
            let front = buffer.readSlice(length: Int(offset)) ?? ByteBuffer()
            self.storage = .buffer(front)
            return BodySource(buffer)
        case .pattern(let range):
            let middle = range.lowerBound + offset
            self.storage = .pattern(range.lowerBound..<middle)
            return BodySource(pattern: middle..<range.upperBound)
        case .file(let file):
            let middle = file.range.lowerBound + offset
            self.storage = .file(file.part(file.range.lowerBound..<middle))
            return BodySource(file.part(middle..<file.range.upperBound))
        }
    }
}
