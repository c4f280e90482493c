// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The delimiter between the pieces of a stream.
enum Delimiter: Sendable {
    /// LF or CR LF; a CR without a LF belongs to its line.
    case lineFeed
    /// LF, CR LF or CR.
    case anyLineEnd
    /// RS, the byte 1E (RFC 7464 section 2.1).
    case recordSeparator
}

/// Splits a stream into pieces at its delimiters, in time proportional to its length.
///
/// A piece within one buffer is a slice of it. A piece that spans several buffers is copied once.
struct StreamSplitter: StreamParser {
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let recordSeparator: UInt8 = 0x1E
    /// A buffer holds 4 GiB minus one byte; a stored piece may be followed by a CR.
    static let largestLimit = Int(UInt32.max) - 2

    private let delimiter: Delimiter
    private let limit: Int
    private var input = ByteBuffer()
    /// The bytes of an incomplete piece, from buffers before ``input``.
    private var begun = ByteBuffer()
    /// Whether the last piece ended with a CR: a LF that follows belongs to the same line end.
    private var skipsLineFeed = false

    /// The number of pieces returned.
    private(set) var count = 0

    /// Creates a splitter.
    ///
    /// - Parameters:
    ///   - delimiter: The delimiter between the pieces.
    ///   - limit: The largest number of bytes in a piece, without its delimiter; at most what one buffer can hold.
    init(at delimiter: Delimiter, limit: Int) {
        self.delimiter = delimiter
        self.limit = min(max(limit, 0), Self.largestLimit)
    }

    mutating func append(_ buffer: ByteBuffer) {
        self.input = buffer
    }

    mutating func next() throws(SessionError) -> ByteBuffer? {
        self.skipLineFeed()
        guard let length = self.lengthOfPiece(), let end = self.input.readSlice(length: length) else {
            try self.keep()
            return nil
        }
        let delimiter = self.input.readInteger(as: UInt8.self)
        self.skipsLineFeed = self.delimiter == .anyLineEnd && delimiter == Self.carriageReturn
        var piece = try self.piece(endingWith: end)
        if self.delimiter == .lineFeed { piece.dropLast(Self.carriageReturn) }
        return try self.counted(piece)
    }

    /// The piece after the last delimiter; nil if it is empty.
    mutating func finish() throws(SessionError) -> ByteBuffer? {
        let piece = try self.piece(endingWith: ByteBuffer())
        return piece.readableBytes > 0 ? try self.counted(piece) : nil
    }

    private mutating func skipLineFeed() {
        guard self.skipsLineFeed, let first = self.input.getInteger(at: self.input.readerIndex, as: UInt8.self) else {
            return
        }
        self.skipsLineFeed = false
        if first == Self.lineFeed { self.input.moveReaderIndex(forwardBy: 1) }
    }

    /// The number of bytes before the next delimiter; nil if it has not arrived.
    private func lengthOfPiece() -> Int? {
        let isAnyLineEnd = self.delimiter == .anyLineEnd
        let end = self.delimiter == .recordSeparator ? Self.recordSeparator : Self.lineFeed
        return self.input.withUnsafeReadableBytes { bytes in
            isAnyLineEnd
                ? bytes.firstIndex { $0 == Self.lineFeed || $0 == Self.carriageReturn } : bytes.firstIndex(of: end)
        }
    }

    /// Stores the beginning of an incomplete piece.
    private mutating func keep() throws(SessionError) {
        try self.checkSpace(for: self.input)
        self.begun.writeBuffer(&self.input)
        self.input = ByteBuffer()
    }

    private mutating func piece(endingWith end: ByteBuffer) throws(SessionError) -> ByteBuffer {
        guard self.begun.readableBytes > 0 else { return end }
        try self.checkSpace(for: end)
        var end = end
        var piece = ByteBuffer()
        swap(&piece, &self.begun)
        piece.writeBuffer(&end)
        return piece
    }

    /// Checks that the piece, as far as it is known with more bytes, is within the limit, and so within one buffer.
    private func checkSpace(for more: ByteBuffer) throws(SessionError) {
        // The last byte may be the CR of a line end, which does not count.
        let allowance = self.delimiter == .lineFeed ? 1 : 0
        guard self.begun.readableBytes + more.readableBytes <= self.limit + allowance else { throw self.tooLong }
    }

    private mutating func counted(_ piece: ByteBuffer) throws(SessionError) -> ByteBuffer {
        guard piece.readableBytes <= self.limit else { throw self.tooLong }
        self.count += 1
        return piece
    }

    private var tooLong: SessionError {
        // The bytes before the first RS are not a text.
        let piece = self.delimiter == .recordSeparator ? "text \(max(self.count, 1))" : "line \(self.count + 1)"
        return SessionError(
            .limitExceeded,
            reason: "\(piece) of the response is longer than the limit of \(self.limit) bytes",
            isRequestSent: true
        )
    }
}

extension ByteBuffer {
    /// Drops the last byte if it is the given one.
    fileprivate mutating func dropLast(_ byte: UInt8) {
        guard self.readableBytes > 0, self.getInteger(at: self.writerIndex - 1, as: UInt8.self) == byte else { return }
        self.moveWriterIndex(to: self.writerIndex - 1)
    }
}
