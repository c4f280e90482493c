// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A formatter that indents and colours JSON (RFC 8259) as it arrives.
///
/// It changes only white space, colours and escapes: no key is moved, no number is rewritten, no duplicate is removed.
/// Its memory usage does not depend on the length of the document. Several documents may follow each other (NDJSON).
struct JSONFormatter {
    /// The reason why the rest of a document is not formatted.
    enum Fault: Error, Equatable {
        /// The text is not JSON.
        case syntax
        /// The document is nested deeper than ``JSONFormatter/largestDepth``.
        case depth
    }

    /// The deepest nesting that is formatted.
    static let largestDepth = 512

    /// The deepest level that is indented further than its parent: 80 columns.
    ///
    /// Without a limit, a short but deeply nested document would become hundreds of times as long.
    private static let largestIndentation = 20

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let `true` = Array("true".utf8), `false` = Array("false".utf8), null = Array("null".utf8)
    private static let reset = Array(Palette.reset.utf8)

    /// The formatted bytes that have not been taken yet.
    var output: [UInt8] = []

    /// Whether a complete document has been read and no other one has begun.
    var isBetweenDocuments: Bool { self.expected == .document && self.token == .none }

    private let palette: Palette
    /// The escape sequences that begin a colour, encoded once.
    private let starts: (key: [UInt8], string: [UInt8], number: [UInt8], literal: [UInt8])
    private let isIndented: Bool
    /// The number of columns per level.
    private let indentation: Int

    /// The tokens that may follow.
    private enum Expectation {
        case document, value, firstElement, firstKey, key, colon, separator
    }

    /// The token that is being read.
    private enum Token: Equatable {
        case none, string
        case number(JSONNumberState)
        /// `true`, `false` or `null`, and how many of its letters have been read.
        case literal([UInt8], count: Int)
    }

    private var expected = Expectation.document
    private var token = Token.none
    private var string = JSONStringFormatter()
    /// The open containers, outermost first; true for an object.
    private var containers: [Bool] = []
    private var hasDocument = false
    /// The number of bytes of a byte order mark that have been skipped, as RFC 8259 section 8.1 allows.
    private var markCount = 0

    init(palette: Palette, isIndented: Bool, indentation: Int = 4) {
        self.palette = palette
        self.starts = (
            Array(palette.start(.key).utf8), Array(palette.start(.string).utf8), Array(palette.start(.number).utf8),
            Array(palette.start(.literal).utf8)
        )
        self.isIndented = isIndented
        self.indentation = indentation
    }

    /// Formats the next bytes.
    ///
    /// - Throws: ``Fault`` at the first byte that cannot be formatted, whose index is returned in `position`.
    mutating func write(_ bytes: UnsafeRawBufferPointer, position: inout Int) throws(Fault) {
        position = 0
        while position < bytes.count {
            switch self.token {
            case .string:
                guard let isAtEnd = self.string.write(bytes, &position, into: &self.output) else { throw .syntax }
                if isAtEnd { self.endToken() }
            case .none:
                try self.begin(bytes[position])
                position += 1
            case .number(let state):
                try self.writeNumber(state, bytes, &position)
            case .literal(let word, let count):
                guard word[count] == bytes[position] else { throw .syntax }
                self.output.append(bytes[position])
                position += 1
                self.token = .literal(word, count: count + 1)
                if count + 1 == word.count { self.endToken() }
            }
        }
    }

    private mutating func writeNumber(
        _ state: JSONNumberState,
        _ bytes: UnsafeRawBufferPointer,
        _ position: inout Int
    ) throws(Fault) {
        var state = state
        let start = position
        while position < bytes.count, let next = state.next(bytes[position]) {
            state = next
            position += 1
        }
        self.output.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
        self.token = .number(state)
        guard position < bytes.count else { return }
        guard state.isComplete, Self.endsNumber(bytes[position]) else { throw .syntax }
        self.endToken()
    }

    /// Ends the input: completes a number at its end, and switches colours off.
    mutating func finish() {
        if case .string = self.token { self.string.abandon(into: &self.output) }
        if self.token != .none { self.endToken() }
    }

