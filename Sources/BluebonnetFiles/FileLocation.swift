// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The location of a file that may not exist yet: a directory and a name in it.
package struct FileLocation: Sendable, Equatable {
    /// The directory's path; "." for the current one.
    package let directory: String

    /// The file's name, without slashes.
    package let name: String

    /// Splits a path at its last slash.
    ///
    /// - Returns: Nil if the path contains a NUL, or if its last component is not a valid file name: empty, "." or
    ///   "..".
    package init?(path: String) {
        let bytes = path.utf8
        guard !bytes.contains(0) else { return nil }
        // Bytes, because a slash and a following combining mark are one Character.
        let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
        self.name = slash.map { String(path[bytes.index(after: $0)...]) } ?? path
        self.directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        if ["", ".", ".."].contains(self.name) { return nil }
    }

    /// The path.
    package var path: String { self.sibling(self.name) }

    /// Returns the path of another file in the directory.
    package func sibling(_ name: String) -> String {
        switch self.directory {
        case ".": name
        case "/": "/\(name)"
        default: "\(self.directory)/\(name)"
        }
    }

    /// Opens the directory, so that later operations use it even if it is moved.
    package func openDirectory() throws(SystemError) -> Directory {
        var descriptor = open(self.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #if os(Linux)
        // Creating names needs no permission to read the directory, and neither does a descriptor with O_PATH, which the
        // module of the C library lacks.
        let pathOnly: CInt = 0o10_000_000
        if descriptor < 0, errno == EACCES { descriptor = open(self.directory, pathOnly | O_DIRECTORY | O_CLOEXEC) }
        #endif
        guard descriptor >= 0 else { throw SystemError(.open, errno) }
        return Directory(descriptor: descriptor)
    }

    /// Creates the directory and its missing parents.
    ///
    /// - Parameters:
    ///   - synchronizing: Whether to wait until the new names are on the disk.
    ///   - isPrivate: Whether only their owner may use them.
    /// - Throws: ``SystemError``.
    package func createDirectories(synchronizing: Bool, isPrivate: Bool = false) throws(SystemError) {
        try self.createDirectories(isPrivate: isPrivate) { (created) throws(SystemError) in
            if synchronizing { try created.synchronizeDirectory() }
        }
    }

    /// Creates the directory and its missing parents.
    ///
    /// - Parameters:
    ///   - isPrivate: Whether only their owner may use them.
    ///   - onCreation: Called with the location of each new directory.
    /// - Throws: ``SystemError``.
    func createDirectories(
        isPrivate: Bool = false,
        _ onCreation: (FileLocation) throws(SystemError) -> Void
    ) throws(SystemError) {
        let bytes = Array(self.directory.utf8)
        for end in 1...bytes.count where end == bytes.count || bytes[end] == UInt8(ascii: "/") {
            let path = String(decoding: bytes[..<end], as: UTF8.self)
            guard mkdir(path, isPrivate ? 0o700 : 0o777) != 0 else {
                if let created = FileLocation(path: path) { try onCreation(created) }
                continue
            }
            let error = SystemError(.create, errno)
            if error.code == EEXIST || error.code == EISDIR {
                // The name may be that of a file, or of a link that leads nowhere.
                var status = stat()
                guard stat(path, &status) != 0 ? errno != ENOENT : status.st_mode & S_IFMT == S_IFDIR else {
                    throw SystemError(.create, ENOTDIR)
                }
                continue
            }
            // A read-only file system and an unwritable parent cause these errors for existing directories, too.
            if error.code == EROFS || error.code == EACCES, access(path, F_OK) == 0 { continue }
            throw error
        }
    }

    /// Waits until the names in the directory are on the disk; does nothing if the directory must not be read.
    private func synchronizeDirectory() throws(SystemError) {
        let descriptor = open(self.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            // Creating names needs no permission to read, which opening the directory does.
            if errno == EACCES { return }
            throw SystemError(.open, errno)
        }
        try Directory(descriptor: descriptor).synchronize()
    }

    /// An open directory, which is closed when it is released.
    package struct Directory: ~Copyable, Sendable {
        package let descriptor: CInt

        deinit { close(self.descriptor) }

        /// Waits until the directory's names are on the disk; not every file system supports this.
        package borrowing func synchronize() throws(SystemError) {
            try synchronizeFile(self.descriptor, ignoring: [EINVAL, ENOTSUP, EBADF, EROFS])
        }
    }
}
