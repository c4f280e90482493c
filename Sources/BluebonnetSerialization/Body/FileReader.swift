// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Reads a regular file directly into the caller's buffer, and checks that the file keeps its size.
///
/// Copies share the open file and have their own positions.
struct FileReader: BodyReader {
    private let file: OpenFile
    private let length: Int64
    private var offset: Int64 = 0
    private let subject: String

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - url: The file URL.
    ///   - length: The declared size; the current size unless given.
    ///   - subject: What to call the file in errors.
    /// - Throws: ``SerializationError`` if the file does not exist, is not a regular file, is not readable, or has
    ///   another size.
    init(_ url: URL, length: Int64? = nil, subject: String? = nil) throws(SerializationError) {
        self.file = try OpenFile(url)
        self.subject = subject ?? "the file “\(url.lastPathComponent)”"
        let byteCount = try self.file.byteCount()
        self.length = length ?? byteCount
        guard byteCount == self.length else {
            throw SerializationError(
                .lengthMismatch,
                reason: "\(self.subject) had \(self.length) bytes and now has \(byteCount)"
            )
        }
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let room = Int(min(Int64(buffer.count), self.length - self.offset))
        guard room > 0 else {
            try self.checkEnd()
            return 0
        }
        let count = try self.file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]), at: self.offset)
        guard count > 0 else {
            throw SerializationError(
                .lengthMismatch,
                reason: "\(self.subject) shrank: it ended after \(self.offset) of \(self.length) bytes"
            )
        }
        self.offset += Int64(count)
        // The engine may stop reading after the declared bytes, so growth is detected now.
        if self.offset == self.length { try self.checkEnd() }
        return count
    }

    private func checkEnd() throws(SerializationError) {
        var extra: UInt8 = 0
        let file = self.file
        let offset = self.offset
        let result = withUnsafeMutableBytes(of: &extra) { buffer in
            Result { () throws(SerializationError) in try file.read(into: buffer, at: offset) }
        }
        guard try result.get() == 0 else {
            throw SerializationError(
                .lengthMismatch,
                reason: "\(self.subject) grew: it has more than the \(self.length) bytes it had"
            )
        }
    }
}
