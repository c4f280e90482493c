// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An error in a body.
struct ContentError: Error, Hashable {
    let reason: String
}

/// Parses a multipart body incrementally (RFC 2046 section 5.1), in constant memory.
///
/// It is strict, because it tests a client: a line that begins with the boundary and continues, a part without an end,
/// malformed header fields and a missing closing boundary are errors.
struct MultipartScanner {
    /// The events of the scanner; the bytes of a part arrive in any number of pieces.
    enum Event {
        case part(PartHeaders)
        case bytes(ByteBuffer)
        case end
    }

    private enum State {
        case preamble, boundaryLine, headers, start, content, epilogue
    }

    private var state = State.preamble
    /// Bytes that are not scanned yet; between two calls hardly more than a boundary or the headers of a part.
    private var pending = ByteBuffer(string: "\r\n")
    private let delimiter: [UInt8]
    private let headerLimit = 64 * 1024

    /// Creates a scanner for a boundary, without its leading hyphens.
    init(boundary: String) {
        self.delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// Processes the next bytes, which may be split anywhere, and emits completed events.
    mutating func receive(_ bytes: ByteBuffer, _ emit: (Event) throws(ContentError) -> Void) throws(ContentError) {
        if self.state == .epilogue { return }
        self.pending.discardReadBytes()
        self.pending.writeImmutableBuffer(bytes)
        while try self.step(emit) {}
    }

    /// Checks that the closing boundary has arrived.
    func finish() throws(ContentError) {
        guard self.state == .epilogue else {
            throw ContentError(reason: "the multipart body ends before its closing boundary")
        }
    }

    /// Scans the pending bytes; returns false if more are needed.
    private mutating func step(_ emit: (Event) throws(ContentError) -> Void) throws(ContentError) -> Bool {
        switch self.state {
        case .preamble: return self.skipPreamble()
        case .boundaryLine: return try self.endBoundaryLine()
        case .headers: return try self.readHeaders(emit)
        case .start: return self.startContent()
        case .content: return try self.readContent(emit)
        case .epilogue:
            self.pending.clear()
            return false
        }
    }

    private mutating func skipPreamble() -> Bool {
        guard let offset = self.find(self.delimiter) else {
            self.pending.moveReaderIndex(forwardBy: max(0, self.pending.readableBytes - self.delimiter.count + 1))
            return false
        }
        self.pending.moveReaderIndex(forwardBy: offset + self.delimiter.count)
        self.state = .boundaryLine
        return true
    }

    /// Scans after a boundary: two hyphens, or optional white space and the end of the line, which is left for the
    /// headers.
    private mutating func endBoundaryLine() throws(ContentError) -> Bool {
        var blanks = 0
        for byte in self.pending.readableBytesView {
            guard byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") else { break }
            blanks += 1
        }
        guard blanks <= 1024 else { throw ContentError(reason: "a boundary is followed by too many blanks") }
        guard let mark = self.pending.getBytes(at: self.pending.readerIndex + blanks, length: 2) else { return false }
        if mark == Array("\r\n".utf8) {
            self.pending.moveReaderIndex(forwardBy: blanks)
            self.state = .headers
        } else if mark == Array("--".utf8), blanks == 0 {
            self.state = .epilogue
        } else {
            throw ContentError(reason: "a line begins with the boundary but does not end after it")
        }
        return true
    }

    private mutating func readHeaders(_ emit: (Event) throws(ContentError) -> Void) throws(ContentError) -> Bool {
        guard let offset = self.find(Array("\r\n\r\n".utf8)) else {
            guard self.pending.readableBytes <= self.headerLimit else {
                throw ContentError(reason: "the headers of a part are longer than \(self.headerLimit) bytes")
            }
            return false
        }
        let text = self.pending.readBytes(length: offset) ?? []
        try emit(.part(PartHeaders(parsing: text)))
        // The second line break may already begin a boundary: a part may have no body.
        self.pending.moveReaderIndex(forwardBy: 2)
        self.state = .start
        return true
    }

    private mutating func startContent() -> Bool {
        // Every part is followed by a boundary, so the wait for this many bytes ends.
        guard self.pending.readableBytes >= self.delimiter.count else { return false }
        if !self.pending.readableBytesView.starts(with: self.delimiter) { self.pending.moveReaderIndex(forwardBy: 2) }
        self.state = .content
        return true
    }

    private mutating func readContent(_ emit: (Event) throws(ContentError) -> Void) throws(ContentError) -> Bool {
        let end = self.find(self.delimiter)
        // If no boundary is found, the last bytes may still be the beginning of one.
        let count = end ?? max(0, self.pending.readableBytes - self.delimiter.count + 1)
        if count > 0, let bytes = self.pending.readSlice(length: count) { try emit(.bytes(bytes)) }
        guard end != nil else { return false }
        self.pending.moveReaderIndex(forwardBy: self.delimiter.count)
        try emit(.end)
        self.state = .boundaryLine
        return true
    }

    /// Returns the offset of some bytes in the pending bytes, with the speed of the C library's search.
    private func find(_ needle: [UInt8]) -> Int? {
        self.pending.withUnsafeReadableBytes { bytes in
            needle.withUnsafeBytes { needle in
                guard let start = bytes.baseAddress, let pattern = needle.baseAddress, let first = needle.first else {
                    return nil
                }
                var offset = 0
                while offset + needle.count <= bytes.count,
                    let match = memchr(start + offset, CInt(first), bytes.count - offset - needle.count + 1)
                {
                    offset = UnsafeRawPointer(match) - start
                    if memcmp(match, pattern, needle.count) == 0 { return offset }
                    offset += 1
                }
                return nil
            }
        }
    }
}
