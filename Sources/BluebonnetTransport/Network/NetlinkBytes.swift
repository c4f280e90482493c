// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Reads numbers in native byte order, as the kernel writes them (netlink(7)); returns nil if there are too few bytes.
struct NetlinkBytes: Sendable {
    let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    /// Returns the number at an offset.
    func number<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number? {
        let size = MemoryLayout<Number>.size
        guard offset >= 0, offset <= self.bytes.count, size <= self.bytes.count - offset else { return nil }
        return self.bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }

    /// Returns the bytes after a prefix of this length; nil if there are too few.
    func dropping(_ count: Int) -> ArraySlice<UInt8>? {
        count >= 0 && count <= self.bytes.count ? self.bytes.dropFirst(count) : nil
    }
}

extension [UInt8] {
    /// Appends a number in native byte order.
    mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number) { self.append(contentsOf: $0) }
    }
}
