// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A value that is being encoded: its `Encoder`, and what it has encoded so far.
///
/// Nested containers that outlive the call that created them are kept as nodes and resolved at the end.
final class EncodingNode: Encoder {
    private enum Kind {
        case nothing, single, array, dictionary
    }

    let options: ParameterEncoder
    private let parent: EncodingNode?
    private let key: (any CodingKey)?
    private let depth: Int

    private var kind = Kind.nothing
    private var single = ParameterValue.null
    private var array: [ParameterValue] = []
    private var dictionary: [String: ParameterValue] = [:]
    private var arrayNodes: [(index: Int, node: EncodingNode)] = []
    private var dictionaryNodes: [(key: String, node: EncodingNode)] = []
    /// The index in `dictionaryNodes` of each key's node; nodes without one have been replaced by a value.
    private var nodeIndices: [String: Int] = [:]
    private var isMisused = false
    /// Whether the value is a dictionary, whose keys are data and distinct.
    private var isDictionary = false
    /// The original keys of each key of a type; empty if keys are not converted.
    private var originalKeys: [String: Set<String>] = [:]

    init(options: ParameterEncoder) {
        self.options = options
        self.parent = nil
        self.key = nil
        self.depth = 0
    }

    private init(parent: EncodingNode, key: any CodingKey) {
        self.options = parent.options
        self.parent = parent
        self.key = key
        self.depth = parent.depth + 1
    }

    /// Creates a node for the same position.
    ///
    /// It counts as a level, so that a value that encodes itself endlessly reaches the limit.
    private init(standingFor node: EncodingNode) {
        self.options = node.options
        self.parent = node
        self.key = nil
        self.depth = node.depth + 1
    }

