// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open file that is written from its end on; closed with the value.
struct FileWriter: ~Copyable, Sendable {
    let descriptor: CInt

    /// The number of bytes in front of the next one to be written, those in the buffer included.
    private(set) var byteCount: Int64 = 0

    /// Small pieces are collected here, so that a write is worth its system call.
    private var buffer: [UInt8] = []
    private let bufferSize: Int

    /// A piece of this size is written as it is: copying it first would cost more than the system call that it saves.
    private static var smallestPieceWrittenDirectly: Int { 16 * 1024 }

    /// Takes over a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: A regular file's, open for writing.
    ///   - bufferSize: The bytes that are collected before they are written: what a killed process loses at most.
    init(descriptor: CInt, bufferSize: Int = 64 * 1024) {
        self.descriptor = descriptor
        self.bufferSize = bufferSize
        self.buffer.reserveCapacity(bufferSize)
    }

    deinit { close(self.descriptor) }

    /// Writes bytes at the end, now or with the ones that follow.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        if bytes.count > self.bufferSize - self.buffer.count { try self.flush() }
        if bytes.count >= min(Self.smallestPieceWrittenDirectly, self.bufferSize) {
            try self.flush()
            try writeAll(bytes, to: self.descriptor, at: self.byteCount)
        } else {
            self.buffer.append(contentsOf: bytes)
        }
        self.byteCount += Int64(bytes.count)
    }

    /// Hands what is buffered to the system, where it survives the process.
    mutating func flush() throws(SystemError) {
        guard !self.buffer.isEmpty else { return }
        let (descriptor, offset) = (self.descriptor, self.byteCount - Int64(self.buffer.count))
        try self.buffer.withUnsafeBufferPointer { (bytes) throws(SystemError) in
            try writeAll(UnsafeRawBufferPointer(bytes), to: descriptor, at: offset)
        }
        self.buffer.removeAll(keepingCapacity: true)
    }

    /// Cuts the file, or what the system has of it, to a length, where the next byte goes.
    mutating func truncate(to byteCount: Int64) throws(SystemError) {
        self.buffer.removeAll(keepingCapacity: true)
        try setLength(of: self.descriptor, to: byteCount)
        self.byteCount = byteCount
    }

    /// Waits until the disk has what was flushed.
    func synchronize() throws(SystemError) { try synchronizeFile(self.descriptor) }
}

/// Writes bytes at a position of an open file: a write may take fewer bytes than it is given, and the rest is then written again.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt, at offset: Int64) throws(SystemError) {
    var rest = bytes
    var position = offset
    while !rest.isEmpty {
        let count = systemWrite(descriptor, rest, at: position)
        guard count >= 0 else { throw SystemError(.write, errno) }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        position += Int64(count)
    }
}

/// Waits until the disk has a file or a directory.
///
/// - Parameters:
///   - descriptor: Its descriptor.
///   - ignored: Errors that do not count.
/// - Throws: ``SystemError``.
func synchronizeFile(_ descriptor: CInt, ignoring ignored: [CInt] = []) throws(SystemError) {
    while fsync(descriptor) != 0 {
        let code = errno
        if ignored.contains(code) { return }
        guard code == EINTR else { throw SystemError(.synchronize, code) }
    }
}
