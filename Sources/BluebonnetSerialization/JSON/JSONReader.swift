// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Reads one JSON document from UTF-8 bytes, without recursion.
///
/// Values that are finished wait on one stack until the container around them closes and takes them all at once. Errors
/// carry a position; nothing here looks at a byte past the end.
struct JSONReader: ~Copyable {
    /// An open container: where its values and its keys begin on their stacks.
    private struct Frame {
        var valueStart: Int
        /// -1 for an array.
        var keyStart: Int
    }

    let bytes: UnsafeRawBufferPointer
    var position: Int
    /// Where a string with escapes is put together.
    var unescaped: [UInt8] = []
    private let depthLimit: Int
    private let elementLimit: Int
    private var elementCount = 0
    private var values = JSONScratch<JSONValue>(capacity: 64)
    private var keys = JSONScratch<String>(capacity: 32)
    private var keyHashes = JSONScratch<UInt64>(capacity: 32)
    private var frames: [Frame] = []

    init(bytes: UnsafeRawBufferPointer, start: Int, limits: ParsingLimits) {
        self.bytes = bytes
        self.position = start
        self.depthLimit = limits.effectiveDepth
        self.elementLimit = limits.elementCount
    }

    /// Reads the document and makes sure that nothing follows it.
    mutating func readDocument() throws(JSONFault) -> JSONValue {
        self.skipWhitespace()
        repeat { try self.readValue() } while try self.closeContainers()
        self.skipWhitespace()
        guard self.position == self.bytes.count else {
            throw self.fault(.unexpected(expected: "nothing after the document"))
        }
        return self.values.pop()
    }

    /// Reads a scalar or an empty container onto the stack, after opening as many containers as begin here.
    private mutating func readValue() throws(JSONFault) {
        while true {
            guard self.position < self.bytes.count else { throw self.fault(.unexpectedEnd(expected: "a value")) }
            switch self.bytes[self.position] {
            case UInt8(ascii: "\""):
                self.position &+= 1
                let string = try self.readString()
                try self.push(.string(string))
                return
            case UInt8(ascii: "{"):
                try self.open(keyStart: self.keys.count)
                if self.nextByte == UInt8(ascii: "}") { return }
                try self.readKey()
            case UInt8(ascii: "["):
                try self.open(keyStart: -1)
                if self.nextByte == UInt8(ascii: "]") { return }
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let number = try self.readNumber()
                try self.push(.number(number))
                return
            case UInt8(ascii: "t"):
                try self.readLiteral("true")
                try self.push(.bool(true))
                return
            case UInt8(ascii: "f"):
                try self.readLiteral("false")
                try self.push(.bool(false))
                return
            case UInt8(ascii: "n"):
                try self.readLiteral("null")
                try self.push(.null)
                return
            default: throw self.fault(.unexpected(expected: "a value"))
            }
        }
    }

    /// Closes the containers that end here; true if another value has to be read.
    private mutating func closeContainers() throws(JSONFault) -> Bool {
        while let frame = self.frames.last {
            self.skipWhitespace()
            guard self.position < self.bytes.count else {
                throw self.fault(.unexpectedEnd(expected: "a comma or the container's end"))
            }
            let byte = self.bytes[self.position]
            if byte == UInt8(ascii: ",") {
                self.position &+= 1
                self.skipWhitespace()
                if frame.keyStart >= 0 { try self.readKey() }
                return true
            }
            if frame.keyStart < 0 {
                guard byte == UInt8(ascii: "]") else { throw self.fault(.unexpected(expected: "',' or ']'")) }
                self.position &+= 1
                self.frames.removeLast()
                try self.push(.array(self.takeElements(frame)))
            } else {
                guard byte == UInt8(ascii: "}") else { throw self.fault(.unexpected(expected: "',' or '}'")) }
                self.position &+= 1
                self.frames.removeLast()
                try self.push(.object(self.takeMembers(frame)))
            }
        }
        return false
    }

    private mutating func open(keyStart: Int) throws(JSONFault) {
        guard self.frames.count < self.depthLimit else { throw self.fault(.tooDeep(limit: self.depthLimit)) }
        self.frames.append(Frame(valueStart: self.values.count, keyStart: keyStart))
        self.position &+= 1
        self.skipWhitespace()
    }

