// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that appears under its name only when it is complete.
struct AtomicFile: ~Copyable {
    private let destination: String
    private let temporary: String
    private let replacesExisting: Bool
    private var descriptor: Int32
    private(set) var byteCount: Int64 = 0

    /// Creates the temporary file beside the destination.
    ///
    /// - Throws: ``SerializationError/Code/fileNotWritable``.
    init(destination: URL, replacesExisting: Bool) throws(SerializationError) {
        let path = try OpenFile.path(of: destination)
        var status = stat()
        if stat(path, &status) == 0 {
            guard replacesExisting, status.st_mode & S_IFMT == S_IFREG else {
                throw SerializationError(
                    .fileNotWritable,
                    reason: "'\(destination.lastPathComponent)' is there already and is not replaced."
                )
            }
        }
        let suffix = String(UInt64.random(in: .min ... .max), radix: 36)
        let directory = destination.deletingLastPathComponent().path(percentEncoded: false)
        let temporary = "\(directory)/.\(suffix).partial"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.error(path) }
        self.destination = path
        self.temporary = temporary
        self.replacesExisting = replacesExisting
        self.descriptor = descriptor
    }

    deinit {
        guard self.descriptor >= 0 else { return }
        _ = close(self.descriptor)
        _ = unlink(self.temporary)
    }

    /// Writes all of the bytes.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(SerializationError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let chunk = UnsafeRawBufferPointer(rebasing: rest)
            #if canImport(Glibc)
            let count = Glibc.write(self.descriptor, chunk.baseAddress, chunk.count)
            #elseif canImport(Musl)
            let count = Musl.write(self.descriptor, chunk.baseAddress, chunk.count)
            #else
            let count = Darwin.write(self.descriptor, chunk.baseAddress, chunk.count)
            #endif
            if count < 0 {
                if errno == EINTR { continue }
                throw Self.error(self.destination)
            }
            rest = rest.dropFirst(count)
            self.byteCount += Int64(count)
        }
    }

    /// Gives the file its name.
    mutating func commit() throws(SerializationError) {
        guard fsync(self.descriptor) == 0 else { throw Self.error(self.destination) }
        if self.replacesExisting {
            guard rename(self.temporary, self.destination) == 0 else { throw Self.error(self.destination) }
        } else {
            // A second name and then none of the first: unlike a rename, this fails if someone else made the file meanwhile.
            guard link(self.temporary, self.destination) == 0 else { throw Self.error(self.destination) }
            _ = unlink(self.temporary)
        }
        _ = close(self.descriptor)
        self.descriptor = -1
    }

    private static func error(_ path: String) -> SerializationError {
        let reason = OpenFile.text(of: errno)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return SerializationError(.fileNotWritable, reason: "The file '\(name)' cannot be written: \(reason).")
    }
}
