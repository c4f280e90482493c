// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A JSON number with the exact value of its text (RFC 8259 section 6).
///
/// Numbers that an `Int64` holds, and decimals of up to 15 significant digits in the range of `Double`, are kept as
/// such; every other number is kept as text. Two numbers are equal when they have the same decimal value: `1`, `1.0`
/// and `10e-1` are equal.
public struct JSONNumber: Sendable {
    enum Storage: Sendable {
        case integer(Int64)
        case double(Double)
        case text(String)
    }

    let storage: Storage

    init(storage: Storage) { self.storage = storage }

    /// Creates an integer of any size.
    ///
    /// - Parameter value: The integer.
    public init(_ value: some BinaryInteger) {
        if let small = Int64(exactly: value) {
            self.storage = .integer(small)
        } else {
            self.storage = .text(String(value))
        }
    }

    /// Creates a number from a `Double`; nil for an infinity or not-a-number, which JSON cannot represent.
    ///
    /// - Parameter value: The number.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        self.storage = .double(value)
    }

    /// Creates a number with the exact value of its JSON text; nil if the text is not a JSON number.
    ///
    /// - Parameter text: The text, for example `-1.50e400`; ``text`` may be another one of the same value.
    public init?(exactly text: String) {
        guard case .number(let number) = try? JSONParser().parse(text), text.utf8.allSatisfy({ $0 > 0x20 }) else {
            return nil
        }
        self = number
    }

    /// The number as JSON text of the same value.
    ///
    /// A number that is kept as an `Int64` or a `Double` has the shortest text of that: `1.1` for `1.10`, `100.0` for
    /// `1E+2`. Any other has the text from which it was parsed.
    public var text: String {
        switch self.storage {
        case .integer(let value): String(value)
        case .double(let value): value.description
        case .text(let text): text
        }
    }

    /// Whether the text has neither a fraction nor an exponent.
    ///
    /// Receivers that have integers of any size read such a text as one, and every other as a floating-point number.
    var isWrittenAsInteger: Bool {
        switch self.storage {
        case .integer: true
        case .double: false
        case .text(let text): text.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-") }
        }
    }

    /// The number as an `Int64`, nil if it has a fraction or does not fit.
    public var int64: Int64? {
        switch self.storage {
        case .integer(let value): value
        case .double(let value): Self.isExact(value) ? Int64(exactly: value) : JSONDecimal(self.text)?.int64
        case .text(let text): Int64(text) ?? JSONDecimal(text)?.int64
        }
    }

    /// The number as a `UInt64`, nil if it is negative, has a fraction or does not fit.
    public var uint64: UInt64? {
        switch self.storage {
        case .integer(let value): UInt64(exactly: value)
        case .double(let value): Self.isExact(value) ? UInt64(exactly: value) : JSONDecimal(self.text)?.uint64
        case .text(let text): UInt64(text) ?? JSONDecimal(text)?.uint64
        }
    }

    /// Whether an integral `Double` is the same integer as its text.
    ///
    /// From 2^53 on, the shortest text that parses to a `Double` may be another integer than its binary value. The
    /// value of a JSON number is that of its text.
    private static func isExact(_ value: Double) -> Bool { value.magnitude < 0x1p53 }

    /// The nearest `Double`, nil if the number is too large for one.
    public var double: Double? {
        switch self.storage {
        case .integer(let value): return Double(value)
        case .double(let value): return value
        case .text(let text):
            guard let value = Double(text), value.isFinite else { return nil }
            return value
        }
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The number as JSON text.
    public var description: String { self.text }
}

extension JSONNumber: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        switch (left.storage, right.storage) {
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.text(let left), .text(let right)) where left == right: true
        default: left.decimal == right.decimal
        }
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(self.decimal) }

    private var decimal: JSONDecimal? { JSONDecimal(self.text) }
}
