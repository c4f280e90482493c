// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Operations of the parser on bytes in a receive buffer.
extension UnsafeRawBufferPointer {
    /// Returns the index of the first occurrence of a byte at or after an index.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard let base = self.baseAddress, start < self.count,
            let found = memchr(base + start, Int32(byte), self.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Whether the bytes begin with this text.
    func starts(with text: StaticString) -> Bool {
        guard let base = self.baseAddress, self.count >= text.utf8CodeUnitCount else { return false }
        return memcmp(base, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// Whether the bytes are a continuation line of the previous field (RFC 9112 section 5.2).
    var isContinuation: Bool { self.first == UInt8(ascii: " ") || self.first == UInt8(ascii: "\t") }

    /// Whether all bytes are printable ASCII or spaces.
    var isPrintableASCII: Bool {
        // Without an early exit, the compiler can vectorize the loop.
        var isPrintable = true
        for byte in self { isPrintable = isPrintable && byte &- 0x20 < 0x5F }
        return isPrintable
    }

    /// Whether both are equal.
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard self.count == other.count, let base = self.baseAddress, let otherBase = other.baseAddress else {
            return self.isEmpty && other.isEmpty
        }
        return memcmp(base, otherBase, self.count) == 0
    }

    /// Returns the bytes without optional whitespace (OWS) at both ends (RFC 9110 section 5.6.3).
    func trimmingBlanks() -> UnsafeRawBufferPointer {
        var start = 0
        var end = self.count
        while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
        while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }
}
