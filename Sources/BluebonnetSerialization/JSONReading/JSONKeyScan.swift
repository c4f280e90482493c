// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Detects a repeated key in an object of a JSON text: the parser keeps only the last value.
package struct JSONKeyScan {
    private let text: [UInt8]
    private var position = 0
    /// The keys of the objects that are open; nil for an array.
    private var open: [Set<[UInt8]>?] = []

    private init(_ text: [UInt8]) { self.text = text }

    /// Whether no object has a repeated key.
    ///
    /// - Parameter text: A document that has been parsed.
    /// - Returns: The answer; also false for UTF-16 and UTF-32, which are not scanned.
    static func isFreeOfRepeatedKeys(_ text: Data) -> Bool {
        !text.contains(0) && Self.repeatedKey(in: Array(text)) == nil
    }

    /// Returns the first repeated key.
    ///
    /// - Parameter text: A document that has been parsed, in UTF-8; UTF-16 and UTF-32 are not scanned.
    /// - Returns: The key; nil if there is none.
    package static func repeatedKey(in text: [UInt8]) -> String? {
        // JSON in UTF-8 has no zero bytes.
        if text.contains(0) { return nil }
        var scan = JSONKeyScan(text)
        return scan.repeatedKey()
    }

    private mutating func repeatedKey() -> String? {
        var expectsKey = false
        while self.position < self.text.count {
            let byte = self.text[self.position]
            switch byte {
            case UInt8(ascii: "{"):
                self.open.append([])
                expectsKey = true
            case UInt8(ascii: "["):
                self.open.append(nil)
                expectsKey = false
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = self.open.popLast()
                expectsKey = false
            case UInt8(ascii: ","):
                expectsKey = self.open.last.map { $0 != nil } ?? false
            case UInt8(ascii: "\""):
                let string = self.string()
                if expectsKey, let key = Self.bytes(of: string), !self.insert(key) {
                    return String(decoding: key, as: UTF8.self)
                }
                expectsKey = false
                continue
            default: break
            }
            self.position += 1
        }
        return nil
    }

    /// Consumes a string with its quotation marks.
    private mutating func string() -> ArraySlice<UInt8> {
        let start = self.position
        self.position += 1
        while self.position < self.text.count, self.text[self.position] != UInt8(ascii: "\"") {
            self.position += self.text[self.position] == UInt8(ascii: "\\") ? 2 : 1
        }
        self.position = min(self.position + 1, self.text.count)
        return self.text[start..<self.position]
    }

    /// Returns the decoded key: `"a"` and `"\u0061"` are the same.
    private static func bytes(of string: ArraySlice<UInt8>) -> [UInt8]? {
        guard string.contains(UInt8(ascii: "\\")) else { return Array(string.dropFirst().dropLast()) }
        guard case .string(let text)? = try? JSONParser().parse(Data(string)) else { return nil }
        return Array(text.utf8)
    }

    /// Adds a key to the open object; returns false if the object has it already.
    private mutating func insert(_ key: [UInt8]) -> Bool {
        self.open.indices.last.map { self.open[$0]?.insert(key).inserted ?? true } ?? true
    }
}
