// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The destination file of a request body; it gets its name only when it is complete.
struct BodyFile: ~Copyable {
    private var file: AtomicFile
    private let name: String
    private let replacesExisting: Bool

    /// Creates a temporary file beside the destination.
    ///
    /// - Throws: ``SerializationError/Code/invalidURL`` or ``SerializationError/Code/fileNotWritable``.
    init(destination: URL, replacesExisting: Bool) throws(SerializationError) {
        let path = try SerializationError.path(of: destination)
        guard let location = FileLocation(path: path) else {
            throw SerializationError(.fileNotWritable, reason: "the file URL has no path that a file can have")
        }
        var status = stat()
        if stat(path, &status) == 0 {
            guard replacesExisting, status.st_mode & S_IFMT == S_IFREG else { throw Self.taken(location.name) }
        }
        do throws(SystemError) {
            self.file = try AtomicFile(at: location)
        } catch {
            throw Self.error(error, location.name)
        }
        self.name = location.name
        self.replacesExisting = replacesExisting
    }

    /// Writes all bytes.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(SerializationError) {
        do throws(SystemError) {
            try self.file.write(bytes)
        } catch {
            throw Self.error(error, self.name)
        }
    }

    /// Renames the temporary file to the destination.
    ///
    /// - Returns: The number of bytes written.
    mutating func commit() throws(SerializationError) -> Int64 {
        do throws(SystemError) {
            try self.file.commit(replacing: self.replacesExisting, synchronizing: true)
        } catch {
            throw error.code == EEXIST ? Self.taken(self.name) : Self.error(error, self.name)
        }
        return self.file.byteCount
    }

    private static func taken(_ name: String) -> SerializationError {
        SerializationError(.fileNotWritable, reason: "“\(name)” exists already and is not replaced")
    }

    private static func error(_ error: SystemError, _ name: String) -> SerializationError {
        SerializationError(.fileNotWritable, reason: "the file “\(name)” cannot be written: \(error.text)")
    }
}
