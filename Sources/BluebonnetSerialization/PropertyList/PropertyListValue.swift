// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A property list, or a part of one, from XML or binary form.
public enum PropertyListValue: Sendable, Hashable {
    /// `true` or `false`.
    case bool(Bool)
    /// An integer.
    case integer(Int64)
    /// An integer beyond `Int64.max`.
    case unsigned(UInt64)
    /// A floating-point number.
    case real(Double)
    /// Text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A date.
    case date(Date)
    /// An index into the objects of an archive; only in the binary form.
    case uid(UInt64)
    /// An array.
    case array([PropertyListValue])
    /// A dictionary.
    case dictionary([String: PropertyListValue])
}

extension PropertyListValue {
    /// Parses a property list; its first bytes decide between XML and binary.
    ///
    /// - Parameters:
    ///   - data: The property list.
    ///   - limits: The limits beyond which it is refused.
    /// - Throws: ``SerializationError`` with code `malformedBody` or `limitExceeded`.
    public init(parsing data: Data, limits: ParsingLimits = ParsingLimits()) throws(SerializationError) {
        self = try PropertyListParser(limits: limits).parse(data)
    }

    /// The Boolean; nil if the value is of another kind.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The integer; nil if the value is of another kind or does not fit.
    public var int: Int? {
        guard case .integer(let value) = self else { return nil }
        return Int(exactly: value)
    }

    /// The number as a `Double`; nil if the value is of another kind.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }

    /// The text; nil if the value is of another kind.
    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The bytes; nil if the value is of another kind.
    public var data: Data? {
        guard case .data(let value) = self else { return nil }
        return value
    }

    /// The date; nil if the value is of another kind.
    public var date: Date? {
        guard case .date(let value) = self else { return nil }
        return value
    }

    /// The elements; nil if the value is not an array.
    public var array: [PropertyListValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The entries; nil if the value is not a dictionary.
    public var dictionary: [String: PropertyListValue]? {
        guard case .dictionary(let value) = self else { return nil }
        return value
    }

    /// The entry with this key; nil if the value is not a dictionary or has no such key.
    ///
    /// Setting nil removes the entry. Setting an entry of a value that is not a dictionary has no effect.
    ///
    /// - Parameter key: The key.
    public subscript(key: String) -> PropertyListValue? {
        get { self.dictionary?[key] }
        set {
            guard case .dictionary(var entries) = self else { return }
            self = .bool(false)
            entries[key] = newValue
            self = .dictionary(entries)
        }
    }

    /// The element at this index; nil if the value is not an array or the index is out of bounds.
    ///
    /// - Parameter position: The index, from 0.
    public subscript(position: Int) -> PropertyListValue? {
        guard case .array(let elements) = self, elements.indices.contains(position) else { return nil }
        return elements[position]
    }
}
