// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Reads the numbers and strings of a header block (RFC 7541 section 5).
struct HPACKCursor {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The byte that comes next; nil at the end of the block.
    var next: UInt8? { self.position < self.bytes.count ? self.bytes[self.position] : nil }

    /// Reads a number that begins in the low bits of a byte (section 5.1).
    ///
    /// - Parameter prefix: How many bits, 1 to 8.
    /// - Returns: The number.
    /// - Throws: `.number` for one of 2²⁸ or more: nothing in a block of a limited size can be that long.
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

    /// Reads a string and hands it over while its bytes lie where they are (section 5.2).
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

/// What is wrong with a header block; the connection cannot be read on after it (RFC 9113 section 4.3).
enum HPACKFault: Error {
    /// The block ends in the middle of a field.
    case cut
    /// A number is larger than anything it can stand for.
    case number
    /// A string is not in the Huffman code.
    case code
    /// A field that is not in the tables.
    case index
    /// The table is made larger than we allow, or after the block's first field.
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
