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
    /// The end of the names of partial files that can be continued.
    package static let nameEnding = ".bluebonnet-part"

    /// The name of the partial file of a destination, the same in every process: `.NAME.bluebonnet-part`.
    ///
    /// A name that is too long for that is shortened, and told apart from others by a number made of all of it.
    ///
    /// - Parameters:
    ///   - destination: The destination.
    ///   - ending: Another ending, for what is no partial file.
    /// - Returns: The name.
    package static func name(for destination: FileLocation, ending: String = Self.nameEnding) -> String {
        let name = destination.name
        // A name has at most 255 bytes on the file systems in use; the journal's is longer by ".journal.new".
        let room = 255 - ".journal.new".utf8.count - ending.utf8.count - 1
        guard name.utf8.count > room else { return ".\(name)\(ending)" }
        let number = String(Self.hash(name.utf8), radix: 16)
        var stem = Substring(name)
        while stem.utf8.count > room - number.utf8.count - 1 { stem = stem.dropLast() }
        return ".\(stem).\(number)\(ending)"
    }

    /// Whether a name can be that of a partial file: a hidden one with one of the two endings, and no path.
    package static func isName(_ name: String) -> Bool {
        let bytes = name.utf8
        return bytes.count > ".partial".utf8.count + 1 && bytes.count <= 255
            && bytes.first == UInt8(ascii: ".")
            && [Self.nameEnding, ".partial"].contains { bytes.suffix($0.utf8.count).elementsEqual($0.utf8) }
            && !bytes.contains(UInt8(ascii: "/")) && !bytes.contains(0)
    }

    /// FNV-1a of 64 bits: the same in every process, unlike `Hasher`.
    private static func hash(_ bytes: String.UTF8View) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// Opens and locks the file of a name; see ``init(at:continuing:)``.
    static func open(
        _ name: String,
        in directory: borrowing FileLocation.Directory
    ) throws(SystemError) -> CInt {
        // Each turn loses against a process that renames or removes the file between two of our calls.
        for _ in 0..<16 {
            let descriptor = try Self.openOnce(name, in: directory)
            do throws(SystemError) {
                guard systemLock(descriptor) == 0 else { throw SystemError(.lock, errno) }
                if try Self.isUsable(descriptor, name, in: directory) { return descriptor }
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
        // O_NOFOLLOW: a link of that name may lead anywhere. O_NONBLOCK: a pipe would wait for its reader.
        let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_CREAT
        while true {
            let descriptor = openat(directory.descriptor, name, flags, 0o600)
            if descriptor >= 0 { return descriptor }
            guard errno == EINTR else { throw SystemError(.create, errno) }
        }
    }

    /// Whether the locked file is still the one of the name, and this user's alone.
    ///
    /// - Throws: `EPERM` for a file that somebody else has put there.
    private static func isUsable(
        _ descriptor: CInt,
        _ name: String,
        in directory: borrowing FileLocation.Directory
    ) throws(SystemError) -> Bool {
        var (opened, named) = (stat(), stat())
        guard fstat(descriptor, &opened) == 0 else { throw SystemError(.inspect, errno) }
        guard fstatat(directory.descriptor, name, &named, AT_SYMLINK_NOFOLLOW) == 0,
            named.st_ino == opened.st_ino, named.st_dev == opened.st_dev
        else { return false }
        guard opened.st_mode & S_IFMT == S_IFREG, opened.st_uid == geteuid() else { throw SystemError(.open, EPERM) }
        // With another name beside this one, it is a finished file: its process was killed between its last two steps.
        guard opened.st_nlink == 1 else {
            unlinkat(directory.descriptor, name, 0)
            return false
        }
        fchmod(descriptor, 0o600)
        return true
    }
}
