// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Named values of any `Encodable` types, written as a literal: what the `parameters:` and `query:` of a call take.
///
/// Variables, optionals, arrays, dictionaries, dates, data, your own types and ``ParameterValue`` may stand beside each other:
///
/// ```swift
/// let page = 2
/// let name: String? = nil
/// let ids = [3, 5, 8]
/// let parameters: Parameters = ["page": page, "name": name, "ids": ids, "since": Date(), "filter": ["size": 3]]
/// ```
///
/// A value that is nil leaves its key out; to send a null, write `ParameterValue.null`. Inside a literal, a dictionary or an array whose
/// values have several types needs a type, because Swift finds none by itself: `as Parameters` for a dictionary,
/// `as ParameterValue` for a tree of literals.
///
/// ```swift
/// let size = 3
/// let parameters: Parameters = [
///     "filter": ["size": size, "name": "Ada"] as Parameters,
///     "range": [1, nil, "end"] as ParameterValue,
/// ]
/// ```
///
/// The order of the keys has no meaning. A key that a literal holds twice is refused with ``SerializationError/Code/invalidParameters`` when the
/// parameters are encoded. Keys are sent as they are written, whatever ``ParameterEncoder/keys`` says; it applies to the keys of the values.
public struct Parameters: Sendable {
    /// A key and its value; nil leaves the key out.
    typealias Entry = (key: String, value: (any Encodable & Sendable)?)

    var entries: [Entry] = []

    /// Creates parameters without any key.
    public init() {}

    /// The value of a key; nil if there is none, and setting nil removes the key.
    ///
    /// - Complexity: O(*n*) in the number of keys.
    public subscript(key: String) -> (any Encodable & Sendable)? {
        get { self.entries.first { $0.key == key }?.value }
        set {
            self.entries.removeAll { $0.key == key }
            if let newValue { self.entries.append((key, newValue)) }
        }
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters from the keys and values of a literal.
    public init(dictionaryLiteral elements: (String, (any Encodable & Sendable)?)...) {
        self.entries = elements.map { (key: $0, value: $1) }
    }
}

extension Parameters: Encodable {
    /// Writes the keys and values with an encoder of any format.
    ///
    /// - Throws: ``SerializationError/Code/invalidParameters`` for a key that is there twice; what the values and the encoder throw.
    public func encode(to encoder: any Encoder) throws {
        try self.checkKeys()
        var container = encoder.container(keyedBy: NameKey.self)
        for (key, value) in self.entries {
            guard let value, !Self.isNil(value) else { continue }
            try container.encode(value, forKey: NameKey(key))
        }
    }

    /// Refuses a key that is there twice: which of its values was meant cannot be known.
    func checkKeys() throws(SerializationError) {
        var seen = Set<String>()
        for (key, _) in self.entries where !seen.insert(key).inserted {
            throw SerializationError(
                .invalidParameters,
                reason: "The key is given twice in one literal of parameters.",
                codingPath: [key]
            )
        }
    }

    /// Whether a value is an optional without a value, which an optional of an optional hides.
    package static func isNil(_ value: any Encodable) -> Bool {
        (value as? any OptionalValue)?.isNil ?? false
    }
}

/// Every `Optional`.
private protocol OptionalValue {
    var isNil: Bool { get }
}

extension Optional: OptionalValue {
    var isNil: Bool {
        guard let value = self else { return true }
        return (value as? any OptionalValue)?.isNil ?? false
    }
}

/// The name of a value, as a key.
struct NameKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) {
        self.stringValue = name
    }

    init?(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
}
