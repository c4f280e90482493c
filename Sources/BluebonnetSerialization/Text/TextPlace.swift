// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A position in a document: line and column, and the offset in the received bytes.
struct TextPlace {
    var line = 1
    var column = 1
    var byteOffset: Int

    /// - Parameters:
    ///   - position: The position in the UTF-8 text.
    ///   - bytes: The UTF-8 text.
    ///   - mark: The length of its byte order mark.
    ///   - original: The document's encoding before its conversion to UTF-8; nil if it was UTF-8 already.
    init(of position: Int, in bytes: UnsafeRawBufferPointer, mark: Int, original: UnicodeDetector.Encoding?) {
        self.byteOffset = original == nil ? position : (original?.markLength ?? 0)
        var previous: UInt8 = 0
        for byte in bytes[min(mark, position)..<min(position, bytes.count)] {
            defer { previous = byte }
            // A continuation byte belongs to the scalar before it.
            if byte & 0xC0 == 0x80 { continue }
            if let charset = original?.charset { self.byteOffset += charset.width(ofScalarStartingWith: byte) }
            switch byte {
            case 0x0A where previous == 0x0D: continue
            case 0x0A, 0x0D:
                self.line += 1
                self.column = 1
            default: self.column += 1
            }
        }
    }
}
