// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that appears under its name only when it is complete.
///
/// The bytes go to a hidden file beside it; whatever happens before ``commit()``, the name stays as it was.
struct PartialFile: ~Copyable {
    /// What happens if there is a file of that name.
    enum Conflict: Sendable {
        /// It is replaced, in one step.
        case replace
        /// It stays, and this one gets a number.
        case number
    }

    /// Where the file is, or will be.
    private(set) var path: String

    private let folder: String
    private let name: String
    private let temporaryPath: String
    private let conflict: Conflict
    private var descriptor: Int32
    /// Whether the bytes go straight to a device or a pipe, where there is nothing to rename.
    private let isDirect: Bool

    /// Makes the hidden file.
    ///
    /// - Parameters:
    ///   - path: The name under which it will appear.
    ///   - conflict: What happens if there is a file of that name.
    /// - Throws: `CommandFailure` if the folder is missing or cannot be written, or the path is one.
    init(path: String, conflict: Conflict) throws(CommandFailure) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let name = String(parts.last ?? "")
        let folder = parts.count > 1 ? parts.dropLast().joined(separator: "/") + "/" : ""
        var status = stat()
        let exists = stat(path, &status) == 0
        let kind = status.st_mode & S_IFMT
        if name.isEmpty || name == "." || name == ".." || (exists && kind == S_IFDIR) {
            throw .usage("“\(path)” is a folder: give the name of a file in it")
        }
        let isDirect = exists && kind != S_IFREG
        let suffix = String(UInt32.random(in: .min ... .max), radix: 36)
        let temporaryPath = "\(folder).\(name.prefix(100)).\(suffix).partial"
        let descriptor =
            isDirect
            ? open(path, O_WRONLY | O_CLOEXEC)
            : open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if descriptor < 0 {
            throw .usage("cannot write “\(path)”: \(SystemError.text(errno)); choose another place with --output")
        }
        self.path = path
        self.folder = folder
        self.name = name
        self.temporaryPath = temporaryPath
        self.conflict = conflict
        self.descriptor = descriptor
        self.isDirect = isDirect
    }

    deinit {
        guard self.descriptor >= 0 else { return }
        close(self.descriptor)
        if !self.isDirect { unlink(self.temporaryPath) }
    }

    /// Writes bytes at the end.
    ///
    /// - Throws: `CommandFailure` when the disk is full, for example.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        do {
            try FileDescriptorSink(descriptor: self.descriptor, name: "“\(self.path)”").write(bytes)
        } catch {
            self.discard()
            throw error
        }
    }

    /// Makes the file appear under its name, or under the first free one.
    ///
    /// - Throws: `CommandFailure` if the system refuses; nothing is left behind then.
    mutating func commit() throws(CommandFailure) {
        guard self.descriptor >= 0 else { return }
        let closed = close(self.descriptor)
        self.descriptor = -1
        if self.isDirect { return }
        let failure = closed == 0 ? self.moveIntoPlace() : errno
        guard let failure else { return }
        unlink(self.temporaryPath)
        throw .usage("cannot write “\(self.path)”: \(SystemError.text(failure))")
    }

    /// Removes the hidden file; does nothing after ``commit()``.
    mutating func discard() {
        guard self.descriptor >= 0 else { return }
        close(self.descriptor)
        self.descriptor = -1
        if !self.isDirect { unlink(self.temporaryPath) }
    }

    /// - Returns: The error number, nil if all went well.
    private mutating func moveIntoPlace() -> Int32? {
        if self.conflict == .replace {
            return rename(self.temporaryPath, self.path) == 0 ? nil : errno
        }
        for number in 0..<10_000 {
            let candidate = self.folder + DownloadName.numbered(self.name, number)
            // A second name for the same file: unlike rename, it never takes the place of another.
            if link(self.temporaryPath, candidate) == 0 {
                unlink(self.temporaryPath)
                self.path = candidate
                return nil
            }
            if errno == EEXIST { continue }
            guard errno == EPERM || errno == EOPNOTSUPP else { return errno }
            // No second names on this file system: look first, then move.
            guard access(candidate, F_OK) != 0 else { continue }
            guard rename(self.temporaryPath, candidate) == 0 else { return errno }
            self.path = candidate
            return nil
        }
        return EEXIST
    }
}
