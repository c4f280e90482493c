// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOCore

/// The open file of a ``FileBody``; it is closed with its last reference.
final class OpenBodyFile: Sendable {
    let body: FileBody
    /// The handle that the channel sends from.
    let handle: NIOFileHandle

    /// Opens a file and checks its length; blocks.
    init(_ body: FileBody) throws(TransportError) {
        try body.validate()
        do throws(FileFault) {
            self.handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: try RegularFile.open(body.path))
        } catch {
            throw body.failure("cannot be opened: \(error.text)")
        }
        self.body = body
        try self.checkContent()
    }

    deinit {
        try? self.handle.close()
    }

    /// Checks that the file still has the length it had when the request was made.
    func checkLength() throws(TransportError) {
        let length = try self.withDescriptor { (descriptor) throws(FileFault) in
            try RegularFile.byteCount(of: descriptor)
        }
        let end = self.body.offset + self.body.byteCount
        guard length >= end else {
            throw self.body.failure("has become shorter: it ends at byte \(length), and the body at byte \(end)")
        }
        guard !self.body.isWhole || length == end else {
            throw self.body.failure("has become longer than the \(end) bytes it had")
        }
    }

    /// Checks that the file has the length it had, and as many bytes as that.
    ///
    /// The size of a file that the system makes up, for example in `/proc`, need not say how many bytes it has: after
    /// the last one, `sendfile` would send nothing for ever.
    func checkContent() throws(TransportError) {
        try self.checkLength()
        let end = self.body.offset + self.body.byteCount
        if self.body.byteCount > 0, try !self.hasByte(at: end - 1) {
            throw self.body.failure("has become shorter, or is shorter than its size: it ends before byte \(end)")
        }
        if self.body.isWhole, try self.hasByte(at: end) {
            throw self.body.failure("has become longer, or is longer than its size of \(end) bytes")
        }
    }

    /// Reads bytes; blocks.
    ///
    /// - Returns: The number of bytes read, at least one.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(TransportError) -> Int {
        let count = try self.readAnything(into: buffer, at: position)
        guard count > 0 else { throw self.body.failure("has become shorter: it ends at byte \(position)") }
        return count
    }

    private func hasByte(at position: Int64) throws(TransportError) -> Bool {
        var byte: UInt8 = 0
        let result = withUnsafeMutableBytes(of: &byte) { buffer in
            Result { () throws(TransportError) in try self.readAnything(into: buffer, at: position) }
        }
        return try result.get() > 0
    }

    private func readAnything(
        into buffer: UnsafeMutableRawBufferPointer,
        at position: Int64
    ) throws(TransportError) -> Int {
        try self.withDescriptor { (descriptor) throws(FileFault) in
            do throws(SystemError) {
                return try RegularFile.read(descriptor, into: buffer, at: position)
            } catch {
                throw .system(error)
            }
        }
    }

    private func withDescriptor<Result>(
        _ body: (CInt) throws(FileFault) -> Result
    ) throws(TransportError) -> Result {
        do {
            return try self.handle.withUnsafeFileDescriptor { try body($0) }
        } catch let fault as FileFault {
            throw self.body.failure("cannot be read: \(fault.text)")
        } catch {
            throw self.body.failure("cannot be read: \(error)")
        }
    }
}

extension FileBody {
    fileprivate func failure(_ reason: String) -> TransportError {
        let name = FileLocation(path: self.path)?.name ?? self.path
        return TransportError(
            .bodyFailed,
            phase: .requestBody,
            reason: "the body's file “\(name)” \(reason)",
            isRequestSent: true
        )
    }
}
