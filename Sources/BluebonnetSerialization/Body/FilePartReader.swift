// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Reads a range of a regular file directly into the caller's buffer.
///
/// The file may grow while it is read; if it shrinks below the end of the range, that is an error. Copies share the open
/// file and have their own positions.
struct FilePartReader: BodyReader {
    let file: OpenFile
    private(set) var offset: Int64
    private let end: Int64
    private let subject: String

    var isAtEnd: Bool { self.offset == self.end }

    /// - Parameters:
    ///   - file: The file, which has these bytes.
    ///   - bytes: The offsets of the bytes.
    ///   - subject: What to call the file in errors.
    init(_ file: OpenFile, bytes: Range<Int64>, subject: String) {
        self.file = file
        self.offset = bytes.lowerBound
        self.end = bytes.upperBound
        self.subject = subject
    }

    /// Opens a file.
    ///
    /// - Throws: ``SerializationError`` if the file does not exist, is not a regular file, is not readable, or does not
    ///   have these bytes.
    init(_ url: URL, bytes: Range<Int64>) throws(SerializationError) {
        let file = try OpenFile(url)
        let subject = "the file “\(url.lastPathComponent)”"
        let byteCount = try file.byteCount()
        guard bytes.lowerBound >= 0, bytes.upperBound <= byteCount else {
            throw SerializationError(
                .lengthMismatch,
                reason: "the bytes \(bytes) are not within the \(byteCount) bytes of \(subject)"
            )
        }
        self.init(file, bytes: bytes, subject: subject)
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let room = Int(min(Int64(buffer.count), self.end - self.offset))
        guard room > 0 else { return 0 }
        let count = try self.file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]), at: self.offset)
        guard count > 0 else {
            throw SerializationError(
                .lengthMismatch,
                reason: "\(self.subject) shrank: it ended after \(self.offset) of \(self.end) bytes"
            )
        }
        self.offset += Int64(count)
        return count
    }
}