    @inline(__always)
    private mutating func push(_ value: consuming JSONValue) throws(JSONFault) {
        guard self.elementCount < self.elementLimit else {
            throw self.fault(.tooManyElements(limit: self.elementLimit))
        }
        self.elementCount &+= 1
        self.values.push(value)
    }

    private mutating func readKey() throws(JSONFault) {
        guard self.nextByte == UInt8(ascii: "\"") else { throw self.unexpected("a name in quotes") }
        self.position &+= 1
        let start = self.position
        let key = try self.readString()
        self.keyHashes.push(
            self.hash(start..<(self.position &- 1), isEscaped: key.utf8.count != self.position &- 1 &- start)
        )
        self.keys.push(key)
        self.skipWhitespace()
        guard self.nextByte == UInt8(ascii: ":") else { throw self.unexpected("':'") }
        self.position &+= 1
        self.skipWhitespace()
    }

    private mutating func takeElements(_ frame: Frame) -> [JSONValue] {
        let source = self.values.elements(from: frame.valueStart)
        guard let start = source.baseAddress, !source.isEmpty else { return [] }
        let elements = [JSONValue](unsafeUninitializedCapacity: source.count) { target, count in
            target.baseAddress?.moveInitialize(from: start, count: source.count)
            count = source.count
        }
        self.values.forget(from: frame.valueStart)
        return elements
    }

    private mutating func takeMembers(_ frame: Frame) -> JSONObject {
        let values = self.values.elements(from: frame.valueStart)
        let keys = self.keys.elements(from: frame.keyStart)
        guard let value = values.baseAddress, let key = keys.baseAddress, !keys.isEmpty else { return JSONObject() }
        let members = [JSONObject.Member](unsafeUninitializedCapacity: keys.count) { target, count in
            for position in 0..<keys.count {
                (target.baseAddress.unsafelyUnwrapped + position).initialize(
                    to: JSONObject.Member(key: (key + position).move(), value: (value + position).move())
                )
            }
            count = keys.count
        }
        let isDistinct = members.count <= JSONObject.indexThreshold && self.areDistinct(from: frame.keyStart)
        self.values.forget(from: frame.valueStart)
        self.keys.forget(from: frame.keyStart)
        self.keyHashes.forget(from: frame.keyStart)
        return isDistinct ? JSONObject(distinct: members) : JSONObject(lastWins: members)
    }

    /// Whether the few names of an object certainly differ.
    private func areDistinct(from start: Int) -> Bool {
        let hashes = self.keyHashes.elements(from: start)
        for position in hashes.indices.dropFirst() {
            let hash = hashes[position]
            for earlier in 0..<position where hashes[earlier] == hash || hashes[earlier] == 0 || hash == 0 {
                return false
            }
        }
        return true
    }

    /// A quick hash of a name's bytes; 0 where the name was escaped and its bytes are not those of the text.
    private func hash(_ range: Range<Int>, isEscaped: Bool) -> UInt64 {
        if isEscaped { return 0 }
        var hash = UInt64(truncatingIfNeeded: range.count) &+ 1
        var position = range.lowerBound
        while position &+ 8 <= range.upperBound {
            hash = (hash ^ self.bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash &>> 29
            position &+= 8
        }
        var rest: UInt64 = 0
        while position < range.upperBound {
            rest = rest &<< 8 | UInt64(self.bytes[position])
            position &+= 1
        }
        hash = (hash ^ rest) &* 0x9E37_79B9_7F4A_7C15
        return hash | 1
    }
}

extension JSONReader {
    /// The next byte, 0 at the end.
    @inline(__always)
    var nextByte: UInt8 { self.position < self.bytes.count ? self.bytes[self.position] : 0 }

    @inline(__always)
    mutating func skipWhitespace() {
        while self.position < self.bytes.count {
            let byte = self.bytes[self.position]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            self.position &+= 1
        }
    }

    func fault(_ kind: JSONFault.Kind) -> JSONFault { JSONFault(kind: kind, position: self.position) }

    func unexpected(_ expected: StaticString) -> JSONFault {
        self.fault(
            self.position < self.bytes.count ? .unexpected(expected: expected) : .unexpectedEnd(expected: expected)
        )
    }

    mutating func readLiteral(_ literal: StaticString) throws(JSONFault) {
        for offset in 0..<literal.utf8CodeUnitCount {
            guard self.nextByte == literal.utf8Start[offset] else { throw self.unexpected("true, false or null") }
            self.position &+= 1
        }
    }
}
