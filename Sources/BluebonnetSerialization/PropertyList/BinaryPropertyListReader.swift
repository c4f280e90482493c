// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Parses one binary property list.
///
/// The format: objects, then a table of their offsets, then a trailer of 32 bytes with the widths of offsets and
/// references, the number of objects and the root. Every object is parsed at most once; its weight with all references
/// expanded is computed without expanding them.
struct BinaryPropertyListReader {
    /// A parsed value, and its weight with all references followed.
    private struct Entry {
        var value: PropertyListValue
        var elementCount: Int
        var byteCount: Int
        var height: Int
    }

    private enum State {
        case reading
        case done(Entry)
    }

    /// The lengths of the header and of the trailer, in bytes.
    private static let headerLength = 8
    private static let trailerLength = 32

    private let bytes: UnsafeRawBufferPointer
    private let limits: ParsingLimits
    private let layout: Layout
    private var states: [Int: State] = [:]

    init(bytes: UnsafeRawBufferPointer, limits: ParsingLimits) throws(SerializationError) {
        self.bytes = bytes
        self.limits = limits
        self.layout = try Layout(bytes: bytes, headerLength: Self.headerLength, trailerLength: Self.trailerLength)
    }

    /// Parses the root and everything it refers to, without recursion.
    mutating func readDocument() throws(SerializationError) -> PropertyListValue {
        var containers: [Container] = []
        var finished = try self.begin(self.layout.root, in: &containers)
        while !containers.isEmpty {
            let top = containers.count - 1
            if let entry = finished {
                try self.add(entry, to: &containers[top])
            }
            if let reference = containers[top].nextReference {
                finished = try self.begin(self.reference(containers[top].start, reference), in: &containers)
            } else {
                let container = containers.removeLast()
                self.states[container.object] = .done(container.entry)
                finished = container.entry
            }
        }
        guard let finished else { throw PropertyListFault.malformed("there is no root") }
        return finished.value
    }

    /// Parses a scalar, or returns an object that was parsed before; pushes a container onto the stack instead and
    /// returns nil.
    private mutating func begin(_ object: Int, in containers: inout [Container]) throws(SerializationError) -> Entry? {
        switch self.states[object] {
        case .done(let entry): return entry
        case .reading: throw PropertyListFault.malformed("a container holds itself")
        case nil: break
        }
        let offset = try self.offset(of: object)
        let kind = self.bytes[offset] >> 4
        guard kind == 0xA || kind == 0xD else {
            let entry = try self.readScalar(at: offset)
            self.states[object] = .done(entry)
            return entry
        }
        guard containers.count < self.limits.effectiveDepth else { throw PropertyListFault.tooDeep(self.limits) }
        let (count, start) = try self.count(at: offset)
        let isDictionary = kind == 0xD
        try self.require(count, of: (isDictionary ? 2 : 1) * self.layout.referenceWidth, at: start)
        self.states[object] = .reading
        containers.append(Container(object: object, isDictionary: isDictionary, count: count, start: start))
        return nil
    }

    private func offset(of object: Int) throws(SerializationError) -> Int {
        guard object < self.layout.objectCount else {
            throw PropertyListFault.malformed("a reference to an object that is not there")
        }
        let offset = self.unsigned(
            at: self.layout.table + object * self.layout.offsetWidth,
            width: self.layout.offsetWidth
        )
        guard offset >= UInt64(Self.headerLength), offset < UInt64(self.layout.table) else {
            throw PropertyListFault.malformed("an offset that leads out of the document")
        }
        return Int(offset)
    }