    /// Returns a complete document, indented and without colours, with a line end; unchanged if it is not JSON.
    ///
    /// - Parameter document: The bytes of the document.
    /// - Returns: The bytes to write to a file.
    static func formatted(_ document: some ContiguousBytes) -> [UInt8] {
        var formatter = JSONFormatter(palette: Palette(isEnabled: false), isIndented: true)
        return document.withUnsafeBytes { bytes in
            var position = 0
            do throws(Fault) {
                try formatter.write(bytes, position: &position)
            } catch {
                return Array(bytes)
            }
            formatter.finish()
            return formatter.output + [0x0A]
        }
    }

    private static func endsNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): true
        default: false
        }
    }

    private mutating func begin(_ byte: UInt8) throws(Fault) {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D:
            if !self.isIndented { self.output.append(byte) }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            try self.beginValue()
            guard self.containers.count < Self.largestDepth else { throw .depth }
            self.output.append(byte)
            self.containers.append(byte == UInt8(ascii: "{"))
            self.expected = byte == UInt8(ascii: "{") ? .firstKey : .firstElement
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            try self.close(byte)
        case UInt8(ascii: ","):
            guard self.expected == .separator, let isObject = self.containers.last else { throw .syntax }
            self.output.append(byte)
            self.expected = isObject ? .key : .value
        case UInt8(ascii: ":"):
            guard self.expected == .colon else { throw .syntax }
            self.output.append(byte)
            if self.isIndented { self.output.append(0x20) }
            self.expected = .value
        default:
            try self.beginScalar(byte)
        }
    }

    private mutating func beginScalar(_ byte: UInt8) throws(Fault) {
        if !self.hasDocument, self.markCount < Self.mark.count, byte == Self.mark[self.markCount] {
            self.markCount += 1
            return
        }
        let isKey = self.expected == .key || self.expected == .firstKey
        if isKey {
            guard byte == UInt8(ascii: "\"") else { throw .syntax }
            self.breakLine()
        } else {
            try self.beginValue()
        }
        switch byte {
        case UInt8(ascii: "\""):
            self.token = .string
            self.paint(isKey ? .key : .string)
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            let word = byte == UInt8(ascii: "t") ? Self.true : byte == UInt8(ascii: "f") ? Self.false : Self.null
            self.token = .literal(word, count: 1)
            self.paint(.literal)
        default:
            guard let state = JSONNumberState(first: byte) else { throw .syntax }
            self.token = .number(state)
            self.paint(.number)
        }
        self.output.append(byte)
        self.expected = isKey ? .colon : .separator
    }

    /// Checks that a value is allowed, and breaks the line before it unless it is the value of a key.
    private mutating func beginValue() throws(Fault) {
        switch self.expected {
        case .document:
            if self.hasDocument, self.isIndented { self.output.append(0x0A) }
            self.hasDocument = true
        case .firstElement:
            self.breakLine()
        case .value:
            if self.containers.last == false { self.breakLine() }
        case .firstKey, .key, .colon, .separator:
            throw .syntax
        }
    }

    private mutating func close(_ byte: UInt8) throws(Fault) {
        let isObject = byte == UInt8(ascii: "}")
        let isEmpty = self.expected == (isObject ? .firstKey : .firstElement)
        guard self.containers.last == isObject, isEmpty || self.expected == .separator else { throw .syntax }
        self.containers.removeLast()
        if !isEmpty { self.breakLine() }
        self.output.append(byte)
        self.expected = self.containers.isEmpty ? .document : .separator
    }

    private mutating func endToken() {
        self.token = .none
        if self.palette.isEnabled { self.output += Self.reset }
        if self.containers.isEmpty { self.expected = .document }
    }

    private mutating func paint(_ role: Palette.Role) {
        guard self.palette.isEnabled else { return }
        switch role {
        case .key: self.output += self.starts.key
        case .string: self.output += self.starts.string
        case .number: self.output += self.starts.number
        default: self.output += self.starts.literal
        }
    }

    private mutating func breakLine() {
        guard self.isIndented else { return }
        let columns = self.indentation * min(self.containers.count, Self.largestIndentation)
        self.output.append(0x0A)
        self.output.append(contentsOf: repeatElement(0x20, count: columns))
    }
}
