// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Parses one JSON document from UTF-8 bytes, without recursion.
///
/// Complete values stay on one stack until their container ends, which then takes all of them at once. Errors contain a
/// position. No byte past the end is read.
struct JSONReader: ~Copyable {
    /// An open container: the start of its values and keys on their stacks.
    private struct Frame {
        var valueStart: Int
        /// -1 for an array.
        var keyStart: Int
    }

    let bytes: UnsafeRawBufferPointer
    var position: Int
    /// The buffer in which strings with escapes are decoded.
    var unescaped: [UInt8] = []
    private let depthLimit: Int
    private let elementLimit: Int
    private var elementCount = 0
    private var values = JSONScratch<JSONValue>(capacity: 64)
    private var keys = JSONScratch<String>(capacity: 32)
    private var keyHashes = JSONScratch<UInt64>(capacity: 32)
    private var keyCache = JSONKeyCache()
    private var frames: [Frame] = []

    init(bytes: UnsafeRawBufferPointer, start: Int, limits: ParsingLimits) {
        self.bytes = bytes
        self.position = start
        self.depthLimit = limits.effectiveDepth
        self.elementLimit = limits.elementCount
    }

    /// Parses the document and checks that nothing follows it.
    mutating func readDocument() throws(JSONFault) -> JSONValue {
        self.skipWhitespace()
        repeat { try self.readValue() } while try self.closeContainers()
        self.skipWhitespace()
        guard self.position == self.bytes.count else {
            throw self.fault(.unexpected(expected: "nothing after the document"))
        }
        return self.values.pop()
    }

    /// Parses a scalar or an empty container onto the stack, after opening all containers that begin here.
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

    /// Closes the containers that end here; returns true if another value follows.
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
                guard byte == UInt8(ascii: "]") else { throw self.fault(.unexpected(expected: "“,” or “]”")) }
                self.position &+= 1
                self.frames.removeLast()
                try self.push(.array(self.takeElements(frame)))
            } else {
                guard byte == UInt8(ascii: "}") else { throw self.fault(.unexpected(expected: "“,” or “}”")) }
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
        self.skipPlainText()
        if self.nextByte == UInt8(ascii: "\"") {
            let text = UnsafeRawBufferPointer(rebasing: self.bytes[start..<self.position])
            let hash = JSONKeyCache.hash(text)
            guard let key = self.keyCache.string(for: text, hash: hash) else { throw self.invalidUTF8(text, at: start) }
            self.position &+= 1
            self.keyHashes.push(hash)
            self.keys.push(key)
        } else {
            self.position = start
            self.keys.push(try self.readString())
            // The document's bytes differ from the decoded name.
            self.keyHashes.push(0)
        }
        self.skipWhitespace()
        guard self.nextByte == UInt8(ascii: ":") else { throw self.unexpected("“:”") }
        self.position &+= 1
        self.skipWhitespace()
    }

    private mutating func takeElements(_ frame: Frame) -> [JSONValue] {
        let source = self.values.elements(from: frame.valueStart)
        guard let start = source.baseAddress, !source.isEmpty else { return [] }
        var elements: [JSONValue] = []
        elements.reserveCapacity(source.count)
        for position in 0..<source.count { elements.append((start + position).move()) }
        self.values.forget(from: frame.valueStart)
        return elements
    }

    private mutating func takeMembers(_ frame: Frame) -> JSONObject {
        let values = self.values.elements(from: frame.valueStart)
        let keys = self.keys.elements(from: frame.keyStart)
        guard let value = values.baseAddress, let key = keys.baseAddress, !keys.isEmpty else { return JSONObject() }
        var members: [JSONObject.Member] = []
        members.reserveCapacity(keys.count)
        for position in 0..<keys.count {
            members.append(JSONObject.Member(key: (key + position).move(), value: (value + position).move()))
        }
        let isDistinct = members.count <= JSONObject.indexThreshold && self.areDistinct(from: frame.keyStart)
        self.values.forget(from: frame.valueStart)
        self.keys.forget(from: frame.keyStart)
        self.keyHashes.forget(from: frame.keyStart)
        return isDistinct ? JSONObject(distinct: members) : JSONObject(lastWins: members)
    }

    /// Whether the names of a small object are certain to differ.
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
}

extension JSONReader {
    /// The next byte; 0 at the end.
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
