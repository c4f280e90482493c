// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A buffer of bytes that doubles its capacity when it is full.
struct ByteBuilder: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 256) {
        self.start = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit {
        self.start.deallocate()
    }

    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: self.start, count: self.count) }

    private mutating func reserve(_ byteCount: Int) {
        if self.capacity &- self.count < byteCount { self.grow(byteCount) }
    }

    @inline(never)
    private mutating func grow(_ byteCount: Int) {
        let capacity = max(self.capacity * 2, self.count + byteCount)
        let start = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        start.update(from: self.start, count: self.count)
        self.start.deallocate()
        self.start = start
        self.capacity = capacity
    }

    mutating func append(_ byte: UInt8) {
        self.reserve(1)
        self.start[self.count] = byte
        self.count += 1
    }

    /// Appends the escaped form of one byte; see ``PercentEncoding/Table``.
    mutating func append(entry: UInt32) {
        self.reserve(4)
        UnsafeMutableRawPointer(self.start + self.count).storeBytes(of: entry.littleEndian, as: UInt32.self)
        self.count += Int(entry >> 24)
    }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        self.reserve(bytes.count)
        (self.start + self.count).update(from: source, count: bytes.count)
        self.count += bytes.count
    }

    mutating func append(_ text: StaticString) {
        self.append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ text: String) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { self.append($0) }
        if isDone == nil { Array(text.utf8).withUnsafeBufferPointer { self.append($0) } }
    }

    mutating func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>, _ table: PercentEncoding.Table) {
        self.reserve(bytes.count * 3 + 4)
        self.count += table.escape(bytes, intoRoomy: self.start + self.count)
    }

    mutating func appendEscaped(_ text: String, _ table: PercentEncoding.Table) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { self.appendEscaped($0, table) }
        if isDone == nil { Array(text.utf8).withUnsafeBufferPointer { self.appendEscaped($0, table) } }
    }

    mutating func appendDecimal(_ value: UInt64, isNegative: Bool = false) {
        self.reserve(21)
        var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { digits in
            var first = 24
            var rest = value
            repeat {
                first -= 1
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            } while rest > 0
            if isNegative {
                first -= 1
                digits[first] = UInt8(ascii: "-")
            }
            for index in first..<24 {
                self.start[self.count] = digits[index]
                self.count += 1
            }
        }
    }

    mutating func truncate(to count: Int) {
        self.count = count
    }

    /// Returns the bytes as text; they must be UTF-8.
    func makeString() -> String {
        String(unsafeUninitializedCapacity: self.count) { output in
            _ = output.update(fromContentsOf: self.bytes)
            return self.count
        }
    }

    func makeData() -> Data {
        Data(buffer: self.bytes)
    }
}
