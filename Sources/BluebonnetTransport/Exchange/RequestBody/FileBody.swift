// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A file, or a part of one, as the body of a ``TransportRequest``.
///
/// On plain HTTP/1.1 the system sends it without copying it through the process (`sendfile`). Under TLS, on HTTP/2 and
/// with the chunked coding, it is read piece by piece. The file must be a regular file of the length given here. That
/// is checked before anything is sent, and again while it is sent: if the file becomes shorter or longer, the exchange
/// fails before the last byte. A file whose size does not say how many bytes it has, as in `/proc`, is refused, too. For
/// an empty part of a file, the file is not opened.
public struct FileBody: Sendable {
    /// The path of the file.
    public var path: String

    /// The offset of the body in the file, in bytes.
    public let offset: Int64

    /// The length of the body, in bytes.
    public let byteCount: Int64

    /// Whether the body extends to the end of the file.
    let isWhole: Bool

    /// Receives progress: 0 when sending of the body begins, which can repeat for a second attempt, then the number of
    /// bytes each time that the connection has accepted some; nil by default.
    ///
    /// It is called on the engine's threads: it must be fast and must not block.
    public var onBytes: (@Sendable (Int) -> Void)?

    /// Creates a body from a whole file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - byteCount: The length of the file, in bytes.
    public init(path: String, byteCount: Int64) {
        self.path = path
        self.offset = 0
        self.byteCount = byteCount
        self.isWhole = true
    }

    /// Creates a body from a part of a file; the rest of the file is ignored.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - offset: The offset of the part, in bytes; not negative.
    ///   - byteCount: The length of the part, in bytes; not negative.
    public init(path: String, offset: Int64, byteCount: Int64) {
        self.path = path
        self.offset = offset
        self.byteCount = byteCount
        self.isWhole = false
    }

    /// Opens the file and returns a reader of its bytes, for transports that cannot send files.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed`` if the file cannot be opened, is not a regular file or has another
    ///   length.
    public func makeReader() throws -> any TransportBodyReader {
        let file = try OpenBodyFile(self)
        self.onBytes?(0)
        return FileBodyReader(file: file)
    }

    /// Refuses a file that cannot be sent, before a connection is leased for it; blocks.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed``.
    func check() throws(TransportError) {
        guard self.byteCount > 0 || self.isWhole else { return }
        do throws(TransportError) {
            _ = try OpenBodyFile(self)
        } catch {
            var error = error
            error.isRequestSent = false
            throw error
        }
    }

    /// Refuses an offset or length that no file can have.
    func validate() throws(TransportError) {
        // Sending uses 55-bit file positions.
        let limit: Int64 = 1 << 55
        guard (0...limit).contains(self.offset), (0...limit).contains(self.byteCount) else {
            throw .invalid("the part of the file begins or ends where no file can be")
        }
        // C ends a path at the first NUL and would open another file.
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