    var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var node: EncodingNode? = self
        while let present = node {
            if let key = present.key { path.append(key) }
            node = present.parent
        }
        return path.reversed()
    }

    var userInfo: [CodingUserInfoKey: Any] { self.options.userInfo }

    var count: Int { self.array.count }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if self.kind == .nothing { self.dictionary.reserveCapacity(6) }
        self.become(.dictionary)
        return KeyedEncodingContainer(KeyedNodeContainer(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        self.become(.array)
        return UnkeyedNodeContainer(node: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueNodeContainer(node: self)
    }

    func set(_ value: ParameterValue) {
        self.become(.single)
        self.single = value
    }

    func append(_ value: ParameterValue) {
        self.array.append(value)
    }

    /// Stores a value; it replaces an earlier value and an earlier nested container of the key.
    func insert(_ value: ParameterValue, forKey key: some CodingKey) {
        let name = self.name(of: key)
        if !self.nodeIndices.isEmpty { self.nodeIndices[name] = nil }
        self.dictionary[name] = value
    }

    /// Returns the node for a nested container or a superclass, which is filled later.
    ///
    /// A key has one node, so that a container that is requested again continues the first one. A dictionary or an
    /// array that was stored before is continued, too; a container in place of another value is an error.
    func nested(forKey key: some CodingKey) -> EncodingNode {
        let name = self.name(of: key)
        if let index = self.nodeIndices[name] { return self.dictionaryNodes[index].node }
        let node = EncodingNode(parent: self, key: key)
        if let value = self.dictionary[name] { node.resume(value) }
        self.nodeIndices[name] = self.dictionaryNodes.count
        self.dictionaryNodes.append((name, node))
        return node
    }

    func nestedInArray() -> EncodingNode {
        let node = EncodingNode(parent: self, key: PositionKey(self.array.count))
        self.arrayNodes.append((self.array.count, node))
        self.array.append(.null)
        return node
    }

    /// Encodes a value at a key of this one.
    func box(_ value: some Encodable, at key: any CodingKey) throws -> ParameterValue {
        if let leaf = try self.leaf(value, at: key) { return leaf }
        return try EncodingNode(parent: self, key: key).encodeWhole(value)
    }

    /// Encodes a value in place of this one.
    func boxInPlace(_ value: some Encodable) throws -> ParameterValue {
        if let leaf = try self.leaf(value, at: nil) { return leaf }
        return try EncodingNode(standingFor: self).encodeWhole(value)
    }

    /// Encodes the outermost value.
    func box(_ value: some Encodable) throws -> ParameterValue {
        if let leaf = try self.leaf(value, at: nil) { return leaf }
        return try self.encodeWhole(value)
    }

    private func encodeWhole<Value: Encodable>(_ value: Value) throws -> ParameterValue {
        try self.checkDepth()
        defer { self.releaseNodes() }
        self.isDictionary = Value.self is any AnyDictionary.Type
        try value.encode(to: self)
        let result = try self.finish()
        // A set encodes itself as an array, and so does a dictionary whose keys are neither text nor integers, both in an
        // order that changes from run to run.
        guard case .array(let elements) = result else { return result }
        if Value.self is any AnySet.Type {
            return try self.located(at: nil) { try ParameterValue(membersOfSet: elements) }
        }
        guard self.isDictionary else { return result }
        return try self.located(at: nil) { try ParameterValue(pairsOfDictionary: elements) }
    }

    private func checkDepth() throws(SerializationError) {
        let limit = min(self.options.maximumDepth, 500)
        guard self.depth >= limit else { return }
        throw SerializationError(
            .limitExceeded,
            reason: "the value is nested more than \(limit) levels deep",
            codingPath: self.codingPath.map(\.stringValue)
        )
    }

    private func finish() throws -> ParameterValue {
        guard !self.isMisused else { throw self.refusal("a type asked its encoder for containers of two kinds") }
        try self.checkKeys()
        switch self.kind {
        case .nothing: return .dictionary([:])
        case .single: return self.single
        case .array:
            for (index, node) in self.arrayNodes { self.array[index] = try node.finishNested() }
            return .array(self.array)
        case .dictionary:
            for (index, (key, node)) in self.dictionaryNodes.enumerated() where self.nodeIndices[key] == index {
                self.dictionary[key] = try node.finishNested()
            }
            return .dictionary(self.dictionary)
        }
    }

    private func finishNested() throws -> ParameterValue {
        try self.checkDepth()
        return try self.finish()
    }

    /// Releases the nested nodes, each of which retains the one that it is nested in.
    private func releaseNodes() {
        var nodes = [self]
        while let node = nodes.popLast() {
            nodes += node.arrayNodes.map(\.node) + node.dictionaryNodes.map(\.node)
            (node.arrayNodes, node.dictionaryNodes) = ([], [])
        }
    }

    /// Starts with a value that the key already has.
    private func resume(_ value: ParameterValue) {
        switch value {
        case .dictionary(let members): (self.kind, self.dictionary) = (.dictionary, members)
        case .array(let elements): (self.kind, self.array) = (.array, elements)
        default: (self.kind, self.single) = (.single, value)
        }
    }

    private func become(_ kind: Kind) {
        if self.kind != .nothing, self.kind != kind { self.isMisused = true }
        self.kind = kind
    }

    /// Returns the name under which a key is stored.
    ///
    /// The type of the key decides, because a type may encode a dictionary in place of itself, or beside its own keys.
    private func name<Key: CodingKey>(of key: Key) -> String {
        let original = key.stringValue
        if self.isDictionary { return original }
        if case .unchanged = self.options.keys { return original }
        let name = DataKeys.contains(Key.self) ? original : self.options.keys.convert(original)
        self.originalKeys[name, default: []].insert(original)
        return name
    }

    /// Refuses keys that conversion has made equal: a dictionary would keep an arbitrary one of them.
    private func checkKeys() throws(SerializationError) {
        let collisions = self.originalKeys.filter { $0.value.count > 1 }
        guard let first = collisions.min(by: { $0.key.precedesInUTF8($1.key) }) else { return }
        let originals = first.value.sorted { $0.precedesInUTF8($1) }.map { "“\($0)”" }.joined(separator: ", ")
        throw self.refusal("the keys \(originals) all become “\(first.key)” when they are converted")
    }

    private func refusal(_ reason: String) -> SerializationError {
        SerializationError(.unencodableValue, reason: reason, codingPath: self.codingPath.map(\.stringValue))
    }
}

extension EncodingNode {
    /// Encodes types whose own `encode(to:)` is not called.
    private func leaf<Value: Encodable>(_ value: Value, at key: (any CodingKey)?) throws -> ParameterValue? {
        if let value = Self.exactly(value, String.self) { return .string(value) }
        if let value = Self.exactly(value, Int.self) { return .int(Int64(value)) }
        if let value = Self.exactly(value, Double.self) { return self.options.convert(value) }
        if let value = Self.exactly(value, Bool.self) { return .bool(value) }
        if let value = Self.exactly(value, ParameterValue.self) { return value }
        if let value = Self.exactly(value, JSONValue.self) {
            // Its own encoding would lose digits, and recurses.
            return try self.boxDocument(value, at: key)
        }
        if let value = Self.exactly(value, Parameters.self) { return try self.boxParameters(value, at: key) }
        if let value = Self.exactly(value, Data.self) {
            return try self.located(at: key) { try self.options.convert(value) }
        }
        if let value = Self.exactly(value, Date.self) {
            return try self.located(at: key) { try self.options.convert(value) }
        }
        if let value = Self.exactly(value, URL.self) { return .string(value.absoluteString) }
        if let value = Self.exactly(value, Decimal.self) {
            return try self.located(at: key) { try Self.convert(value) }
        }
        return nil
    }

    /// Returns the value if it is of exactly this type; compares two pointers, where `as?` searches.
    private static func exactly<Value, Wanted>(_ value: Value, _ type: Wanted.Type) -> Wanted? {
        Value.self == Wanted.self ? unsafeBitCast(value, to: Wanted.self) : nil
    }

    /// Encodes a JSON document that a type encodes in place of itself, or beside its own keys.
    func encodeDocument(_ document: JSONValue) throws {
        switch try self.boxDocument(document, at: nil) {
        case .dictionary(let members):
            self.become(.dictionary)
            for (name, value) in members { self.insert(value, forKey: NameKey(name)) }
        case .array(let elements):
            self.become(.array)
            self.array += elements
        case let value: self.set(value)
        }
    }

    /// Encodes a literal of parameters, whose own keys are not converted.
    private func boxParameters(_ parameters: Parameters, at key: (any CodingKey)?) throws -> ParameterValue {
        let node = key.map { EncodingNode(parent: self, key: $0) } ?? EncodingNode(standingFor: self)
        try node.checkDepth()
        do throws(SerializationError) {
            try parameters.checkKeys()
        } catch {
            throw node.codingPath.reversed().reduce(error) { $0.inside($1.stringValue) }
        }
        var values: [String: ParameterValue] = [:]
        values.reserveCapacity(parameters.entries.count)
        for (key, value) in parameters.entries {
            guard let value, !Parameters.isNil(value) else { continue }
            values[key] = try node.box(value, at: NameKey(key))
        }
        return .dictionary(values)
    }

    /// Converts a JSON document, whose names are data.
    private func boxDocument(
        _ document: JSONValue,
        at key: (any CodingKey)?
    ) throws(SerializationError) -> ParameterValue {
        do throws(SerializationError) {
            return try ParameterValue(document)
        } catch {
            var error = error
            let path = self.codingPath + (key.map { [$0] } ?? [])
            error.codingPath.insert(contentsOf: path.map(\.stringValue), at: 0)
            throw error
        }
    }

    /// Adds the coding path to an error without one.
    private func located(
        at key: (any CodingKey)?,
        _ body: () throws -> ParameterValue
    ) throws -> ParameterValue {
        do {
            return try body()
        } catch {
            let path = (self.codingPath + (key.map { [$0] } ?? [])).map(\.stringValue)
            if var error = error as? SerializationError {
                error.codingPath = path
                throw error
            }
            throw SerializationError(
                .unencodableValue,
                reason: "a custom strategy refused the value",
                underlying: error,
                codingPath: path
            )
        }
    }

    /// An integer or a `Double` that has the exact value, else the digits themselves.
    private static func convert(_ decimal: Decimal) throws(SerializationError) -> ParameterValue {
        guard !decimal.isNaN else {
            throw SerializationError(.unencodableValue, reason: "the decimal number is not a number")
        }
        let text = decimal.description
        if let number = Int64(text) { return .int(number) }
        if let number = Double(text), ParameterValue.text(of: number) == text { return .double(number) }
        return .number(JSONNumber(storage: .text(text)))
    }
}

/// Implemented by every `Set`.
private protocol AnySet {}
extension Set: AnySet {}

/// Implemented by every dictionary.
private protocol AnyDictionary {}
extension Dictionary: AnyDictionary {}

/// The index of a value in an array, as a key.
struct PositionKey: CodingKey {
    let position: Int

    init(_ position: Int) {
        self.position = position
    }

    init?(intValue: Int) {
        self.position = intValue
    }

    init?(stringValue: String) {
        guard let position = Int(stringValue) else { return nil }
        self.position = position
    }

    var stringValue: String { String(self.position) }
    var intValue: Int? { self.position }
}

/// The key of a superclass.
struct SuperKey: CodingKey {
    init() {}
    init?(intValue: Int) { nil }
    init?(stringValue: String) { nil }

    var stringValue: String { "super" }
    var intValue: Int? { nil }
}
