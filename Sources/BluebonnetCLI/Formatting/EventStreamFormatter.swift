// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A formatter that colours an event stream (WHATWG HTML section 9.2) and its JSON as it arrives; it only adds colours.
struct EventStreamFormatter {
    /// The longest line that is coloured: 64 KiB; longer ones are written unchanged.
    private static let longestLine = 64 * 1024

    /// The formatted text that has not been taken yet.
    var output: [UInt8] = []

    private let palette: Palette
    private var line: [UInt8] = []
    private var isLong = false

    init(palette: Palette) {
        self.palette = palette
    }

    /// Formats the next bytes, which are UTF-8 without control characters.
    mutating func write(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            self.line.append(byte)
            if byte == 0x0A {
                self.endLine()
            } else if self.line.count > Self.longestLine {
                self.output += self.line
                self.line = []
                self.isLong = true
            }
        }
    }

    /// Ends the text, and writes a last line without a line end.
    mutating func finish() {
        self.endLine()
    }

    private mutating func endLine() {
        defer { (self.line, self.isLong) = ([], false) }
        guard !self.isLong, let colon = self.line.firstIndex(of: UInt8(ascii: ":")) else {
            self.output += self.line
            return
        }
        if colon == 0 {
            self.paint(self.line[...], .faint)
            return
        }
        let name = self.line[..<colon]
        self.paint(name, .fieldName)
        self.output.append(self.line[colon])
        var value = self.line[(colon + 1)...]
        if value.first == 0x20 {
            self.output.append(0x20)
            value = value.dropFirst()
        }
        if name.elementsEqual("data".utf8), let formatted = self.json(value) {
            self.output += formatted
        } else {
            self.output += value
        }
    }

    /// Returns a JSON object or array with colours; nil for any other value.
    private func json(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        guard value.first == UInt8(ascii: "{") || value.first == UInt8(ascii: "[") else { return nil }
        var formatter = JSONFormatter(palette: self.palette, isIndented: false)
        let isWhole = value.withUnsafeBytes { bytes in
            var position = 0
            do throws(JSONFormatter.Fault) {
                try formatter.write(bytes, position: &position)
                return formatter.isBetweenDocuments
            } catch {
                return false
            }
        }
        guard isWhole else { return nil }
        formatter.finish()
        return formatter.output
    }

    private mutating func paint(_ bytes: ArraySlice<UInt8>, _ role: Palette.Role) {
        guard self.palette.isEnabled, !bytes.isEmpty else {
            self.output += bytes
            return
        }
        let end = bytes.last == 0x0A ? bytes.suffix(1) : []
        self.output += self.palette.start(role).utf8
        self.output += bytes.dropLast(end.count)
        self.output += Palette.reset.utf8
        self.output += end
    }
}
