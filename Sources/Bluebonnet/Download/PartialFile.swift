// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is being written beside its destination, and that takes the destination's name when it is complete.
///
/// Dropped before that, it removes itself.
struct PartialFile: ~Copyable {
    /// How many bytes have been written.
    private(set) var byteCount: Int64 = 0

    private let place: DownloadDestination
    private let directory: DirectoryDescriptor
    private let name: String
    private let descriptor: CInt
    private var isCommitted = false

    /// Small pieces are gathered here, so that a write is worth its system call.
    private let gathered: UnsafeMutableRawBufferPointer
    private var gatheredCount = 0

    private static var gatheredCapacity: Int { 64 * 1024 }

    /// A piece of this size is written as it is: copying it first would cost more than the system call that it saves.
    private static var smallestPieceWrittenDirectly: Int { 16 * 1024 }

    /// Creates the file, empty, in the destination's directory.
    ///
    /// - Throws: `SessionError`.
    init(at place: DownloadDestination, options: DownloadOptions) throws(SessionError) {
        if options.contains(.createDirectories) { try place.createDirectories() }
        let directory = try place.openDirectory()
        let (name, descriptor) = try Self.create(in: directory, for: place)
        self.place = place
        self.directory = directory
        self.name = name
        self.descriptor = descriptor
        self.gathered = .allocate(byteCount: Self.gatheredCapacity, alignment: 16)
    }

    deinit {
        close(self.descriptor)
        if !self.isCommitted { unlinkat(self.directory.number, self.name, 0) }
        self.gathered.deallocate()
    }

    /// Writes bytes at the end, now or with the ones that follow.
    ///
    /// - Throws: `SessionError` with `storageFull` or `storageFailed`.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        if bytes.count > self.gathered.count - self.gatheredCount { try self.flush() }
        if bytes.count >= Self.smallestPieceWrittenDirectly {
            try self.flush()
            try self.writeAll(bytes)
        } else {
            UnsafeMutableRawBufferPointer(rebasing: self.gathered[self.gatheredCount...]).copyMemory(from: bytes)
            self.gatheredCount += bytes.count
        }
        self.byteCount += Int64(bytes.count)
    }

    /// Gives the file its destination's name.
    ///
    /// - Throws: `SessionError`; the partial file is then removed.
    consuming func commit(options: DownloadOptions) throws(SessionError) {
        try self.flush()
        if options.contains(.synchronize) { try Self.synchronize(self.descriptor, ignoring: []) }
        if options.contains(.overwrite) {
            guard renameat(self.directory.number, self.name, self.directory.number, self.place.name) == 0 else {
                throw SystemFailure("take its name", errno).destinationError(self.place)
            }
        } else {
            try self.moveWithoutOverwriting()
        }
        self.isCommitted = true
        // Not every file system can synchronize a directory; those keep names in another way.
        if options.contains(.synchronize) {
            try Self.synchronize(self.directory.number, ignoring: [EINVAL, ENOTSUP, EBADF, EROFS])
        }
    }

    /// Renames, but never over a file that appeared meanwhile.
    ///
    /// A second name fails where there is one, on every POSIX system and in one step, which a rename does not. (Linux has renameat2 for this;
    /// its declaration is hidden from Swift.) File systems without hard links take the name with an empty file of ours and rename over it.
    private func moveWithoutOverwriting() throws(SessionError) {
        let linked = linkat(self.directory.number, self.name, self.directory.number, self.place.name, 0)
        let number = errno
        guard linked != 0 else {
            unlinkat(self.directory.number, self.name, 0)
            return
        }
        guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(number) else {
            throw SystemFailure("take its name", number).destinationError(self.place)
        }
        let reserved = openat(self.directory.number, self.place.name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard reserved >= 0 else { throw SystemFailure("take its name", errno).destinationError(self.place) }
        close(reserved)
        guard renameat(self.directory.number, self.name, self.directory.number, self.place.name) == 0 else {
            let failure = SystemFailure("take its name", errno)
            unlinkat(self.directory.number, self.place.name, 0)
            throw failure.destinationError(self.place)
        }
    }

    private mutating func flush() throws(SessionError) {
        guard self.gatheredCount > 0 else { return }
        try self.writeAll(UnsafeRawBufferPointer(rebasing: self.gathered[..<self.gatheredCount]))
        self.gatheredCount = 0
    }

    /// A write may take fewer bytes than it is given; the rest is written again until nothing is left.
    private func writeAll(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = systemWrite(self.descriptor, rest)
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemFailure("be written", errno).storageError
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    private static func synchronize(_ descriptor: CInt, ignoring ignored: [CInt]) throws(SessionError) {
        while fsync(descriptor) != 0 {
            let number = errno
            if ignored.contains(number) { return }
            guard number == EINTR else { throw SystemFailure("be synchronized", number).storageError }
        }
    }

    /// Creates a file of a new, random name: O_EXCL and O_NOFOLLOW, so that nobody can have prepared a link there.
    private static func create(
        in directory: borrowing DirectoryDescriptor,
        for place: DownloadDestination
    ) throws(SessionError) -> (name: String, descriptor: CInt) {
        for _ in 0..<16 {
            let name = Self.makeName(for: place.name)
            let descriptor = openat(
                directory.number,
                name,
                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                0o666
            )
            if descriptor >= 0 { return (name, descriptor) }
            guard errno == EEXIST || errno == EINTR else {
                throw SystemFailure("be created", errno).destinationError(place)
            }
        }
        throw SystemFailure("be created", EEXIST).storageError
    }

    private static func makeName(for name: String) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        let random = String((0..<8).map { _ in letters[Int.random(in: letters.indices)] })
        let suffix = ".\(random).partial"
        // A name has at most 255 bytes on the file systems in use.
        var stem = Substring(name)
        while stem.utf8.count + suffix.utf8.count + 1 > 255 { stem = stem.dropLast() }
        return ".\(stem)\(suffix)"
    }
}

/// `write`, where a method of that name hides it.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
