// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Reads the integers and strings of a header block (RFC 7541 section 5).
struct HPACKCursor {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The next byte; nil at the end of the block.
    var next: UInt8? { self.position < self.bytes.count ? self.bytes[self.position] : nil }

    /// Reads an integer that begins in the low bits of a byte (section 5.1).
    ///
    /// - Parameter prefix: The number of bits, 1 to 8.
    /// - Returns: The integer.
    /// - Throws: `.number` for an integer of 2²⁸ or more: no valid block of a limited size needs one.
    mutating func integer(prefix: Int) throws(HPACKFault) -> Int {
        let full = 1 << prefix - 1
        var value = Int(try self.byte()) & full
        guard value == full else { return value }
        for shift in stride(from: 0, to: 28, by: 7) {
            let byte = try self.byte()
            value += Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw .number
    }

    /// Reads a string and passes its bytes to a closure, without copying them (section 5.2).
    mutating func string<Result>(_ use: (UnsafeBufferPointer<UInt8>) -> Result) throws(HPACKFault) -> Result {
        let isCoded = (self.next ?? 0) & 0x80 != 0
        let count = try self.integer(prefix: 7)
        guard count <= self.bytes.count - self.position else { throw .cut }
        let raw = UnsafeRawBufferPointer(rebasing: self.bytes[self.position..<self.position + count])
        self.position += count
        guard isCoded else { return use(raw.bindMemory(to: UInt8.self)) }
        let result = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: HPACKHuffman.decodedLimit(count)) { room in
            HPACKHuffman.decode(raw, into: room).map { use(UnsafeBufferPointer(rebasing: room[..<$0])) }
        }
        guard let result else { throw .code }
        return result
    }

    private mutating func byte() throws(HPACKFault) -> UInt8 {
        guard let byte = self.next else { throw .cut }
        self.position += 1
        return byte
    }
}

/// A fault in a header block; the connection cannot continue after it (RFC 9113 section 4.3).
enum HPACKFault: Error {
    /// The block ends in the middle of a field.
    case cut
    /// An integer is larger than any valid value.
    case number
    /// A string is not valid Huffman code.
    case code
    /// An index is not in the tables.
    case index
    /// The table is resized beyond our limit, or after the first field of the block.
    case tableSize

    var reason: String {
        switch self {
        case .cut: "a header block ends within a field"
        case .number: "a number in a header block is too large"
        case .code: "a string in a header block is not in the Huffman code"
        case .index: "a header block names a field that is not in the table"
        case .tableSize: "a header block changes the size of the table where or as it may not"
        }
    }
}
