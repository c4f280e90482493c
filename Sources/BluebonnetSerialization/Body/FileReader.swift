// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Reads a whole regular file directly into the caller's buffer, and checks that the file keeps its size.
///
/// Copies share the open file and have their own positions.
struct FileReader: BodyReader {
    private var bytes: FilePartReader
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
        let file = try OpenFile(url)
        self.subject = subject ?? "the file “\(url.lastPathComponent)”"
        let byteCount = try file.byteCount()
        guard byteCount == length ?? byteCount else {
            throw SerializationError(
                .lengthMismatch,
                reason: "\(self.subject) had \(length ?? byteCount) bytes and now has \(byteCount)"
            )
        }
        self.bytes = FilePartReader(file, bytes: 0..<byteCount, subject: self.subject)
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try self.bytes.read(into: buffer)
        // The engine may stop reading after the declared bytes, so growth is detected with the last of them.
        if self.bytes.isAtEnd { try self.checkEnd() }
        return count
    }

    private func checkEnd() throws(SerializationError) {
        var extra: UInt8 = 0
        let (file, end) = (self.bytes.file, self.bytes.offset)
        let result = withUnsafeMutableBytes(of: &extra) { buffer in
            Result { () throws(SerializationError) in try file.read(into: buffer, at: end) }
        }
        guard try result.get() == 0 else {
            throw SerializationError(
                .lengthMismatch,
                reason: "\(self.subject) grew: it has more than the \(end) bytes it had"
            )
        }
    }
}
