// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    /// Reads a string after its opening quotation mark, and consumes the closing one.
    mutating func readString() throws(JSONFault) -> String {
        let start = self.position
        let highBits = self.skipPlainText()
        guard self.position < self.bytes.count else {
            throw self.fault(.unexpectedEnd(expected: "the closing quote"))
        }
        guard self.bytes[self.position] == UInt8(ascii: "\"") else { return try self.readEscapedString(from: start) }
        let text = UnsafeRawBufferPointer(rebasing: self.bytes[start..<self.position])
        guard let string = Self.makeString(text, isASCII: highBits == 0) else {
            throw self.invalidUTF8(text, at: start)
        }
        self.position &+= 1
        return string
    }

    /// Creates a string; nil if the bytes are not UTF-8.
    ///
    /// The standard library's decoding initialiser replaces invalid bytes, so the result is compared with the input.
    /// That costs far less than the validating initialiser, which is not specialised.
    @inline(__always)
    static func makeString(_ text: UnsafeRawBufferPointer, isASCII: Bool) -> String? {
        var string = String(decoding: text, as: UTF8.self)
        if isASCII { return string }
        let isUnchanged = string.withUTF8 { JSONText.areEqual(UnsafeRawBufferPointer($0), text) }
        return isUnchanged ? string : nil
    }

    /// Advances to the next quotation mark, backslash or control character, eight bytes at a time.
    ///
    /// Returns a number with a high bit set if a non-ASCII byte was skipped.
    @inline(__always)
    @discardableResult
    mutating func skipPlainText() -> UInt64 {
        var seen: UInt64 = 0
        while self.position &+ 8 <= self.bytes.count {
            let word = UInt64(littleEndian: self.bytes.loadUnaligned(fromByteOffset: self.position, as: UInt64.self))
            let stops = JSONText.stops(in: word)
            if stops != 0 {
                let length = stops.trailingZeroBitCount &>> 3
                // Only the bytes before the stop count.
                seen |= word & ~(UInt64.max &<< UInt64(length &* 8))
                self.position &+= length
                return seen & JSONText.highBits
            }
            seen |= word
            self.position &+= 8
        }
        while self.position < self.bytes.count, !JSONText.isStop(self.bytes[self.position]) {
            seen |= UInt64(self.bytes[self.position])
            self.position &+= 1
        }
        return seen & JSONText.highBits
    }

    private mutating func readEscapedString(from start: Int) throws(JSONFault) -> String {
        self.unescaped.removeAll(keepingCapacity: true)
        var runStart = start
        while true {
            self.unescaped.append(contentsOf: self.bytes[runStart..<self.position])
            guard self.position < self.bytes.count else {
                throw self.fault(.unexpectedEnd(expected: "the closing quote"))
            }
            switch self.bytes[self.position] {
            case UInt8(ascii: "\""):
                guard let string = self.unescaped.withUnsafeBytes({ Self.makeString($0, isASCII: false) }) else {
                    throw self.invalidUTF8(
                        UnsafeRawBufferPointer(rebasing: self.bytes[start..<self.position]),
                        at: start
                    )
                }
                self.position &+= 1
                return string
            case UInt8(ascii: "\\"): try self.readEscape()
            default: throw self.fault(.controlCharacter)
            }
            runStart = self.position
            self.skipPlainText()
        }
    }

    private mutating func readEscape() throws(JSONFault) {
        let start = self.position
        self.position &+= 1
        guard self.position < self.bytes.count else { throw self.fault(.unexpectedEnd(expected: "an escape")) }
        let byte = self.bytes[self.position]
        self.position &+= 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): self.unescaped.append(byte)
        case UInt8(ascii: "b"): self.unescaped.append(0x08)
        case UInt8(ascii: "f"): self.unescaped.append(0x0C)
        case UInt8(ascii: "n"): self.unescaped.append(0x0A)
        case UInt8(ascii: "r"): self.unescaped.append(0x0D)
        case UInt8(ascii: "t"): self.unescaped.append(0x09)
        case UInt8(ascii: "u"): try self.readUnicodeEscape(startingAt: start)
        default: throw JSONFault(kind: .invalidEscape, position: start)
        }
    }

    /// RFC 8259 section 7: characters outside the Basic Multilingual Plane are escaped as a surrogate pair.
    private mutating func readUnicodeEscape(startingAt start: Int) throws(JSONFault) {
        var value = try self.readHexadecimal(startingAt: start)
        if 0xD800...0xDBFF ~= value {
            guard self.nextByte == UInt8(ascii: "\\"), self.position &+ 1 < self.bytes.count,
                self.bytes[self.position &+ 1] == UInt8(ascii: "u")
            else { throw JSONFault(kind: .loneSurrogate, position: start) }
            let secondStart = self.position
            self.position &+= 2
            let low = try self.readHexadecimal(startingAt: secondStart)
            guard 0xDC00...0xDFFF ~= low else { throw JSONFault(kind: .loneSurrogate, position: start) }
            value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw JSONFault(kind: .loneSurrogate, position: start) }
        self.unescaped.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    private mutating func readHexadecimal(startingAt start: Int) throws(JSONFault) -> UInt32 {
        guard self.position &+ 4 <= self.bytes.count else { throw JSONFault(kind: .invalidEscape, position: start) }
        var value: UInt32 = 0
        for offset in 0..<4 {
            let digit: UInt8
            switch self.bytes[self.position &+ offset] {
            case let byte where 0x30...0x39 ~= byte: digit = byte &- 0x30
            case let byte where 0x41...0x46 ~= byte: digit = byte &- 0x37
            case let byte where 0x61...0x66 ~= byte: digit = byte &- 0x57
            default: throw JSONFault(kind: .invalidEscape, position: start)
            }
            value = value << 4 | UInt32(digit)
        }
        self.position &+= 4
        return value
    }

    /// Returns the fault for invalid UTF-8, at the first invalid byte.
    func invalidUTF8(_ text: UnsafeRawBufferPointer, at start: Int) -> JSONFault {
        var decoder = UTF8()
        var iterator = text.makeIterator()
        var valid = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) { valid += UTF8.width(scalar) }
        return JSONFault(kind: .invalidUTF8, position: start + valid)
    }
}
