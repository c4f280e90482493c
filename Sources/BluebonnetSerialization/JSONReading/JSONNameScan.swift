// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Detects an object in which a name occurs twice, or in two canonically equivalent forms, while a document is scanned.
///
/// It compares hashes, on one stack for the whole document. Only an object with equal hashes, or with a name that is not
/// plain, needs a set. A name is plain if it has no escapes and all its scalars are below U+0300: two such names are
/// canonically equivalent only if they are equal.
struct JSONNameScan {
    /// A name of an open object, or the beginning of an open container.
    private struct Entry {
        /// The hash of a name; for a container, 0 if all of its names are plain.
        var hash: UInt64
        /// The position behind the opening quotation mark; for a container, the index of the enclosing one.
        var position: Int
    }

    /// The number of names up to which all pairs are compared; more are sorted first.
    private static let largestUnsorted = 16

    private let bytes: UnsafeRawBufferPointer
    private var entries: [Entry] = []
    /// The index of the innermost open container; -1 for none.
    private var container = -1

    /// Whether an object that was closed has one name twice, or a name that cannot be read.
    private(set) var hasRepeatedName = false

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func open() {
        if self.entries.isEmpty { self.entries.reserveCapacity(32) }
        self.entries.append(Entry(hash: 0, position: self.container))
        self.container = self.entries.count &- 1
    }

    mutating func close() {
        guard self.container >= 0 else { return }
        let (index, isPlain) = (self.container, self.entries[self.container].hash == 0)
        let first = index &+ 1
        if self.entries.count &- first > 1, !self.hasRepeatedName {
            let mayRepeat = !isPlain || self.hasEqualHashes(from: first)
            if mayRepeat { self.hasRepeatedName = !self.isFreeOfRepetition(from: first) }
        }
        self.container = self.entries[index].position
        self.entries.removeLast(self.entries.count &- index)
    }

    /// Adds a name to the innermost container.
    ///
    /// - Parameter start: The position behind its opening quotation mark.
    mutating func add(at start: Int) {
        guard self.container >= 0 else { return }
        var position = start
        var hash: UInt64 = 0
        var seen: UInt64 = 0
        var last: UInt64 = 0
        while position &+ 8 <= self.bytes.count {
            let word = UInt64(littleEndian: self.bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let stops = JSONText.stops(in: word)
            guard stops == 0 else {
                let length = stops.trailingZeroBitCount &>> 3
                last = word & ~(UInt64.max &<< UInt64(length &* 8))
                position &+= length
                break
            }
            hash = Self.mix(hash, word)
            seen |= Self.high(word)
            position &+= 8
        }
        // Within eight bytes of the document's end.
        var shift: UInt64 = 0
        while position < self.bytes.count, shift < 64, !JSONText.isStop(self.bytes[position]) {
            last |= UInt64(self.bytes[position]) &<< shift
            shift &+= 8
            position &+= 1
        }
        let isClosed = position < self.bytes.count && self.bytes[position] == UInt8(ascii: "\"")
        if !isClosed || seen | Self.high(last) != 0 { self.entries[self.container].hash = 1 }
        hash = Self.mix(Self.mix(hash, last), UInt64(truncatingIfNeeded: position &- start))
        self.entries.append(Entry(hash: hash, position: start))
    }

    /// Finds bytes that are part of a scalar from U+0300 on, whose first byte is 0xCC or more; 0 if there is none.
    @inline(__always)
    private static func high(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let sums = (word & ~JSONText.highBits) &+ ones &* (0x80 - 0x4C)
        return sums & word & JSONText.highBits
    }

    @inline(__always)
    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        return product ^ product &>> 29
    }

    private mutating func hasEqualHashes(from first: Int) -> Bool {
        let end = self.entries.count
        guard end &- first > Self.largestUnsorted else {
            for index in first..<end {
                let hash = self.entries[index].hash
                for other in index &+ 1..<end where self.entries[other].hash == hash { return true }
            }
            return false
        }
        self.entries[first...].sort { $0.hash < $1.hash }
        for index in first &+ 1..<end where self.entries[index].hash == self.entries[index &- 1].hash { return true }
        return false
    }

    /// Compares the names themselves, as `String` does: canonically equivalent ones are equal.
    private func isFreeOfRepetition(from first: Int) -> Bool {
        var names = Set<String>(minimumCapacity: self.entries.count &- first)
        return self.entries[first...].allSatisfy { entry in
            self.name(at: entry.position).map { names.insert($0).inserted } ?? false
        }
    }

    private func name(at start: Int) -> String? {
        let rest = self.bytes[start...]
        guard let end = rest.firstIndex(where: JSONText.isStop) else { return nil }
        if self.bytes[end] == UInt8(ascii: "\"") { return String(decoding: self.bytes[start..<end], as: UTF8.self) }
        var reader = JSONReader(bytes: self.bytes, start: start, limits: ParsingLimits())
        return try? reader.readString()
    }
}
