// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is written beside its destination, and takes the destination's name when it is complete.
///
/// Only its owner can read it until then. If it is dropped before ``commit(as:replacing:synchronizing:)``, it removes itself.
package struct AtomicFile: ~Copyable, Sendable {
    /// The number of bytes written.
    package private(set) var byteCount: Int64 = 0

    private let location: FileLocation
    private let directory: FileLocation.Directory
    private let temporaryName: String
    private let descriptor: CInt
    private var isCommitted = false

    /// Small pieces are collected here, so that a write is worth its system call.
    private var buffer: [UInt8] = []

    private static var bufferSize: Int { 64 * 1024 }

    /// A piece of this size is written as it is: copying it first would cost more than the system call that it saves.
    private static var smallestPieceWrittenDirectly: Int { 16 * 1024 }

    /// Creates the temporary file, empty, in the destination's directory.
    package init(at location: FileLocation) throws(SystemError) {
        let directory = try location.openDirectory()
        let (name, descriptor) = try Self.create(in: directory, for: location.name)
        self.location = location
        self.directory = directory
        self.temporaryName = name
        self.descriptor = descriptor
        self.buffer.reserveCapacity(Self.bufferSize)
    }

    deinit {
        close(self.descriptor)
        if !self.isCommitted { unlinkat(self.directory.descriptor, self.temporaryName, 0) }
    }

    /// Writes bytes at the end, now or with the ones that follow.
    package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        if bytes.count > Self.bufferSize - self.buffer.count { try self.flush() }
        if bytes.count >= Self.smallestPieceWrittenDirectly {
            try self.flush()
            try Self.writeAll(bytes, to: self.descriptor)
        } else {
            self.buffer.append(contentsOf: bytes)
        }
        self.byteCount += Int64(bytes.count)
    }

    /// Gives the file its name, once.
    ///
    /// It gets the permissions of the file that it replaces, or those of a new file.
    ///
    /// - Parameters:
    ///   - name: A name in the destination's directory; the destination's own unless given.
    ///   - replacing: Whether it takes the place of a file that has the name. If not, `EEXIST` is thrown and another name can be tried.
    ///   - synchronizing: Whether to wait until the disk has the file and its name.
    /// - Throws: ``SystemError``.
    package mutating func commit(
        as name: String? = nil,
        replacing: Bool,
        synchronizing: Bool
    ) throws(SystemError) {
        let name = name ?? self.location.name
        try self.flush()
        self.setMode(replacing: replacing ? name : nil)
        if synchronizing { try Self.synchronize(self.descriptor, ignoring: []) }
        if replacing {
            try self.rename(to: name)
        } else {
            try self.directory.moveWithoutReplacing(self.temporaryName, to: name)
        }
        self.isCommitted = true
        // Not every file system can synchronize a directory.
        if synchronizing {
            try Self.synchronize(self.directory.descriptor, ignoring: [EINVAL, ENOTSUP, EBADF, EROFS])
        }
    }

    private mutating func flush() throws(SystemError) {
        guard !self.buffer.isEmpty else { return }
        let descriptor = self.descriptor
        try self.buffer.withUnsafeBufferPointer { (bytes) throws(SystemError) in
            try Self.writeAll(UnsafeRawBufferPointer(bytes), to: descriptor)
        }
        self.buffer.removeAll(keepingCapacity: true)
    }

    /// A write may take fewer bytes than it is given; the rest is written again until nothing is left.
    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = systemWrite(descriptor, rest)
            guard count >= 0 else { throw SystemError(.write, errno) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    private static func synchronize(_ descriptor: CInt, ignoring ignored: [CInt]) throws(SystemError) {
        while fsync(descriptor) != 0 {
            let code = errno
            if ignored.contains(code) { return }
            guard code == EINTR else { throw SystemError(.synchronize, code) }
        }
    }

    private func rename(to name: String) throws(SystemError) {
        let directory = self.directory.descriptor
        guard renameat(directory, self.temporaryName, directory, name) == 0 else { throw SystemError(.rename, errno) }
    }

    /// Gives the file the permissions of the regular file that it replaces, or those that a new file gets.
    private func setMode(replacing name: String?) {
        var status = stat()
        if let name, fstatat(self.directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFREG
        {
            fchmod(self.descriptor, status.st_mode & 0o777)
        } else if let mode = self.modeOfNewFile {
            fchmod(self.descriptor, mode)
        }
    }

    /// The permissions that the umask, or the directory's default access list, gives to a new file.
    ///
    /// Found by creating an empty one: reading the umask would change it for the whole process for a moment. nil if none can be created.
    private var modeOfNewFile: mode_t? {
        let directory = self.directory.descriptor
        let name = "\(self.temporaryName).mode"
        let descriptor = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { return nil }
        defer {
            close(descriptor)
            unlinkat(directory, name, 0)
        }
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_mode & 0o777 : nil
    }
}
