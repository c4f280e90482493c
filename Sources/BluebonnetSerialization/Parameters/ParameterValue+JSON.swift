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
    /// - Throws: ``SerializationError/Code/unencodableValue`` with the coding path for a number that is not finite or a date without
    ///   ISO 8601 text; ``SerializationError/Code/limitExceeded`` beyond 512 levels.
    public init(_ parameters: ParameterValue, sortsKeys: Bool = true) throws(SerializationError) {
        try self.init(parameters, sortsKeys: sortsKeys, depth: 1)
    }

    private static let maximumDepth = 512

    private init(_ parameters: ParameterValue, sortsKeys: Bool, depth: Int) throws(SerializationError) {
        guard depth <= Self.maximumDepth else {
            throw SerializationError(
                .limitExceeded,
                reason: "The parameters are nested more than \(Self.maximumDepth) levels deep."
            )
        }
        switch parameters {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .number(JSONNumber(value))
        case .unsigned(let value): self = .number(JSONNumber(value))
        case .double(let value): self = .number(try Self.number(value))
        case .string(let value): self = .string(value)
        case .data, .date: self = .string(try parameters.text())
        case .array(let values):
            self = try Self.array(values, sortsKeys: sortsKeys, depth: depth)
        case .set(let values):
            let members = try ParameterValue.sorted(values, maximumDepth: Self.maximumDepth - depth)
            self = try Self.array(members, sortsKeys: sortsKeys, depth: depth)
        case .dictionary(let values):
            self = try Self.object(values, sortsKeys: sortsKeys, depth: depth)
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

    private static func array(
        _ values: [ParameterValue],
        sortsKeys: Bool,
        depth: Int
    ) throws(SerializationError) -> JSONValue {
        var elements: [JSONValue] = []
        elements.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            do throws(SerializationError) {
                elements.append(try JSONValue(value, sortsKeys: sortsKeys, depth: depth + 1))
            } catch {
                throw error.inside(String(index))
            }
        }
        return .array(elements)
    }

    private static func object(
        _ values: [String: ParameterValue],
        sortsKeys: Bool,
        depth: Int
    ) throws(SerializationError) -> JSONValue {
        var members: [JSONObject.Member] = []
        members.reserveCapacity(values.count)
        func add(_ key: String, _ value: ParameterValue) throws(SerializationError) {
            do throws(SerializationError) {
                members.append(.init(key: key, value: try JSONValue(value, sortsKeys: sortsKeys, depth: depth + 1)))
            } catch {
                throw error.inside(key)
            }
        }
        if sortsKeys {
            for entry in SortedEntries(values).entries { try add(entry.key, entry.value) }
        } else {
            for (key, value) in values { try add(key, value) }
        }
        // `lastWins` also makes the index that an object with many members needs.
        return .object(JSONObject(lastWins: members))
    }
}
