// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// Checks whether bytes are one JSON document (RFC 8259), without building values.
///
/// `/echo` shows a JSON body exactly as it was sent, so that a test sees every digit of a number.
struct JSONScanner {
    private let bytes: [UInt8]
    private var index = 0
    private let depthLimit = 512

    /// Whether the bytes are a document in UTF-8.
    static func accepts(_ bytes: [UInt8]) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        var scanner = JSONScanner(bytes: bytes)
        guard scanner.value(depth: 0) else { return false }
        scanner.space()
        return scanner.index == bytes.count
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var current: UInt8? { self.index < self.bytes.count ? self.bytes[self.index] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard self.current == UInt8(ascii: character) else { return false }
        self.index += 1
        return true
    }

    private mutating func space() {
        while let byte = self.current, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { self.index += 1 }
    }

    private mutating func value(depth: Int) -> Bool {
        guard depth < self.depthLimit else { return false }
        self.space()
        switch self.current {
        case UInt8(ascii: "{"): return self.list(closing: "}", depth: depth, isObject: true)
        case UInt8(ascii: "["): return self.list(closing: "]", depth: depth, isObject: false)
        case UInt8(ascii: "\""): return self.string()
        case UInt8(ascii: "t"): return self.word("true")
        case UInt8(ascii: "f"): return self.word("false")
        case UInt8(ascii: "n"): return self.word("null")
        default: return self.number()
        }
    }

    private mutating func list(closing: Unicode.Scalar, depth: Int, isObject: Bool) -> Bool {
        self.index += 1
        self.space()
        if self.take(closing) { return true }
        repeat {
            if isObject {
                self.space()
                guard self.string() else { return false }
                self.space()
                guard self.take(":") else { return false }
            }
            guard self.value(depth: depth + 1) else { return false }
            self.space()
        } while self.take(",")
        return self.take(closing)
    }

    private mutating func word(_ word: StaticString) -> Bool {
        for byte in word.description.utf8 {
            guard self.current == byte else { return false }
            self.index += 1
        }
        return true
    }

    private mutating func string() -> Bool {
        guard self.take("\"") else { return false }
        while let byte = self.current {
            self.index += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): guard self.escape() else { return false }
            case 0..<0x20: return false
            default: break
            }
        }
        return false
    }

    private mutating func escape() -> Bool {
        guard let byte = self.current else { return false }
        self.index += 1
        guard byte == UInt8(ascii: "u") else { return Array("\"\\/bfnrt".utf8).contains(byte) }
        for _ in 0..<4 {
            guard let digit = self.current, digit.hexadecimalValue != nil else { return false }
            self.index += 1
        }
        return true
    }

    private mutating func number() -> Bool {
        _ = self.take("-")
        if !self.take("0") { guard self.digits() else { return false } }
        if self.take(".") { guard self.digits() else { return false } }
        if self.take("e") || self.take("E") {
            if !self.take("+") { _ = self.take("-") }
            guard self.digits() else { return false }
        }
        return true
    }

    private mutating func digits() -> Bool {
        let start = self.index
        while let byte = self.current, byte.isASCIIDigit { self.index += 1 }
        return self.index > start
    }
}