    private func readScalar(at offset: Int) throws(SerializationError) -> Entry {
        let marker = self.bytes[offset]
        let nibble = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0: return Self.leaf(try self.bool(marker))
        case 0x1: return Self.leaf(try self.integer(at: offset + 1, width: 1 << nibble))
        case 0x2: return Self.leaf(.real(try self.real(at: offset + 1, width: 1 << nibble)))
        case 0x3:
            let seconds = try self.real(at: offset + 1, width: marker == 0x33 ? 8 : 0)
            guard seconds.isFinite else { throw PropertyListFault.malformed("a date that is not a number") }
            return Self.leaf(.date(Date(timeIntervalSinceReferenceDate: seconds)))
        case 0x8:
            guard nibble < 8 else { throw PropertyListFault.malformed("an identifier that is too wide") }
            try self.require(nibble + 1, at: offset + 1)
            return Self.leaf(.uid(self.unsigned(at: offset + 1, width: nibble + 1)))
        case 0x4: return try self.readText(at: offset, unitWidth: 1) { .data(Data($0)) }
        case 0x5: return try self.readText(at: offset, unitWidth: 1) { Charset.ascii.decode($0).map { .string($0) } }
        case 0x6: return try self.readText(at: offset, unitWidth: 2) { Self.utf16($0).map { .string($0) } }
        case 0x7: return try self.readText(at: offset, unitWidth: 1) { Charset.utf8.decode($0).map { .string($0) } }
        default: throw PropertyListFault.malformed("an object of a kind that property lists do not have")
        }
    }

    private static func leaf(_ value: PropertyListValue, byteCount: Int = 0) -> Entry {
        Entry(value: value, elementCount: 1, byteCount: byteCount, height: 0)
    }

    /// Decodes UTF-16 in big-endian order, in which a byte order mark is text.
    private static func utf16(_ bytes: UnsafeRawBufferPointer) -> String? {
        let units = stride(from: 0, to: bytes.count, by: 2).map {
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt16.self))
        }
        return String(validating: units, as: UTF16.self)
    }
}

// MARK: - Containers

extension BinaryPropertyListReader {
    /// An array or a dictionary whose references have been followed in part.
    private struct Container {
        let object: Int
        let isDictionary: Bool
        let count: Int
        /// The offset of the references: those of an array, or the keys of a dictionary followed by its values.
        let start: Int
        private var followed = 0
        private var key: String?
        private var elements: [PropertyListValue] = []
        private var entries: [String: PropertyListValue] = [:]
        var elementCount = 1
        var byteCount = 0
        var height = 1

        init(object: Int, isDictionary: Bool, count: Int, start: Int) {
            self.object = object
            self.isDictionary = isDictionary
            self.count = count
            self.start = start
        }

        /// The position of the next reference to follow, nil after the last; a dictionary's keys alternate with their
        /// values.
        var nextReference: Int? {
            if !self.isDictionary { return self.followed < self.count ? self.followed : nil }
            guard self.followed < 2 * self.count else { return nil }
            return self.followed / 2 + (self.followed.isMultiple(of: 2) ? 0 : self.count)
        }

        /// The value and weight of the container, after all references have been followed.
        var entry: Entry {
            Entry(
                value: self.isDictionary ? .dictionary(self.entries) : .array(self.elements),
                elementCount: self.elementCount,
                byteCount: self.byteCount,
                height: self.height
            )
        }

        mutating func take(_ value: PropertyListValue) throws(SerializationError) {
            self.followed += 1
            if !self.isDictionary {
                self.elements.append(value)
            } else if let key = self.key {
                guard !self.entries.hasOtherForm(of: key) else {
                    throw PropertyListFault.malformed(PropertyListFault.equivalentKeys)
                }
                self.entries[key] = value
                self.key = nil
            } else if case .string(let key) = value {
                self.key = key
            } else {
                throw PropertyListFault.malformed("a key that is not text")
            }
        }
    }

    /// Returns the sum, clamped to the largest integer.
    private static func sum(_ left: Int, _ right: Int) -> Int {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }

    /// Adds the value and weight of a child to its container.
    private func add(_ child: Entry, to total: inout Container) throws(SerializationError) {
        try total.take(child.value)
        total.elementCount = Self.sum(total.elementCount, child.elementCount)
        total.byteCount = Self.sum(total.byteCount, child.byteCount)
        total.height = max(total.height, child.height + 1)
        guard total.elementCount <= self.limits.elementCount else {
            throw PropertyListFault.tooManyElements(self.limits)
        }
        guard total.byteCount <= self.limits.byteCount else { throw PropertyListFault.tooLarge(self.limits) }
        guard total.height <= self.limits.effectiveDepth else { throw PropertyListFault.tooDeep(self.limits) }
    }
}

// MARK: - Bytes

extension BinaryPropertyListReader {
    /// The widths of offsets and references, and the positions in the file.
    private struct Layout {
        var offsetWidth: Int
        var referenceWidth: Int
        var objectCount: Int
        var root: Int
        var table: Int

