// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension AtomicFile {
    /// Creates a file with a new, random name that only its owner can read.
    ///
    /// O_EXCL and O_NOFOLLOW: a prepared link of that name is not followed.
    static func create(
        in directory: borrowing FileLocation.Directory,
        for name: String
    ) throws(SystemError) -> (name: String, descriptor: CInt) {
        for _ in 0..<16 {
            let temporaryName = Self.temporaryName(for: name)
            let descriptor = openat(
                directory.descriptor,
                temporaryName,
                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                0o600
            )
            if descriptor >= 0 { return (temporaryName, descriptor) }
            guard errno == EEXIST || errno == EINTR else { throw SystemError(.create, errno) }
        }
        throw SystemError(.create, EEXIST)
    }

    /// Returns `.NAME.XXXXXXXX.partial`, where the name is shortened to fit.
    private static func temporaryName(for name: String) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        let random = String((0..<8).map { _ in letters[Int.random(in: letters.indices)] })
        // File names have at most 255 bytes on common file systems; 12 are reserved for the journal and the permissions
        // probe.
        var stem = Substring(name)
        while stem.utf8.count > 255 - 12 - ".\(random).partial".utf8.count - 1 { stem = stem.dropLast() }
        return ".\(stem).\(random).partial"
    }
}
