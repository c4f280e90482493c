// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// A regular file open for reading, with this module's errors; it is closed with its last owner.
struct OpenFile {
    private let file: RegularFile
    private let name: String

    /// Opens a file.
    ///
    /// - Throws: ``SerializationError/Code/invalidURL``, ``SerializationError/Code/fileNotFound``,
    ///   ``SerializationError/Code/notARegularFile`` or ``SerializationError/Code/fileNotReadable``.
    init(_ url: URL) throws(SerializationError) {
        let path = try SerializationError.path(of: url)
        let name = url.lastPathComponent
        self.file = try Self.withErrors(of: name) { () throws(FileFault) in try RegularFile(path: path) }
        self.name = name
    }

    /// Returns the current size of the file.
    func byteCount() throws(SerializationError) -> Int64 {
        try Self.withErrors(of: self.name) { () throws(FileFault) in try self.file.byteCount() }
    }

    /// Reads into the caller's buffer.
    ///
    /// - Returns: The number of bytes; 0 at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SerializationError) -> Int {
        do throws(SystemError) {
            return try self.file.read(into: buffer, at: offset)
        } catch {
            throw SerializationError(.readFailed, reason: "the file “\(self.name)” cannot be read: \(error.text)")
        }
    }

    /// Returns the size of a regular file.
    ///
    /// - Throws: ``SerializationError`` if the file does not exist or is not a regular file.
    static func regularFileByteCount(of url: URL) throws(SerializationError) -> Int64 {
        let path = try SerializationError.path(of: url)
        return try Self.withErrors(of: url.lastPathComponent) { () throws(FileFault) in
            try RegularFile.byteCount(ofPath: path)
        }
    }

    private static func withErrors<Result>(
        of name: String,
        _ body: () throws(FileFault) -> Result
    ) throws(SerializationError) -> Result {
        do throws(FileFault) {
            return try body()
        } catch {
            throw SerializationError(error, name: name)
        }
    }
}
