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

/// The output file of a command, which appears under its name when it is complete.
///
/// An existing file that a new one cannot replace is written in place: a device or a pipe, a file with several hard
/// links, a file of another owner, or a file in a folder that is not writable.
struct OutputFile: ~Copyable {
    /// The path of the file.
    let path: String

    /// Whether anything has been written.
    private(set) var isWritten = false

    /// The option that named the path.
    private let option: String
    private let isPrivate: Bool
    private var file: AtomicFile?
    /// The descriptor of the file that is written in place; -1 if there is none.
    private var descriptor: CInt
    private var isTruncated: Bool

    /// Opens or creates the file; an existing file keeps its content until the first bytes are written.
    ///
    /// - Parameters:
    ///   - path: The path of the file; an existing file is replaced, and symbolic links are followed.
    ///   - option: The option that named the path, for error messages.
    ///   - isPrivate: Whether a new file is readable by its owner alone.
    /// - Returns: The file.
    /// - Throws: `CommandFailure` if the folder is missing or not writable, or if the path is that of a folder.
    static func open(
        _ path: String,
        option: String = "--output",
        isPrivate: Bool = false
    ) throws(CommandFailure) -> OutputFile {
        let target = try self.replaceableTarget(of: path, option: option)
        var file = OutputFile(path: path, option: option, isPrivate: isPrivate)
        if let location = target.flatMap(FileLocation.init(path:)) {
            try file.create(at: location)
        } else {
            try file.openInPlace()
        }
        return file
    }

    /// Returns the path at which a new file can replace an existing one; nil if the file has to be written in place.
    ///
    /// - Parameters:
    ///   - path: The path; symbolic links are followed.
    ///   - option: The option that named the path, for error messages.
    /// - Returns: The path without symbolic links.
    /// - Throws: `CommandFailure` if the path is empty or that of a folder.
    static func replaceableTarget(of path: String, option: String = "--output") throws(CommandFailure) -> String? {
        guard !path.isEmpty else { throw .usage("the path of a file is empty: name a file with \(option)") }
        var status = stat()
        let exists = !path.utf8.contains(0) && stat(path, &status) == 0
        guard FileLocation(path: path) != nil, !exists || status.st_mode & S_IFMT != S_IFDIR else {
            throw .usage("“\(path)” is a folder: give the name of a file in it")
        }
        if !exists, !isLink(path) { return path }
        let isOwn = status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1 && status.st_uid == geteuid()
        guard exists, isOwn, access(path, W_OK) == 0, let target = Self.target(of: path),
            let location = FileLocation(path: target), access(location.directory, W_OK | X_OK) == 0
        else { return nil }
        return target
    }

    private init(path: String, option: String, isPrivate: Bool) {
        self.path = path
        self.option = option
        self.isPrivate = isPrivate
        self.file = nil
        self.descriptor = -1
        self.isTruncated = false
    }

    deinit {
        if self.descriptor >= 0 { close(self.descriptor) }
    }

    /// Appends bytes.
    ///
    /// - Throws: `CommandFailure` if a system call fails, for example because the disk is full.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        if !bytes.isEmpty { self.isWritten = true }
        if self.descriptor >= 0 {
            try self.truncate()
            return try FileDescriptorSink(descriptor: self.descriptor, name: "“\(self.path)”").write(bytes)
        }
        do throws(SystemError) {
            try self.file?.write(bytes)
        } catch {
            self.discard()
            throw self.failure(error)
        }
    }

    /// Makes the file appear under its name.
    ///
    /// - Throws: `CommandFailure` if a system call fails; no file is left behind then.
    mutating func commit() throws(CommandFailure) {
        if self.descriptor >= 0 { try self.truncate() }
        defer { self.discard() }
        do throws(SystemError) {
            try self.file?.commit(replacing: true, synchronizing: false, isPrivate: self.isPrivate)
        } catch {
            throw self.failure(error)
        }
    }

    /// Removes the temporary file; does nothing after ``commit()``.
    mutating func discard() {
        self.file = nil
        if self.descriptor >= 0 { close(self.descriptor) }
        self.descriptor = -1
    }

    /// Truncates a file that is written in place; devices and pipes have nothing to truncate.
    private mutating func truncate() throws(CommandFailure) {
        if self.isTruncated { return }
        self.isTruncated = true
        guard ftruncate(self.descriptor, 0) != 0, errno != EINVAL else { return }
        throw self.failure(SystemError(.write, errno))
    }

    private mutating func openInPlace() throws(CommandFailure) {
        self.descriptor =
            PipeFile.isPipe(self.path)
            ? try PipeFile.openForWriting(self.path)
            : openForWriting(self.path, mode: self.isPrivate ? 0o600 : 0o666)
        guard self.descriptor >= 0 else { throw self.failure(SystemError(.open, errno)) }
    }

    private mutating func create(at location: FileLocation) throws(CommandFailure) {
        do throws(SystemError) {
            self.file = try AtomicFile(at: location)
        } catch {
            throw self.failure(error)
        }
    }

    /// Returns the path without symbolic links; nil if the file does not exist.
    private static func target(of path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }

    private func failure(_ error: SystemError) -> CommandFailure {
        Self.failure(error, self.path, option: self.option)
    }

    /// Returns the failure of a system call on a file.
    static func failure(_ error: SystemError, _ path: String, option: String = "--output") -> CommandFailure {
        .usage("cannot write “\(path)”: \(error.text); choose another place with \(option)")
    }
}

private func openForWriting(_ path: String, mode: mode_t) -> CInt {
    open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, mode)
}

private func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
}
