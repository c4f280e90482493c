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

/// Tells every process which large bodies are being read: each reader locks one byte of a file beside the database.
///
/// The locks of an open file description (`F_OFD_SETLK`) end with it, also when the process is killed, and those of one
/// process do not replace each other. Where the system has none, or the file cannot be opened, nothing is locked.
struct BodyLock: ~Copyable {
    /// What follows the name of the database in that of the file.
    static let suffix = "-readers"

    private let descriptor: CInt

    /// Opens the file, and creates it if it does not exist.
    init(besideDatabase path: String) {
        self.descriptor = open(path + Self.suffix, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    deinit { if self.descriptor >= 0 { close(self.descriptor) } }

    /// Locks a body until this value is destroyed, beside any number of other readers.
    func lock(_ id: UUID) {
        #if os(Linux)
        _ = self.perform(Self.lockCommand, F_RDLCK, id)
        #endif
    }

    /// Whether another value, of any process, has locked a body.
    func isLocked(_ id: UUID) -> Bool {
        #if os(Linux)
        self.perform(Self.askCommand, F_WRLCK, id).map { $0.l_type != F_UNLCK } ?? false
        #else
        false
        #endif
    }

    #if os(Linux)
    /// The commands of the kernel (`asm-generic/fcntl.h`): the C libraries declare them only if their extensions are enabled.
    private static var askCommand: CInt { 36 }
    private static var lockCommand: CInt { 37 }

    /// Returns the answer of the system; nil for an error.
    private func perform(_ command: CInt, _ type: CInt, _ id: UUID) -> flock? {
        var request = flock()
        request.l_type = CShort(type)
        request.l_whence = CShort(SEEK_SET)
        // Identifiers are random: two bodies practically never have one position.
        request.l_start = off_t(id.array.prefix(7).reduce(0) { $0 << 8 | UInt64($1) })
        request.l_len = 1
        return fcntl(self.descriptor, command, &request) == 0 ? request : nil
    }
    #endif
}
