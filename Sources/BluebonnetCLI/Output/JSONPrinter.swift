// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials

/// Writes JSON for a person: indented, coloured, in the order it came.
///
/// It rearranges the text and not a value, so that no key moves, no number changes its look and no duplicate is lost.
struct JSONPrinter {
    /// The colours to use.
    var palette: Palette

    /// Whether lines are broken and indented; otherwise every space stays as it came.
    var isIndented: Bool

    private static let indentation = "    "

    /// The document as text.
    ///
    /// - Parameter bytes: The document in UTF-8.
    /// - Returns: The text; nil if it is not JSON, or nested too deep to be looked at.
    func text(of bytes: [UInt8]) -> String? {
        // The parser decides what is JSON; after that, brackets, commas and quotes are all that matters here.
        guard (try? JSONValue(parsing: Data(bytes))) != nil else { return nil }
        var page = Page(printer: self)
        var rest = bytes[...]
        // RFC 8259 section 8.1: a byte order mark may be ignored.
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): page.open(byte)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): page.close(byte)
            case UInt8(ascii: ","): page.comma()
            case UInt8(ascii: "\""):
                let length = Self.lengthOfString(rest)
                let isKey = rest.dropFirst(length).first { !Self.isSpace($0) } == UInt8(ascii: ":")
                page.add(self.string(rest.prefix(length), isKey ? .key : .string))
                rest = rest.dropFirst(length)
                continue
            case UInt8(ascii: ":"): page.colon()
            case _ where Self.isSpace(byte): page.space(byte)
            default:
                let word = rest.prefix { !Self.isSpace($0) && !",]}".utf8.contains($0) }
                let text = String(decoding: word, as: UTF8.self)
                page.add(self.palette.paint(text, text.first?.isLetter == true ? .literal : .number))
                rest = rest.dropFirst(word.count)
                continue
            }
            rest = rest.dropFirst()
        }
        return page.output
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// The number of bytes of the string at the front, its quotes included.
    private static func lengthOfString(_ bytes: ArraySlice<UInt8>) -> Int {
        var index = bytes.startIndex + 1
        while index < bytes.endIndex, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, bytes.endIndex) - bytes.startIndex
    }

    /// A string as it is written, but with the `\u` escapes of printable characters turned into the characters.
    ///
    /// Control characters stay escaped or become so: what is shown can be pasted as JSON, and does nothing to the terminal.
    private func string(_ bytes: ArraySlice<UInt8>, _ role: Palette.Role) -> String {
        var text = String(decoding: bytes, as: UTF8.self)
        if bytes.contains(UInt8(ascii: "\\")), let value = try? JSONValue(parsing: Data(bytes)) {
            text = value.description
        }
        var safe = ""
        for scalar in text.unicodeScalars {
            if TerminalText.isUnsafe(scalar) {
                let digits = String(scalar.value, radix: 16)
                safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return self.palette.paint(safe, role)
    }

    /// What has been written so far.
    private struct Page {
        let printer: JSONPrinter
        var output = ""
        private var depth = 0
        /// Whether a bracket has just been opened: an empty container stays on its line.
        private var isAfterOpening = false

        init(printer: JSONPrinter) { self.printer = printer }

        mutating func open(_ bracket: UInt8) {
            self.add(String(UnicodeScalar(bracket)))
            self.depth += 1
            self.isAfterOpening = true
        }

        mutating func close(_ bracket: UInt8) {
            self.depth -= 1
            if !self.isAfterOpening { self.breakLine() }
            self.isAfterOpening = false
            self.output.unicodeScalars.append(UnicodeScalar(bracket))
        }

        mutating func comma() {
            self.output += ","
            self.breakLine()
        }

        mutating func colon() { self.output += self.printer.isIndented ? ": " : ":" }

        mutating func space(_ byte: UInt8) {
            if !self.printer.isIndented { self.output.unicodeScalars.append(UnicodeScalar(byte)) }
        }

        mutating func add(_ text: String) {
            if self.isAfterOpening { self.breakLine() }
            self.isAfterOpening = false
            self.output += text
        }

        private mutating func breakLine() {
            guard self.printer.isIndented else { return }
            self.output += "\n" + String(repeating: JSONPrinter.indentation, count: self.depth)
        }
    }
}
