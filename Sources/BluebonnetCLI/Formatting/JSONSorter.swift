// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A sorter for the keys of JSON documents, for `--sorted`; values, and the order of equal keys, are unchanged.
struct JSONSorter {
    /// The largest input that is sorted: 64 MiB, because it is held in memory.
    static let largestByteCount = 64 * 1024 * 1024

    /// The error for JSON that is malformed or too deeply nested.
    private struct Fault: Error {}

    private let bytes: [UInt8]
    private var position = 0
    private var output: [UInt8] = []

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        self.output.reserveCapacity(bytes.count)
    }

    /// Returns the documents with sorted keys and without white space, one per line.
    ///
    /// - Parameter bytes: One document or several.
    /// - Returns: The documents; nil if they are not JSON, or too deeply nested.
    static func sorted(_ bytes: [UInt8]) -> [UInt8]? {
        var sorter = JSONSorter(bytes)
        do throws(Fault) {
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { sorter.position = 3 }
            while sorter.skipSpace() != nil {
                if !sorter.output.isEmpty { sorter.output.append(0x0A) }
                try sorter.value(depth: 0)
            }
            return sorter.output
        } catch {
            return nil
        }
    }

    /// Skips white space and returns the next byte; nil at the end.
    private mutating func skipSpace() -> UInt8? {
        while self.position < self.bytes.count {
            let byte = self.bytes[self.position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            self.position += 1
        }
        return nil
    }

    private mutating func value(depth: Int) throws(Fault) {
        guard depth < JSONFormatter.largestDepth, let first = self.skipSpace() else { throw Fault() }
        switch first {
        case UInt8(ascii: "{"): try self.object(depth)
        case UInt8(ascii: "["): try self.array(depth)
        case UInt8(ascii: "\""): self.output += try self.string()
        default:
            let start = self.position
            while self.position < self.bytes.count, !Self.endsScalar(self.bytes[self.position]) { self.position += 1 }
            guard self.position > start else { throw Fault() }
            // Numbers and literals are validated by the formatter.
            self.output += self.bytes[start..<self.position]
        }
    }

    private static func endsScalar(_ byte: UInt8) -> Bool { byte <= 0x20 || ",:[]{}\"".utf8.contains(byte) }

    private mutating func string() throws(Fault) -> ArraySlice<UInt8> {
        let start = self.position
        self.position += 1
        while self.position < self.bytes.count {
            let byte = self.bytes[self.position]
            self.position += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return self.bytes[start..<self.position] }
        }
        throw Fault()
    }

    private mutating func array(_ depth: Int) throws(Fault) {
        self.position += 1
        self.output.append(UInt8(ascii: "["))
        var isFirst = true
        while let next = self.skipSpace(), next != UInt8(ascii: "]") {
            if !isFirst {
                try self.take(UInt8(ascii: ","))
                self.output.append(UInt8(ascii: ","))
            }
            try self.value(depth: depth + 1)
            isFirst = false
        }
        try self.take(UInt8(ascii: "]"))
        self.output.append(UInt8(ascii: "]"))
    }

    /// A member of an object: the range of its key in the input, and that of its value in the output.
    private struct Member {
        var key: Range<Int>
        /// The text of a key with escapes; nil for one without, whose bytes are its text.
        var decodedKey: [UInt8]?
        var value: Range<Int>
    }

    private mutating func object(_ depth: Int) throws(Fault) {
        self.position += 1
        let start = self.output.count
        var members: [Member] = []
        while let next = self.skipSpace(), next != UInt8(ascii: "}") {
            if !members.isEmpty { try self.take(UInt8(ascii: ",")) }
            guard self.skipSpace() == UInt8(ascii: "\"") else { throw Fault() }
            let key = try self.string()
            try self.take(UInt8(ascii: ":"))
            let valueStart = self.output.count
            try self.value(depth: depth + 1)
            let decoded = JSONKey.decoded(key.dropFirst().dropLast())
            members.append(Member(key: key.indices, decodedKey: decoded, value: valueStart..<self.output.count))
        }
        try self.take(UInt8(ascii: "}"))
        members.sort { self.precedes($0, $1) }
        let values = Array(self.output[start...])
        self.output.removeLast(values.count)
        self.output.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { self.output.append(UInt8(ascii: ",")) }
            self.output += self.bytes[member.key]
            self.output.append(UInt8(ascii: ":"))
            self.output += values[(member.value.lowerBound - start)..<(member.value.upperBound - start)]
        }
        self.output.append(UInt8(ascii: "}"))
    }

    /// Returns whether a member precedes another one: ordered by the texts of their keys, then by position.
    private func precedes(_ first: Member, _ second: Member) -> Bool {
        let (left, right) = (self.text(first), self.text(second))
        if left.lexicographicallyPrecedes(right) { return true }
        return first.key.lowerBound < second.key.lowerBound && left.elementsEqual(right)
    }

    /// Returns the text of a key, which is the same however it is written.
    private func text(_ member: Member) -> ArraySlice<UInt8> {
        member.decodedKey.map { $0[...] } ?? self.bytes[member.key].dropFirst().dropLast()
    }

    private mutating func take(_ byte: UInt8) throws(Fault) {
        guard self.skipSpace() == byte else { throw Fault() }
        self.position += 1
    }
}
