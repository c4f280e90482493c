// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension BodyReader {
    /// Reads, converts foreign errors, and refuses an impossible byte count.
    mutating func readChecked(
        into buffer: UnsafeMutableRawBufferPointer,
        subject: @autoclosure () -> String
    ) throws(SerializationError) -> Int {
        let count: Int
        do {
            count = try self.read(into: buffer)
        } catch let error as SerializationError {
            throw error
        } catch {
            throw SerializationError(.readFailed, reason: "\(subject()) cannot be read", underlying: error)
        }
        guard count >= 0, count <= buffer.count else { throw .impossible(count, in: buffer, subject()) }
        return count
    }
}

extension SerializationError {
    /// A reader returned a number of bytes that its buffer cannot contain.
    fileprivate static func impossible(
        _ count: Int,
        in buffer: UnsafeMutableRawBufferPointer,
        _ subject: String
    ) -> SerializationError {
        SerializationError(
            .readFailed,
            reason: "\(subject): its reader claims \(count) bytes in a buffer of \(buffer.count)"
        )
    }
}

/// Checks that another reader returns no impossible number of bytes; its errors are passed on.
struct CountCheckingReader: WrappingBodyReader {
    private(set) var reader: any BodyReader
    private let subject: String

    init(_ reader: any BodyReader, subject: String) {
        self.reader = reader
        self.subject = subject
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try self.reader.read(into: buffer)
        guard count >= 0, count <= buffer.count else {
            throw SerializationError.impossible(count, in: buffer, self.subject)
        }
        return count
    }
}

/// Checks that another reader returns exactly its declared number of bytes.
struct LengthCheckingReader: WrappingBodyReader {
    private(set) var reader: any BodyReader
    private let length: Int64
    private var remaining: Int64
    private let subject: String

    init(_ reader: any BodyReader, length: Int64, subject: String) {
        self.reader = reader
        self.length = length
        self.remaining = length
        self.subject = subject
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard self.remaining > 0 else {
            try self.checkEnd()
            return 0
        }
        let room = Int(min(Int64(buffer.count), self.remaining))
        let subject = self.subject
        let count = try self.reader.readChecked(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]),
            subject: subject
        )
        guard count > 0 else {
            throw SerializationError(
                .lengthMismatch,
                reason: "\(self.subject) ended after \(self.length - self.remaining) of \(self.length) bytes"
            )
        }
        self.remaining -= Int64(count)
        // The engine may stop reading after the declared bytes, so excess bytes are detected now.
        try self.checkEnd()
        return count
    }

    /// True after the declared bytes, with which the body is complete.
    var isReadable: Bool { self.remaining <= 0 || self.reader.isReadable }

    func whenReadable(_ notify: @escaping @Sendable () -> Void) {
        if self.remaining <= 0 { notify() } else { self.reader.whenReadable(notify) }
    }

    /// Checks once that nothing follows the declared bytes.
    ///
    /// A source that does not know its end yet is not waited for: it would hold back the end of a complete body.
    private mutating func checkEnd() throws(SerializationError) {
        guard self.remaining == 0, self.reader.isReadable else { return }
        self.remaining = -1
        var extra: UInt8 = 0
        let count: Int
        do {
            count = try withUnsafeMutableBytes(of: &extra) { [subject] in
                try self.reader.readChecked(into: $0, subject: subject)
            }
        } catch let error as SerializationError {
            throw error
        } catch {
            throw SerializationError(.readFailed, reason: "\(self.subject) cannot be read", underlying: error)
        }
        guard count == 0 else {
            throw SerializationError(
                .lengthMismatch,
                reason: "\(self.subject) has more than the \(self.length) bytes it promised"
            )
        }
    }
}

/// Returns its reader to the first caller only.
final class SingleUseReader: Sendable {
    private let reader: Mutex<(any BodyReader)?>

    init(_ reader: any BodyReader) {
        self.reader = Mutex(reader)
    }

    func take() throws(SerializationError) -> any BodyReader {
        let reader = self.reader.withLock { reader in
            defer { reader = nil }
            return reader
        }
        guard let reader else {
            throw SerializationError(
                .bodyNotReplayable,
                reason: "the body can be read only once and has been; give a maker of readers to send it again"
            )
        }
        return reader
    }
}
