// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension PartialFile {
    /// Gives the name of an open and locked file to a copy of it, so that its other names keep what they have.
    ///
    /// - Parameters:
    ///   - descriptor: The file.
    ///   - name: The name.
    ///   - byteCount: The size of the file.
    ///   - directory: The directory of the name.
    /// - Throws: ``SystemError``; the file keeps the name then.
    static func replaceByCopy(
        _ descriptor: CInt,
        _ name: String,
        byteCount: Int64,
        in directory: borrowing FileLocation.Directory
    ) throws(SystemError) {
        let copyName = Self.copyName(of: name)
        Self.removeCopy(of: name, in: directory)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let copy = openat(directory.descriptor, copyName, flags, 0o600)
        guard copy >= 0 else { throw SystemError(.create, errno) }
        defer { close(copy) }
        do throws(SystemError) {
            try Self.copy(descriptor, to: copy, byteCount: byteCount)
            guard renameat(directory.descriptor, copyName, directory.descriptor, name) == 0 else {
                throw SystemError(.rename, errno)
            }
        } catch {
            unlinkat(directory.descriptor, copyName, 0)
            throw error
        }
    }

    /// Removes a copy that a killed process has left; the lock of the file with the name excludes all others.
    static func removeCopy(of name: String, in directory: borrowing FileLocation.Directory) {
        unlinkat(directory.descriptor, Self.copyName(of: name), 0)
    }

    private static func copyName(of name: String) -> String { "\(name).copy" }

    private static func copy(_ original: CInt, to copy: CInt, byteCount: Int64) throws(SystemError) {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { piece.deallocate() }
        var offset: Int64 = 0
        while offset < byteCount {
            let count = try RegularFile.read(original, into: piece, at: offset)
            // Another program has made the file shorter.
            if count == 0 { return }
            try writeAll(UnsafeRawBufferPointer(rebasing: piece[..<count]), to: copy, at: offset)
            offset += Int64(count)
        }
    }
}
