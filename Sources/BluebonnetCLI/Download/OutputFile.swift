// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that a command writes, which is complete when it has its name.
///
/// A file that exists already is written in place where a new file could not stand for it: a device or a pipe, a file with several names,
/// one of another owner, one in a folder that cannot be written.
struct OutputFile: ~Copyable {
    /// What happens if there is a file of that name.
    enum Conflict: Sendable {
        /// It is replaced; links are followed.
        case replace
        /// It stays, and this one gets a number.
        case number
    }

    /// Where the file is, or will be.
    private(set) var path: String

    private let location: FileLocation
    private let conflict: Conflict
    private var file: AtomicFile?
    /// The open file that is written in place; -1 if there is none.
    private var descriptor: CInt
    private var isTruncated: Bool

    /// Opens or creates the file; what it contains stays until the first bytes are written.
    ///
    /// - Parameters:
    ///   - path: The name under which it will appear.
    ///   - conflict: What happens if there is a file of that name.
    /// - Returns: The file.
    /// - Throws: `CommandFailure` if the folder is missing or cannot be written, or the path is a folder's.
    static func open(_ path: String, conflict: Conflict) throws(CommandFailure) -> OutputFile {
        var status = stat()
        let exists = !path.utf8.contains(0) && stat(path, &status) == 0
        guard let location = FileLocation(path: path), !exists || status.st_mode & S_IFMT != S_IFDIR else {
            throw .usage("“\(path)” is a folder: give the name of a file in it")
        }
        let isTaken = conflict == .replace && (exists || isLink(path))
        let target = isTaken ? Self.target(of: path).flatMap(FileLocation.init(path:)) : nil
        var file = OutputFile(path: path, location: target ?? location, conflict: conflict)
        let isOwn = status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1 && status.st_uid == geteuid()
        if !isTaken {
            try file.create()
        } else if !exists || !isOwn || access(path, W_OK) != 0 || (try? file.create()) == nil {
            try file.openInPlace()
        }
        return file
    }

    private init(path: String, location: FileLocation, conflict: Conflict) {
        self.path = path
        self.location = location
        self.conflict = conflict
        self.file = nil
        self.descriptor = -1
        self.isTruncated = false
    }

    deinit {
        if self.descriptor >= 0 { close(self.descriptor) }
    }

    /// Writes bytes at the end.
    ///
    /// - Throws: `CommandFailure` when the disk is full, for example.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        if self.descriptor >= 0 {
            try self.truncate()
            return try FileDescriptorSink(descriptor: self.descriptor, name: "“\(self.path)”").write(bytes)
        }
        do throws(SystemError) {
            try self.file?.write(bytes)
        } catch {
            self.discard()
            throw Self.failure(error, self.path)
        }
    }

    /// Makes the file appear under its name, or under the first free one.
    ///
    /// - Throws: `CommandFailure` if a system call fails; nothing is left behind then.
    mutating func commit() throws(CommandFailure) {
        if self.descriptor >= 0 { try self.truncate() }
        defer { self.discard() }
        do throws(SystemError) {
            switch self.conflict {
            case .replace: try self.file?.commit(replacing: true, synchronizing: false)
            case .number: try self.commitNumbered()
            }
        } catch {
            throw Self.failure(error, self.path)
        }
    }

    /// Removes what has not got its name; does nothing after ``commit()``.
    mutating func discard() {
        self.file = nil
        if self.descriptor >= 0 { close(self.descriptor) }
        self.descriptor = -1
    }

    private mutating func commitNumbered() throws(SystemError) {
        for number in 0..<10_000 {
            let name = DownloadName.numbered(self.location.name, number)
            do throws(SystemError) {
                try self.file?.commit(as: name, replacing: false, synchronizing: false)
                let folder = self.path.utf8.dropLast(self.location.name.utf8.count)
                self.path = (String(folder) ?? "") + name
                return
            } catch {
                if error.code != EEXIST { throw error }
            }
        }
        throw SystemError(.rename, EEXIST)
    }

    /// Removes what a file written in place contained before; devices and pipes have nothing to remove.
    private mutating func truncate() throws(CommandFailure) {
        if self.isTruncated { return }
        self.isTruncated = true
        guard ftruncate(self.descriptor, 0) != 0, errno != EINVAL else { return }
        throw Self.failure(SystemError(.write, errno), self.path)
    }

    private mutating func openInPlace() throws(CommandFailure) {
        self.descriptor = openForWriting(self.path)
        guard self.descriptor >= 0 else { throw Self.failure(SystemError(.open, errno), self.path) }
    }

    private mutating func create() throws(CommandFailure) {
        do throws(SystemError) {
            self.file = try AtomicFile(at: self.location)
        } catch {
            throw Self.failure(error, self.path)
        }
    }

    /// The path without symbolic links; nil if it leads nowhere.
    private static func target(of path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }

    private static func failure(_ error: SystemError, _ path: String) -> CommandFailure {
        .usage("cannot write “\(path)”: \(error.text); choose another place with --output")
    }
}

private func openForWriting(_ path: String) -> CInt {
    open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o666)
}

private func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
}
