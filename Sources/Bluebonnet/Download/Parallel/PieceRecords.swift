// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The lines of a journal that list the written positions of a file with holes.
///
/// Each line has the same length and is changed in place, by one system call, after its bytes were passed to the
/// system: a killed process leaves no line about bytes that are not in the file. No line crosses a page, so that none
/// is written partially. Space for ``limit`` lines is reserved from the beginning, so that a full disk does not prevent
/// writing them.
enum PieceRecords {
    /// The largest number of lines.
    static var limit: Int { 256 }

    private static var lineByteCount: Int { 64 }
    private static var digitCount: Int { 19 }

    /// Encodes a journal whose first line is a header.
    static func content(_ header: [UInt8], _ spans: [DownloadJournal.Span]) -> [UInt8] {
        var content = header
        let padded = (header.count + Self.lineByteCount) / Self.lineByteCount * Self.lineByteCount
        content += repeatElement(UInt8(ascii: " "), count: padded - 1 - header.count)
        content.append(UInt8(ascii: "\n"))
        for span in spans.prefix(Self.limit) { content += Self.line(span) }
        let blank = repeatElement(UInt8(ascii: " "), count: Self.lineByteCount - 1) + [UInt8(ascii: "\n")]
        for _ in 0..<max(Self.limit - spans.count, 0) { content += blank }
        return content
    }

    /// The position of a line in a journal with this number of bytes.
    static func offset(of index: Int, inContentOf byteCount: Int) -> Int64 {
        Int64(byteCount - (Self.limit - index) * Self.lineByteCount)
    }

    /// Encodes a line.
    static func line(_ span: DownloadJournal.Span) -> [UInt8] {
        var line = Self.digits(span.from) + [UInt8(ascii: " ")] + Self.digits(span.to)
        line += repeatElement(UInt8(ascii: " "), count: Self.lineByteCount - 1 - line.count)
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// Parses a journal.
    ///
    /// - Returns: The header, and the spans after it; nil without room for lines. An invalid line is ignored.
    static func split(_ content: [UInt8]) -> (header: ArraySlice<UInt8>, spans: [DownloadJournal.Span]?) {
        let start = content.count - Self.limit * Self.lineByteCount
        guard start > 0, start % Self.lineByteCount == 0, content[start - 1] == UInt8(ascii: "\n") else {
            return (content[...], nil)
        }
        let spans = stride(from: start, to: content.count, by: Self.lineByteCount)
            .compactMap { Self.span(content[$0..<$0 + Self.lineByteCount]) }
        return (content[..<(start - 1)], spans)
    }

    private static func span(_ line: ArraySlice<UInt8>) -> DownloadJournal.Span? {
        let first = line.prefix(Self.digitCount)
        let second = line.dropFirst(Self.digitCount + 1).prefix(Self.digitCount)
        let rest = line.dropFirst(2 * Self.digitCount + 1)
        guard line[line.startIndex + Self.digitCount] == UInt8(ascii: " "), rest.last == UInt8(ascii: "\n"),
            rest.dropLast().allSatisfy({ $0 == UInt8(ascii: " ") }), let from: Int64 = first.decimalNumber(),
            let to: Int64 = second.decimalNumber(), from <= to
        else { return nil }
        return DownloadJournal.Span(from: from, to: to)
    }

    private static func digits(_ number: Int64) -> [UInt8] {
        let digits = Array(String(max(number, 0)).utf8)
        return repeatElement(UInt8(ascii: "0"), count: max(Self.digitCount - digits.count, 0)) + digits
    }
}
