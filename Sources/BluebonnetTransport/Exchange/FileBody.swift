// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOPosix

/// A file, or a part of one, as the body of a ``TransportRequest``.
///
/// On plain HTTP/1.1 the system sends it without a copy through the process (`sendfile`); under TLS, on HTTP/2 and in chunks it is read
/// piece by piece. It has to be a regular file of the length it was given here. That is checked before anything is sent, and again while it
/// is sent: a file that becomes shorter or longer fails the exchange before its last byte. A body of no bytes is sent without opening
/// anything.
public struct FileBody: Sendable {
    /// Where the file is.
    public var path: String

    /// Where in the file the body begins, in bytes.
    public let offset: Int64

    /// The number of bytes of the body.
    public let byteCount: Int64

    /// Whether the file ends where the body does.
    let isWhole: Bool

    /// Called with 0 when the body begins to be sent, which can happen again for a second attempt, and with the number of bytes whenever
    /// the connection has taken some; nil, the default, for nobody.
    ///
    /// Called on threads of the engine: it must be fast and must not block.
    public var onBytes: (@Sendable (Int) -> Void)?

    /// A whole file.
    ///
    /// - Parameters:
    ///   - path: Where it is.
    ///   - byteCount: Its length.
    public init(path: String, byteCount: Int64) {
        self.path = path
        self.offset = 0
        self.byteCount = byteCount
        self.isWhole = true
    }

    /// A part of a file; what else is in the file does not matter.
    ///
    /// - Parameters:
    ///   - path: Where the file is.
    ///   - offset: Where the part begins, in bytes; not negative.
    ///   - byteCount: The length of the part, in bytes; not negative.
    public init(path: String, offset: Int64, byteCount: Int64) {
        self.path = path
        self.offset = offset
        self.byteCount = byteCount
        self.isWhole = false
    }

    /// Makes a reader of the bytes, for transports that cannot send files; opens the file.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed`` if the file cannot be opened, is no regular file or has another length.
    public func makeReader() throws -> any TransportBodyReader {
        let file = try OpenBodyFile(self)
        self.onBytes?(0)
        return FileBodyReader(file: file)
    }

    /// Refuses a file that cannot be sent, before a connection is taken for it.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed``.
    func check() async throws {
        guard self.byteCount > 0 else { return }
        do {
            _ = try await NIOThreadPool.singleton.runIfActive { try OpenBodyFile(self) }
        } catch var error as TransportError {
            error.isRequestSent = false
            throw error
        }
    }

    /// Refuses a part that no file can have.
    func validate() throws(TransportError) {
        // Positions in a file are kept in 55 bits where they are sent.
        let limit: Int64 = 1 << 55
        guard (0...limit).contains(self.offset), (0...limit).contains(self.byteCount) else {
            throw .invalid("the part of the file begins or ends where no file can be")
        }
        // C would end the path at a NUL and open another file.
        guard !self.path.isEmpty, !self.path.utf8.contains(0) else { throw .invalid("the body's file has no path") }
    }
}

/// Reads a ``FileBody`` into memory.
struct FileBodyReader: TransportBodyReader {
    let file: OpenBodyFile
    private var position: Int64 = 0

    init(file: OpenBodyFile) {
        self.file = file
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let body = self.file.body
        let wanted = Int(Swift.min(Int64(buffer.count), body.byteCount - self.position))
        guard wanted > 0 else { return 0 }
        let count = try self.file.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(wanted)),
            at: body.offset + self.position
        )
        self.position += Int64(count)
        if self.position == body.byteCount { try self.file.checkLength() }
        body.onBytes?(count)
        return count
    }
}
