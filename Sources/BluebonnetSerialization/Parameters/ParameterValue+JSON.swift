// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension ParameterValue {
    /// Creates parameters from a JSON document.
    ///
    /// An integer beyond 64 bits, and a number that a `Double` does not hold exactly, keep their digits, as
    /// ``number(_:)``.
    ///
    /// - Parameter json: The document, nested no deeper than a parser would accept.
    /// - Throws: ``SerializationError/Code/invalidParameters`` with the coding path of a name, if an object also has a
    ///   canonically equivalent one, such as `é` as one character and as a letter with a combining accent. JSON
    ///   distinguishes them, the keys of parameters do not.
    public init(_ json: JSONValue) throws(SerializationError) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(try Self.elements(values))
        case .object(let object): self = .dictionary(try Self.members(object))
        case .number(let number):
            if let value = number.int64 {
                self = .int(value)
            } else if let value = number.uint64 {
                self = .unsigned(value)
            } else if !number.isWrittenAsInteger, let value = number.double, JSONNumber(value) == number {
                self = .double(value)
            } else {
                self = .number(number)
            }
        }
    }

    private static func elements(_ values: [JSONValue]) throws(SerializationError) -> [ParameterValue] {
        var elements: [ParameterValue] = []
        elements.reserveCapacity(values.count)
        for value in values {
            do throws(SerializationError) {
                elements.append(try Self(value))
            } catch {
                throw error.inside(String(elements.count))
            }
        }
        return elements
    }

    private static func members(_ object: JSONObject) throws(SerializationError) -> [String: ParameterValue] {
        var values: [String: ParameterValue] = [:]
        values.reserveCapacity(object.count)
        for member in object {
            do throws(SerializationError) {
                guard values.updateValue(try Self(member.value), forKey: member.key) != nil else { continue }
            } catch {
                throw error.inside(member.key)
            }
            throw SerializationError(
                .invalidParameters,
                reason: "an object has the key twice, in different Unicode forms; send the document as data",
                codingPath: [member.key]
            )
        }
        return values
    }
}

extension JSONValue {
    /// Encodes a value of any `Encodable` type.
    ///
    /// Dates become ISO 8601 text and data becomes base64 text unless the encoder is set to encode them otherwise. The
    /// members of objects are sorted by their names' UTF-8 bytes.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder; the default one unless given.
    /// - Throws: ``SerializationError`` as ``ParameterEncoder/encode(_:)`` does;
    ///   ``SerializationError/Code/unencodableValue`` with the coding path for a number that is not finite;
    ///   ``SerializationError/Code/limitExceeded`` beyond 128 levels.
    public init(
        encoding value: some Encodable,
        encoder: ParameterEncoder = ParameterEncoder()
    ) throws(SerializationError) {
        try self.init(try encoder.encode(value))
    }

    /// Creates a JSON document from parameters.
    ///
    /// Dates become ISO 8601 text in UTC, data becomes base64 text, sets become arrays sorted by the text of their
    /// members, and integral numbers lose their `.0`.
    ///
    /// - Parameters:
    ///   - parameters: The parameters.
    ///   - sortsKeys: Whether the members of objects are sorted by their names' UTF-8 bytes; yes unless given.
    ///   - maximumDepth: The maximum nesting of arrays, sets and dictionaries; 128 levels unless given. Values above
    ///     ``ParsingLimits/maximumDepth`` have no effect.
    /// - Throws: ``SerializationError/Code/unencodableValue`` with the coding path for a number that is not finite or a
    ///   date without ISO 8601 text; ``SerializationError/Code/limitExceeded`` beyond the depth.
    public init(
        _ parameters: ParameterValue,
        sortsKeys: Bool = true,
        maximumDepth: Int = ParsingLimits.defaultDepth
    ) throws(SerializationError) {
        var builder = JSONParameterBuilder(
            sortsKeys: sortsKeys,
            maximumDepth: min(maximumDepth, ParsingLimits.maximumDepth)
        )
        self = try builder.build(parameters)
    }
}

/// Builds a JSON document from parameters, without recursion.
private struct JSONParameterBuilder {
    private let sortsKeys: Bool
    private let maximumDepth: Int
    /// The open containers, outermost first.
    private var levels: [ParameterLevel] = []
    /// The members of each open container so far; the keys of an array's members are empty.
    private var members: [[JSONObject.Member]] = []

    init(sortsKeys: Bool, maximumDepth: Int) {
        self.sortsKeys = sortsKeys
        self.maximumDepth = maximumDepth
    }

    mutating func build(_ parameters: ParameterValue) throws(SerializationError) -> JSONValue {
        do throws(SerializationError) {
            return try self.buildTree(parameters)
        } catch {
            var error = error
            error.codingPath = self.levels.codingPath
            throw error
        }
    }

    private mutating func buildTree(_ root: ParameterValue) throws(SerializationError) -> JSONValue {
        if !(try self.open(root)) { return try Self.scalar(root) }
        while true {
            let top = self.levels.count - 1
            if let child = self.levels[top].next() {
                if try self.open(child.value) { continue }
                self.members[top].append(.init(key: child.key ?? "", value: try Self.scalar(child.value)))
            } else {
                let finished = self.close()
                if top == 0 { return finished }
                let parent = self.levels[top - 1]
                let key = parent.isDictionary ? parent.currentKey : ""
                self.members[top - 1].append(.init(key: key, value: finished))
            }
        }
    }

    /// Pushes a container onto the stack.
    ///
    /// - Returns: Whether the value is a container.
    private mutating func open(_ value: ParameterValue) throws(SerializationError) -> Bool {
        guard
            let level = try ParameterLevel(
                value,
                sortsKeys: self.sortsKeys,
                depth: self.levels.count + 1,
                maximumDepth: self.maximumDepth
            )
        else { return false }
        self.levels.append(level)
        var members: [JSONObject.Member] = []
        members.reserveCapacity(level.count)
        self.members.append(members)
        return true
    }

    private mutating func close() -> JSONValue {
        let isObject = self.levels.removeLast().isDictionary
        let members = self.members.removeLast()
        // `lastWins` also creates the index that an object with many members needs.
        return isObject ? .object(JSONObject(lastWins: members)) : .array(members.map(\.value))
    }

    private static func scalar(_ value: ParameterValue) throws(SerializationError) -> JSONValue {
        switch value {
        case .bool(let value): .bool(value)
        case .int(let value): .number(JSONNumber(value))
        case .unsigned(let value): .number(JSONNumber(value))
        case .double(let value): .number(try Self.number(value))
        case .number(let value): .number(value)
        case .string(let value): .string(value)
        case .data, .date: .string(try value.text())
        case .null, .array, .set, .dictionary: .null
        }
    }

    private static func number(_ value: Double) throws(SerializationError) -> JSONNumber {
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53, value.sign == .plus || whole != 0 {
            return JSONNumber(whole)
        }
        guard let number = JSONNumber(value) else {
            throw SerializationError(.unencodableValue, reason: "JSON has no number for \(value)")
        }
        return number
    }
}