        init(bytes: UnsafeRawBufferPointer, headerLength: Int, trailerLength: Int) throws(SerializationError) {
            let start = bytes.count - trailerLength
            guard start > headerLength, bytes[6] == UInt8(ascii: "0") else {
                throw PropertyListFault.malformed("too short for a binary list, or of another version")
            }
            func number(at offset: Int) -> UInt64 {
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self))
            }
            let (count, root, table) = (number(at: 8), number(at: 16), number(at: 24))
            self.offsetWidth = Int(bytes[start + 6])
            self.referenceWidth = Int(bytes[start + 7])
            guard 1...8 ~= self.offsetWidth, 1...8 ~= self.referenceWidth else {
                throw PropertyListFault.malformed("a trailer with impossible widths")
            }
            guard table > UInt64(headerLength), table < UInt64(start), root < count,
                count <= (UInt64(start) - table) / UInt64(self.offsetWidth)
            else { throw PropertyListFault.malformed("a trailer that does not fit the document") }
            self.objectCount = Int(count)
            self.root = Int(root)
            self.table = Int(table)
        }
    }

    /// Returns the number of units of an object, and the offset of the first.
    private func count(at offset: Int) throws(SerializationError) -> (count: Int, start: Int) {
        let nibble = Int(self.bytes[offset] & 0x0F)
        if nibble < 0x0F { return (nibble, offset + 1) }
        // The count is a separate integer object.
        try self.require(2, at: offset + 1)
        let marker = self.bytes[offset + 1]
        let width = 1 << Int(marker & 0x0F)
        guard marker >> 4 == 0x1, width <= 8 else {
            throw PropertyListFault.malformed("a count that is not an integer")
        }
        try self.require(width, at: offset + 2)
        let count = self.unsigned(at: offset + 2, width: width)
        guard count <= UInt64(self.bytes.count) else {
            throw PropertyListFault.malformed("a count larger than the document")
        }
        return (Int(count), offset + 2 + width)
    }

    private func readText(
        at offset: Int,
        unitWidth: Int,
        make: (UnsafeRawBufferPointer) -> PropertyListValue?
    ) throws(SerializationError) -> Entry {
        let (count, start) = try self.count(at: offset)
        try self.require(count, of: unitWidth, at: start)
        let text = UnsafeRawBufferPointer(rebasing: self.bytes[start..<(start + count * unitWidth)])
        guard let value = make(text) else { throw PropertyListFault.malformed("text that is not valid") }
        return Self.leaf(value, byteCount: text.count)
    }

    /// Returns the index of an object in a container's list of references.
    private func reference(_ start: Int, _ position: Int) -> Int {
        let width = self.layout.referenceWidth
        return Int(clamping: self.unsigned(at: start + position * width, width: width))
    }

    private func bool(_ marker: UInt8) throws(SerializationError) -> PropertyListValue {
        switch marker {
        case 0x08: return .bool(false)
        case 0x09: return .bool(true)
        default: throw PropertyListFault.malformed("an object of a kind that property lists do not have")
        }
    }

    /// Integers of one, two and four bytes are unsigned, those of eight are signed, those of sixteen hold larger
    /// values.
    private func integer(at offset: Int, width: Int) throws(SerializationError) -> PropertyListValue {
        guard width <= 16 else { throw PropertyListFault.malformed("an integer that is too wide") }
        try self.require(width, at: offset)
        let low = self.unsigned(at: offset + max(0, width - 8), width: min(width, 8))
        if width < 16 { return .integer(Int64(bitPattern: low)) }
        switch self.unsigned(at: offset, width: 8) {
        case 0: return low > UInt64(Int64.max) ? .unsigned(low) : .integer(Int64(low))
        case .max where low > UInt64(Int64.max): return .integer(Int64(bitPattern: low))
        default: throw PropertyListFault.malformed("an integer of more than 64 bits")
        }
    }

    private func real(at offset: Int, width: Int) throws(SerializationError) -> Double {
        try self.require(width, at: offset)
        switch width {
        case 4: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: self.unsigned(at: offset, width: 4))))
        case 8: return Double(bitPattern: self.unsigned(at: offset, width: 8))
        default: throw PropertyListFault.malformed("a number of an impossible width")
        }
    }

    /// Checks that items of a width lie before the offset table.
    private func require(_ count: Int, of width: Int = 1, at offset: Int) throws(SerializationError) {
        let (byteCount, overflow) = count.multipliedReportingOverflow(by: width)
        guard !overflow, byteCount <= self.layout.table - offset else {
            throw PropertyListFault.malformed("an object that ends beyond the objects")
        }
    }

    private func unsigned(at offset: Int, width: Int) -> UInt64 {
        var value: UInt64 = 0
        for position in offset..<(offset + width) { value = value << 8 | UInt64(self.bytes[position]) }
        return value
    }
}
