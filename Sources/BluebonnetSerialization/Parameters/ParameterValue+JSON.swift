// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension ParameterValue {
    /// Creates parameters from a JSON document.
    ///
    /// A number that neither 64-bit type nor a `Double` holds exactly becomes text, so that no digit is lost.
    ///
    /// - Parameter json: The document, nested no deeper than a parser would accept.
    public init(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(values.map(Self.init))
        case .object(let object):
            var values: [String: ParameterValue] = [:]
            values.reserveCapacity(object.count)
            for member in object { values[member.key] = Self(member.value) }
            self = .dictionary(values)
        case .number(let number):
            if let value = number.int64 {
                self = .int(value)
            } else if let value = number.uint64 {
                self = .unsigned(value)
            } else if let value = number.double, JSONNumber(value) == number {
                self = .double(value)
            } else {
                self = .string(number.text)
            }
        }
    }
}

extension JSONValue {
    /// Creates a JSON document from parameters.
    ///
    /// Dates become ISO 8601 text in UTC, data base64 text, sets arrays sorted by the text of their members, whole numbers lose their `.0`.
    ///
    /// - Parameters:
    ///   - parameters: The parameters.
    ///   - sortsKeys: Whether the members of objects are in the order of their names' UTF-8 bytes; yes unless given.
    ///   - maximumDepth: How deep arrays, sets and dictionaries may be nested; 128 levels unless given. More than
    ///     ``ParsingLimits/maximumDepth`` has no effect.
    /// - Throws: ``SerializationError/Code/unencodableValue`` with the coding path for a number that is not finite or a date without
    ///   ISO 8601 text; ``SerializationError/Code/limitExceeded`` beyond the depth.
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
    /// An open container, and what it holds so far.
    private struct Level {
        var children: ParameterLevel
        var members: [JSONObject.Member] = []
        var elements: [JSONValue] = []

        init(_ children: ParameterLevel) {
            self.children = children
            if children.isDictionary {
                self.members.reserveCapacity(children.count)
            } else {
                self.elements.reserveCapacity(children.count)
            }
        }

        /// Adds the child that was visited last.
        mutating func append(_ value: JSONValue, key: String?) {
            if let key {
                self.members.append(JSONObject.Member(key: key, value: value))
            } else {
                self.elements.append(value)
            }
        }

        var value: JSONValue {
            // `lastWins` also makes the index that an object with many members needs.
            self.children.isDictionary ? .object(JSONObject(lastWins: self.members)) : .array(self.elements)
        }
    }

    private let sortsKeys: Bool
    private let maximumDepth: Int
    /// The containers around the innermost one, outermost first.
    private var outer: [Level] = []

    init(sortsKeys: Bool, maximumDepth: Int) {
        self.sortsKeys = sortsKeys
        self.maximumDepth = maximumDepth
    }

    mutating func build(_ root: ParameterValue) throws(SerializationError) -> JSONValue {
        guard root.isContainer else { return try Self.scalar(root) }
        var current = Level(try self.children(of: root, depth: 1))
        do throws(SerializationError) {
            while true {
                if let child = current.children.next() {
                    if child.value.isContainer {
                        let children = try self.children(of: child.value, depth: self.outer.count + 2)
                        self.outer.append(current)
                        current = Level(children)
                    } else {
                        current.append(try Self.scalar(child.value), key: child.key)
                    }
                } else {
                    let value = current.value
                    guard var parent = self.outer.popLast() else { return value }
                    parent.append(value, key: parent.children.isDictionary ? parent.children.currentKey : nil)
                    current = parent
                }
            }
        } catch {
            var error = error
            error.codingPath = (self.outer + [current]).map(\.children).codingPath
            throw error
        }
    }

    private func children(of container: ParameterValue, depth: Int) throws(SerializationError) -> ParameterLevel {
        try ParameterLevel(container, sortsKeys: self.sortsKeys, depth: depth, maximumDepth: self.maximumDepth)
    }

    private static func scalar(_ value: ParameterValue) throws(SerializationError) -> JSONValue {
        switch value {
        case .bool(let value): .bool(value)
        case .int(let value): .number(JSONNumber(value))
        case .unsigned(let value): .number(JSONNumber(value))
        case .double(let value): .number(try Self.number(value))
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
            throw SerializationError(.unencodableValue, reason: "JSON has no number for \(value).")
        }
        return number
    }
}
