// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
internal import FoundationEssentials

/// Encodes parameters as a binary property list (`bplist00`), without recursion.
///
/// Objects are numbered level by level from the root, the members of a dictionary in the order of their keys' UTF-8
/// bytes. Equal texts are one object. So the same parameters give the same bytes.
struct BinaryPropertyListWriter {
    private enum Object {
        case scalar(ParameterValue)
        case array(Range<Int>)
        case dictionary(Range<Int>)
    }

    /// An object of the list, and its path from the root.
    private struct Node {
        var object: Object
        let depth: Int
        let parent: Int
        let key: String
    }

    private let maximumDepth: Int
    private var nodes: [Node] = []
    /// The numbers of the objects in containers; a dictionary's keys come before its values.
    private var references: [Int] = []
    private var texts: [BytewiseString: Int] = [:]

    init(maximumDepth: Int) {
        self.maximumDepth = maximumDepth
    }

    /// Encodes a document.
    ///
    /// - Throws: ``SerializationError`` with the coding path of a value that a property list cannot represent.
    mutating func write(_ parameters: ParameterValue) throws(SerializationError) -> Data {
        self.nodes = [Node(object: .scalar(parameters), depth: 1, parent: -1, key: "")]
        if case .string(let text) = parameters { self.texts[BytewiseString(text)] = 0 }
        var number = 0
        while number < self.nodes.count {
            do throws(SerializationError) {
                try self.expand(number)
            } catch {
                var error = error
                error.codingPath = self.path(to: number)
                throw error
            }
            number += 1
        }
        return self.encode()
    }

    /// Numbers the content of a container, and checks a single value.
    private mutating func expand(_ number: Int) throws(SerializationError) {
        let node = self.nodes[number]
        guard case .scalar(let value) = node.object else { return }
        guard var level = try ParameterLevel(value, depth: node.depth, maximumDepth: self.maximumDepth) else {
            return try Self.check(value)
        }
        var keys: [Int] = []
        var values: [Int] = []
        while let child = level.next() {
            let path = level.currentKey
            if let key = child.key { keys.append(self.number(of: .string(key), in: number, at: path)) }
            values.append(self.number(of: child.value, in: number, at: path))
        }
        let start = self.references.count
        self.references += keys
        self.references += values
        let range = start..<self.references.count
        self.nodes[number].object = level.isDictionary ? .dictionary(range) : .array(range)
    }

    /// Returns the number of a new object, or of an equal text.
    private mutating func number(of value: ParameterValue, in parent: Int, at key: String) -> Int {
        if case .string(let text) = value {
            if let number = self.texts[BytewiseString(text)] { return number }
            self.texts[BytewiseString(text)] = self.nodes.count
        }
        self.nodes.append(
            Node(object: .scalar(value), depth: self.nodes[parent].depth + 1, parent: parent, key: key)
        )
        return self.nodes.count - 1
    }

    private static func check(_ value: ParameterValue) throws(SerializationError) {
        switch value {
        case .null: throw PropertyListFault.null
        case .date(let date) where !date.timeIntervalSinceReferenceDate.isFinite:
            throw SerializationError(
                .unencodableValue,
                reason: "a property list has no date that is not a finite number"
            )
        default: return
        }
    }

    private func path(to number: Int) -> [String] {
        var path: [String] = []
        var node = self.nodes[number]
        while node.parent >= 0 {
            path.append(node.key)
            node = self.nodes[node.parent]
        }
        return path.reversed()
    }
}

// MARK: - Bytes

extension BinaryPropertyListWriter {
    private func encode() -> Data {
        var output = ByteBuilder(capacity: 1_024)
        output.append("bplist00" as StaticString)
        let referenceWidth = Self.width(of: self.nodes.count - 1)
        var offsets: [Int] = []
        offsets.reserveCapacity(self.nodes.count)
        for node in self.nodes {
            offsets.append(output.count)
            switch node.object {
            case .scalar(let value): Self.append(value, to: &output)
            case .array(let range):
                Self.append(marker: 0xA0, count: range.count, to: &output)
                for reference in self.references[range] {
                    Self.append(UInt64(reference), width: referenceWidth, to: &output)
                }
            case .dictionary(let range):
                Self.append(marker: 0xD0, count: range.count / 2, to: &output)
                for reference in self.references[range] {
                    Self.append(UInt64(reference), width: referenceWidth, to: &output)
                }
            }
        }
        let table = output.count
        let offsetWidth = Self.width(of: table)
        for offset in offsets { Self.append(UInt64(offset), width: offsetWidth, to: &output) }
        // The trailer: six unused bytes, the widths, the number of objects, the root and the offset of the table.
        Self.append(0, width: 6, to: &output)
        output.append(UInt8(offsetWidth))
        output.append(UInt8(referenceWidth))
        for number in [self.nodes.count, 0, table] { Self.append(UInt64(number), width: 8, to: &output) }
        return output.makeData()
    }

    private static func append(_ value: ParameterValue, to output: inout ByteBuilder) {
        switch value {
        case .bool(let value): output.append(value ? 0x09 : 0x08)
        case .int(let value): Self.append(integer: value, to: &output)
        case .unsigned(let value):
            // Eight bytes are signed; larger values take sixteen.
            output.append(0x14)
            Self.append(0, width: 8, to: &output)
            Self.append(value, width: 8, to: &output)
        case .double(let value):
            output.append(0x23)
            Self.append(value.bitPattern, width: 8, to: &output)
        case .date(let date):
            output.append(0x33)
            Self.append(date.timeIntervalSinceReferenceDate.bitPattern, width: 8, to: &output)
        case .data(let data):
            Self.append(marker: 0x40, count: data.count, to: &output)
            data.withUnsafeBytes { output.append($0.bindMemory(to: UInt8.self)) }
        case .number(let value): Self.append(value.text, to: &output)
        case .string(let text): Self.append(text, to: &output)
        case .null, .array, .set, .dictionary: return
        }
    }

    /// Integers of one, two and four bytes are unsigned, those of eight are signed.
    private static func append(integer value: Int64, to output: inout ByteBuilder) {
        let width = value < 0 ? 8 : Self.width(of: Int(value))
        output.append(0x10 | UInt8(width.trailingZeroBitCount))
        Self.append(UInt64(bitPattern: value), width: width, to: &output)
    }

    /// Appends ASCII text as it is, and other text in big-endian UTF-16.
    private static func append(_ text: String, to output: inout ByteBuilder) {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            Self.append(marker: 0x50, count: text.utf8.count, to: &output)
            output.append(text)
        } else {
            Self.append(marker: 0x60, count: text.utf16.count, to: &output)
            for unit in text.utf16 { Self.append(UInt64(unit), width: 2, to: &output) }
        }
    }

    /// Appends a marker with its count: in its low four bits, or as a separate integer object from 15 on.
    private static func append(marker: UInt8, count: Int, to output: inout ByteBuilder) {
        if count < 15 { return output.append(marker | UInt8(count)) }
        output.append(marker | 0x0F)
        Self.append(integer: Int64(count), to: &output)
    }

    private static func append(_ number: UInt64, width: Int, to output: inout ByteBuilder) {
        for shift in stride(from: 8 * (width - 1), through: 0, by: -8) {
            output.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }

    /// Returns the smallest of the widths 1, 2, 4 and 8 that holds a number.
    private static func width(of number: Int) -> Int {
        switch number {
        case ..<0x100: 1
        case ..<0x1_0000: 2
        case ..<0x1_0000_0000: 4
        default: 8
        }
    }
}
