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
    /// The suffix of resumable partial files.
    package static let nameEnding = ".bluebonnet-part"

    /// Returns the name of a destination's partial file, which is the same in every process: `.NAME.bluebonnet-part`.
    ///
    /// A name that is too long is shortened, and a hash of the whole name is added to distinguish it.
    ///
    /// - Parameters:
    ///   - destination: The destination.
    ///   - ending: Another suffix, for other kinds of files.
    /// - Returns: The name.
    package static func name(for destination: FileLocation, ending: String = Self.nameEnding) -> String {
        let name = destination.name
        // File names have at most 255 bytes on common file systems; the journal's is longer by ".journal.new".
        let room = 255 - ".journal.new".utf8.count - ending.utf8.count - 1
        guard name.utf8.count > room else { return ".\(name)\(ending)" }
        let number = String(Self.hash(name.utf8), radix: 16)
        var stem = Substring(name)
        while stem.utf8.count > room - number.utf8.count - 1 { stem = stem.dropLast() }
        return ".\(stem).\(number)\(ending)"
    }

    /// Whether a name can be that of a partial file: a hidden file with one of the two suffixes, without a path.
    package static func isName(_ name: String) -> Bool {
        let bytes = name.utf8
        return bytes.count > ".partial".utf8.count + 1 && bytes.count <= 255
            && bytes.first == UInt8(ascii: ".")
            && [Self.nameEnding, ".partial"].contains { bytes.suffix($0.utf8.count).elementsEqual($0.utf8) }
            && !bytes.contains(UInt8(ascii: "/")) && !bytes.contains(0)
    }

    /// Returns the 64-bit FNV-1a hash: the same in every process, unlike `Hasher`.
    private static func hash(_ bytes: String.UTF8View) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// Opens and locks the file with a name; see ``init(at:continuing:)``.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - destination: The name that the complete file gets.
    ///   - directory: The directory of both.
    /// - Returns: The descriptor.
    /// - Throws: ``SystemError``.
    static func open(
        _ name: String,
        of destination: String,
        in directory: borrowing FileLocation.Directory
    ) throws(SystemError) -> CInt {
        // Each iteration loses a race against a process that renames or removes the file between two system calls.
        for _ in 0..<16 {
            let descriptor = try Self.openOnce(name, in: directory)
            do throws(SystemError) {
                guard systemLock(descriptor) == 0 else { throw SystemError(.lock, errno) }
                if try Self.isUsable(descriptor, name, of: destination, in: directory) {
                    Self.removeCopy(of: name, in: directory)
                    return descriptor
                }
            } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
        throw SystemError(.lock, EWOULDBLOCK)
    }

    private static func openOnce(
        _ name: String,
        in directory: borrowing FileLocation.Directory
    ) throws(SystemError) -> CInt {
        // O_NOFOLLOW: a link with that name may lead anywhere. O_NONBLOCK: opening a pipe would wait for its other end.
        let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_CREAT
        while true {
            let descriptor = openat(directory.descriptor, name, flags, 0o600)
            if descriptor >= 0 { return descriptor }
            let code = errno
            guard code != EINTR else { continue }
            let error = SystemError(.open, code)
            // Nothing is wrong with what has the name.
            guard !error.isShortage else { throw error }
            var status = stat()
            guard fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                throw SystemError(.create, code)
            }
            throw error.of(.partialFile(name: name))
        }
    }

    /// Whether the locked file still has the name, and belongs to this user.
    ///
    /// - Throws: `EPERM` for a file of another user, and for what is no regular file.
    private static func isUsable(
        _ descriptor: CInt,
        _ name: String,
        of destination: String,
        in directory: borrowing FileLocation.Directory
    ) throws(SystemError) -> Bool {
        var opened = stat()
        guard fstat(descriptor, &opened) == 0 else { throw SystemError(.inspect, errno) }
        guard directory.holder(of: name, insteadOf: descriptor) == .file else { return false }
        guard opened.st_mode & S_IFMT == S_IFREG, opened.st_uid == geteuid() else {
            throw SystemError(.open, EPERM, of: .partialFile(name: name))
        }
        guard opened.st_nlink == 1 else {
            if directory.holder(of: destination, insteadOf: descriptor) == .file {
                // It is a finished file: its process was killed between its last two steps.
                unlinkat(directory.descriptor, name, 0)
            } else {
                // The other name may be in a snapshot, or that of a finished file which has been moved.
                try Self.replaceByCopy(descriptor, name, byteCount: Int64(opened.st_size), in: directory)
            }
            return false
        }
        fchmod(descriptor, 0o600)
        return true
    }
}
