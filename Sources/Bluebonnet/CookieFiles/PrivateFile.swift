// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

package import BluebonnetFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that only its owner can read, and that the owner's other processes may use as well; all functions block.
package enum PrivateFile {
    /// The file that a path leads to, and how far it has been read.
    struct Position: Equatable {
        var device: UInt64
        var inode: UInt64
        var offset: Int64
    }

    /// The file at a path and its size; nil if there is none.
    static func end(ofPath path: String) throws(SystemError) -> Position? {
        var status = stat()
        if stat(path, &status) == 0 { return Position(status) }
        guard errno == ENOENT else { throw SystemError(.inspect, errno) }
        return nil
    }

    /// Reads a file from the previous position to its end, or from its beginning if it is another file now.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - position: The position up to which it was read; nil to read all of it.
    ///   - head: The bytes that the file began with. A new file may reuse the inode of a removed one, so the number
    ///     alone is not enough.
    ///   - limit: The largest number of bytes that is accepted.
    /// - Returns: The bytes and their position; nil if there is no file.
    /// - Throws: `FileFault` or `SystemError`.
    static func read(
        _ path: String,
        from position: Position?,
        head: [UInt8] = [],
        upTo limit: Int
    ) throws -> (bytes: [UInt8], start: Position)? {
        guard try Self.end(ofPath: path) != nil else { return nil }
        let descriptor = try RegularFile.open(path)
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError(.inspect, errno) }
        let end = Position(status)
        var start = Position(device: end.device, inode: end.inode, offset: 0)
        if let position, position.isSameFile(as: end), position.offset <= end.offset,
            try Self.read(descriptor, from: 0, to: Int64(head.count)) == head
        {
            start = position
        }
        guard end.offset - start.offset <= limit else { throw FileFault.tooLarge }
        return (try Self.read(descriptor, from: start.offset, to: end.offset), start)
    }

    private static func read(_ descriptor: CInt, from start: Int64, to end: Int64) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(end - start))
        var count = 0
        while count < bytes.count {
            let read = try bytes.withUnsafeMutableBytes { buffer in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                return try RegularFile.read(descriptor, into: rest, at: start + Int64(count))
            }
            guard read > 0 else { break }
            count += read
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Appends bytes to a file: all of them or, as far as the system allows it, none.
    ///
    /// Without bytes it only finds out whether the file can be written.
    ///
    /// - Returns: The new end of the file.
    static func append(_ bytes: [UInt8], to path: String) throws(SystemError) -> Position {
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw SystemError(.open, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError(.inspect, errno) }
        do throws(SystemError) {
            try Self.write(bytes, to: descriptor)
        } catch {
            ftruncate(descriptor, status.st_size)
            throw error
        }
        guard fstat(descriptor, &status) == 0 else { throw SystemError(.inspect, errno) }
        return Position(status)
    }

    /// Replaces a file in one step: a reader finds the old bytes or the new ones.
    ///
    /// The new bytes are on the disk before they get the file's name. Only the owner can read the file, whoever could
    /// read the old one. What killed processes have left of their new bytes is removed first.
    ///
    /// - Parameters:
    ///   - path: The path; a link there is itself replaced.
    ///   - bytes: The content.
    /// - Throws: `SystemError`, also if a device, a pipe or a socket has the path.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        try checkReplaceable(path)
        Self.removeLeftovers(of: path)
        let (temporary, descriptor) = try Self.makeTemporaryFile(for: path)
        do throws(SystemError) {
            // This releases the lock as well.
            defer { close(descriptor) }
            try Self.write(bytes, to: descriptor)
            guard fsync(descriptor) == 0 else { throw SystemError(.synchronize, errno) }
            guard rename(temporary, path) == 0 else { throw SystemError(.rename, errno) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: CInt) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { throw SystemError(.write, errno) }
            rest = rest.dropFirst(max(count, 0))
        }
    }
}

extension PrivateFile.Position {
    fileprivate init(_ status: stat) {
        self.init(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(status.st_ino),
            offset: Int64(status.st_size)
        )
    }

    /// Whether two positions are in the same file.
    func isSameFile(as other: Self) -> Bool { self.device == other.device && self.inode == other.inode }
}

/// `write`, under a name that no method of a type shadows.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
