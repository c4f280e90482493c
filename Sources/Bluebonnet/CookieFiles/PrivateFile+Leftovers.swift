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

/// The file `NAME.RANDOM.partial`, which holds the new bytes of a file until it is renamed.
///
/// It is locked while it exists, so one that nobody has locked was left by a killed process.
extension PrivateFile {
    private static var temporaryEnding: String { ".partial" }

    /// The number of digits of the random part; earlier versions wrote no leading zeros.
    private static var randomCount: ClosedRange<Int> { 12...13 }

    /// The number of names that are looked at.
    private static var mostLeftovers: Int { 1000 }

    /// Creates and locks a temporary file beside a path.
    ///
    /// - Returns: Its path, and the descriptor, which the caller closes.
    static func makeTemporaryFile(for path: String) throws(SystemError) -> (path: String, descriptor: CInt) {
        for _ in 0..<16 {
            let temporary = path + Self.temporarySuffix()
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else {
                if errno == EEXIST || errno == EINTR { continue }
                throw SystemError(.create, errno)
            }
            let lock = Self.lock(descriptor)
            // On file systems without locks nobody can lock it, so nobody removes it. Where there are locks, another
            // process may have taken the file for a leftover before it was locked.
            if lock != EWOULDBLOCK, Self.isNamed(temporary, in: AT_FDCWD, descriptor) { return (temporary, descriptor) }
            close(descriptor)
            unlink(temporary)
        }
        throw SystemError(.create, EBUSY)
    }

    private static func temporarySuffix() -> String {
        let digits = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let zeros = String(repeating: "0", count: Self.randomCount.upperBound - digits.utf8.count)
        return ".\(zeros)\(digits)\(Self.temporaryEnding)"
    }

    /// Removes the temporary files beside a path that nobody has locked, as far as possible.
    static func removeLeftovers(of path: String) {
        guard let location = FileLocation(path: path) else { return }
        do throws(SystemError) {
            let directory = try location.openDirectory()
            for name in try directory.names(ending: Self.temporaryEnding, upTo: Self.mostLeftovers)
            where Self.isTemporaryName(name, of: location.name) {
                Self.removeLeftover(name, in: directory.descriptor)
            }
        } catch {
            // A directory that cannot be listed may still be written to.
            return
        }
    }

    private static func removeLeftover(_ name: String, in directory: CInt) {
        var status = stat()
        // Checked before it is opened: opening a device or a pipe can have side effects.
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid()
        else { return }
        let descriptor = openat(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Its owner may have renamed it before it was locked here.
        guard Self.lock(descriptor) == 0, Self.isNamed(name, in: directory, descriptor) else { return }
        unlinkat(directory, name, 0)
    }

    /// Whether a name can be that of a temporary file of a file.
    static func isTemporaryName(_ name: String, of file: String) -> Bool {
        let (bytes, start, ending) = (name.utf8, file.utf8, Self.temporaryEnding.utf8)
        guard bytes.starts(with: start), bytes.suffix(ending.count).elementsEqual(ending) else { return false }
        let middle = bytes.dropFirst(start.count).dropLast(ending.count)
        let random = middle.dropFirst()
        return middle.first == UInt8(ascii: ".") && Self.randomCount.contains(random.count)
            && random.allSatisfy { $0.isASCIIAlphanumeric && $0 == $0.asciiLowercased }
    }

    /// Locks an open file without waiting.
    ///
    /// - Returns: 0, or the number of the error.
    private static func lock(_ descriptor: CInt) -> CInt {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno != EINTR { return errno }
        }
        return 0
    }

    /// Whether a name is that of an open regular file.
    private static func isNamed(_ name: String, in directory: CInt, _ descriptor: CInt) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) == 0
            && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev && named.st_mode & S_IFMT == S_IFREG
    }
}
