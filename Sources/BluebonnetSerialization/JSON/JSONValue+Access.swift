// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// Whether the value is `null`.
    public var isNull: Bool {
        guard case .null = self else { return false }
        return true
    }

    /// The Boolean; nil if the value is of another kind.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The number; nil if the value is of another kind.
    public var number: JSONNumber? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    /// The number as an integer; nil if the value is not an integer or does not fit.
    public var int: Int? { self.number?.int64.flatMap { Int(exactly: $0) } }

    /// The number as the nearest `Double`; nil if the value is not a number or is too large.
    public var double: Double? { self.number?.double }

    /// The string; nil if the value is of another kind.
    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The elements; nil if the value is not an array.
    public var array: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The members; nil if the value is not an object.
    public var object: JSONObject? {
        guard case .object(let value) = self else { return nil }
        return value
    }

    /// The member with this name; nil if the value is not an object or has no such member.
    ///
    /// Setting nil removes the member. Setting a member of a value that is not an object has no effect, except that
    /// `null` becomes an object.
    ///
    /// - Parameter name: The member's name, compared byte by byte.
    public subscript(name: String) -> JSONValue? {
        get { self.object?[name] }
        set {
            switch self {
            case .object(var object):
                self = .null
                object[name] = newValue
                self = .object(object)
            case .null:
                guard let newValue else { return }
                self = .object([name: newValue])
            default: return
            }
        }
    }

    /// The element at this index; nil if the value is not an array or the index is out of bounds.
    ///
    /// - Parameter position: The index, from 0.
    public subscript(position: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(position) else { return nil }
        return elements[position]
    }
}
