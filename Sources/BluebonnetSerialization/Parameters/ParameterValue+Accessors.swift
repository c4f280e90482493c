// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension ParameterValue {
    /// Creates an integer of any width.
    ///
    /// - Parameter value: The integer; one that fits neither 64-bit type keeps its digits, as ``number(_:)``.
    public init(_ value: some BinaryInteger) {
        if let value = Int64(exactly: value) {
            self = .int(value)
        } else if let value = UInt64(exactly: value) {
            self = .unsigned(value)
        } else {
            self = .number(JSONNumber(value))
        }
    }

    /// Creates a floating-point number.
    ///
    /// - Parameter value: The number.
    public init(_ value: Double) {
        self = .double(value)
    }

    /// Creates text.
    ///
    /// - Parameter value: The text.
    public init(_ value: some StringProtocol) {
        self = .string(String(value))
    }

    /// Creates a Boolean.
    ///
    /// - Parameter value: The Boolean.
    public init(_ value: Bool) {
        self = .bool(value)
    }

    /// Whether this is ``null``.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The Boolean; nil for every other kind.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer, if the value is one and fits.
    public var int: Int? {
        switch self {
        case .int(let value): Int(exactly: value)
        case .unsigned(let value): Int(exactly: value)
        case .double(let value): Int(exactly: value)
        case .number(let value): value.int64.flatMap { Int(exactly: $0) }
        default: nil
        }
    }

    /// The number as a `Double`; an integer beyond 2^53 is rounded.
    public var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .double(let value): value
        case .number(let value): value.double
        default: nil
        }
    }

    /// The text; nil for every other kind.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The bytes; nil for every other kind.
    public var data: Data? {
        if case .data(let value) = self { value } else { nil }
    }

    /// The date; nil for every other kind.
    public var date: Date? {
        if case .date(let value) = self { value } else { nil }
    }

    /// The values of an array; nil for every other kind.
    public var array: [ParameterValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The values of a dictionary; nil for every other kind.
    public var dictionary: [String: ParameterValue]? {
        if case .dictionary(let values) = self { values } else { nil }
    }

    /// The value for a key of a dictionary.
    ///
    /// Setting nil removes the key, and has no effect on anything but a dictionary. Setting a value on anything but a
    /// dictionary replaces it with a dictionary.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value; nil if there is none or if this is not a dictionary.
    public subscript(key: String) -> ParameterValue? {
        get {
            if case .dictionary(let values) = self { values[key] } else { nil }
        }
        set {
            guard newValue != nil || self.dictionary != nil else { return }
            var values = self.dictionary ?? [:]
            self = .null
            values[key] = newValue
            self = .dictionary(values)
        }
    }

    /// The value at an index of an array.
    ///
    /// - Parameter index: The index.
    /// - Returns: The value; nil if the index is out of bounds or if this is not an array.
    public subscript(index: Int) -> ParameterValue? {
        guard case .array(let values) = self, values.indices.contains(index) else { return nil }
        return values[index]
    }
}
