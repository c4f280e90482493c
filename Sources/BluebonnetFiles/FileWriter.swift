// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open file that is written sequentially; it is closed when the value is released.
struct FileWriter: ~Copyable, Sendable {
    let descriptor: CInt

    /// The position of the next byte, including the bytes in the buffer.
    private(set) var byteCount: Int64 = 0

    /// Collects small pieces, to save system calls.
    private var buffer: [UInt8] = []
    private let bufferSize: Int

    /// Whether bytes begin their way to the disk while later ones are written, for a file that waits for the disk at its end.
    var startsWriteback = false

    /// A piece of this size is written directly: copying it would cost more than the system call that it saves.
    private static var smallestPieceWrittenDirectly: Int { 16 * 1024 }

    /// Takes ownership of a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: A descriptor of a regular file, open for writing.
    ///   - bufferSize: The number of bytes that are buffered, which is the most that a killed process loses.
    init(descriptor: CInt, bufferSize: Int = 64 * 1024) {
        self.descriptor = descriptor
        self.bufferSize = bufferSize
        self.buffer.reserveCapacity(bufferSize)
    }

    deinit { close(self.descriptor) }

    /// Appends bytes, immediately or together with later ones.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        if bytes.count > self.bufferSize - self.buffer.count { try self.flush() }
        if bytes.count >= min(Self.smallestPieceWrittenDirectly, self.bufferSize) {
            try self.flush()
            try writeAll(bytes, to: self.descriptor, at: self.byteCount, startsWriteback: self.startsWriteback)
        } else {
            self.buffer.append(contentsOf: bytes)
        }
        self.byteCount += Int64(bytes.count)
    }

    /// Passes the buffered bytes to the system, where they survive the process.
    mutating func flush() throws(SystemError) {
        guard !self.buffer.isEmpty else { return }
        let (descriptor, offset) = (self.descriptor, self.byteCount - Int64(self.buffer.count))
        let startsWriteback = self.startsWriteback
        try self.buffer.withUnsafeBufferPointer { (bytes) throws(SystemError) in
            try writeAll(UnsafeRawBufferPointer(bytes), to: descriptor, at: offset, startsWriteback: startsWriteback)
        }
        self.buffer.removeAll(keepingCapacity: true)
    }

    /// Truncates the file, without the buffered bytes, to a length, which is the position of the next byte.
    mutating func truncate(to byteCount: Int64) throws(SystemError) {
        self.buffer.removeAll(keepingCapacity: true)
        try setLength(of: self.descriptor, to: byteCount)
        self.byteCount = byteCount
    }

    /// Waits until the flushed bytes are on the disk.
    func synchronize() throws(SystemError) { try synchronizeFile(self.descriptor) }
}

/// Writes all bytes at a position of an open file, repeating short writes.
///
/// - Parameters:
///   - bytes: The bytes.
///   - descriptor: The file.
///   - offset: The position of the first byte.
///   - startsWriteback: Whether they begin their way to the disk as well; see ``Writeback``.
/// - Throws: ``SystemError``; some of the bytes may have been written then.
func writeAll(
    _ bytes: UnsafeRawBufferPointer,
    to descriptor: CInt,
    at offset: Int64,
    startsWriteback: Bool = false
) throws(SystemError) {
    var rest = bytes
    var position = offset
    while !rest.isEmpty {
        let count = systemWrite(descriptor, rest, at: position)
        guard count >= 0 else { throw SystemError(.write, errno) }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        position += Int64(count)
    }
    if startsWriteback { Writeback.begin(descriptor, after: offset..<position) }
}

/// Waits until a file or a directory is on the disk.
///
/// - Parameters:
///   - descriptor: Its descriptor.
///   - ignored: Errors to ignore.
/// - Throws: ``SystemError``.
func synchronizeFile(_ descriptor: CInt, ignoring ignored: [CInt] = []) throws(SystemError) {
    while fsync(descriptor) != 0 {
        let code = errno
        if ignored.contains(code) { return }
        guard code == EINTR else { throw SystemError(.synchronize, code) }
    }
}
