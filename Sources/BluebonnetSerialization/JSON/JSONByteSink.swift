// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A growable byte buffer that becomes `Data` without a copy.
struct JSONByteSink: ~Copyable {
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    private var count = 0

    init() {
        self.capacity = 512
        self.base = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { self.base.deallocate() }

    /// Returns the bytes written so far.
    consuming func finish() -> Data {
        let (base, count) = (self.base, self.count)
        discard self
        guard count > 0 else {
            base.deallocate()
            return Data()
        }
        return Data(bytesNoCopy: base, count: count, deallocator: .custom { pointer, _ in pointer.deallocate() })
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        self.reserve(1)
        self.base.storeBytes(of: byte, toByteOffset: self.count, as: UInt8.self)
        self.count &+= 1
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        self.append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(text: String) {
        var text = text
        text.withUTF8 { self.append(UnsafeRawBufferPointer($0)) }
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        self.reserve(bytes.count)
        (self.base + self.count).copyMemory(from: source, byteCount: bytes.count)
        self.count &+= bytes.count
    }

    /// Writes an integer in decimal digits.
    mutating func append(integer value: Int64) {
        self.reserve(20)
        if value < 0 {
            self.base.storeBytes(of: UInt8(ascii: "-"), toByteOffset: self.count, as: UInt8.self)
            self.count &+= 1
        }
        var magnitude = value.magnitude
        var length = 1
        var bound: UInt64 = 10
        while length < 19, magnitude >= bound {
            length &+= 1
            bound &*= 10
        }
        for offset in stride(from: self.count &+ length &- 1, through: self.count, by: -1) {
            let (quotient, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
            self.base.storeBytes(of: UInt8(truncatingIfNeeded: digit) &+ 0x30, toByteOffset: offset, as: UInt8.self)
            magnitude = quotient
        }
        self.count &+= length
    }

    mutating func appendLineBreak(level: Int) {
        self.append(0x0A)
        for _ in 0..<level { self.append("  ") }
    }

    /// Reserves capacity for a number of bytes.
    @inline(__always)
    mutating func reserve(_ byteCount: Int) {
        if self.capacity &- self.count < byteCount { self.grow(by: byteCount) }
    }

    @inline(never)
    private mutating func grow(by byteCount: Int) {
        self.capacity = max(self.capacity * 2, self.count + byteCount)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: self.capacity, alignment: 16)
        larger.copyMemory(from: self.base, byteCount: self.count)
        self.base.deallocate()
        self.base = larger
    }
}

extension JSONByteSink {
    /// Writes a JSON string with quotation marks and escapes.
    mutating func appendQuoted(_ text: String) {
        var text = text
        text.withUTF8 { self.appendQuoted(UnsafeRawBufferPointer($0)) }
    }

    private mutating func appendQuoted(_ bytes: UnsafeRawBufferPointer) {
        self.append(UInt8(ascii: "\""))
        var start = 0
        while true {
            let end = Self.endOfPlainText(in: bytes, from: start)
            if end > start { self.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) }
            guard end < bytes.count else { break }
            self.appendEscaped(bytes[end])
            start = end &+ 1
        }
        self.append(UInt8(ascii: "\""))
    }

    @inline(__always)
    private static func endOfPlainText(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position &+ 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let stops = JSONText.stops(in: word)
            if stops != 0 { return position &+ stops.trailingZeroBitCount &>> 3 }
            position &+= 8
        }
        while position < bytes.count, !JSONText.isStop(bytes[position]) { position &+= 1 }
        return position
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): self.append("\\\"")
        case UInt8(ascii: "\\"): self.append("\\\\")
        case 0x08: self.append("\\b")
        case 0x09: self.append("\\t")
        case 0x0A: self.append("\\n")
        case 0x0C: self.append("\\f")
        case 0x0D: self.append("\\r")
        default:
            self.append(byte < 0x10 ? "\\u000" : "\\u001")
            let digit = byte & 0x0F
            self.append(digit < 10 ? digit &+ 0x30 : digit &+ 0x57)
        }
    }
}
