// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A literal of named values of any types that are `Encodable` and `Sendable`, for the `parameters:` and `query:` arguments of a call.
///
/// Variables, optionals, arrays, dictionaries, dates, data, your own types and ``ParameterValue`` can be mixed:
///
/// ```swift
/// let page = 2
/// let name: String? = nil
/// let ids = [3, 5, 8]
/// let parameters: Parameters = ["page": page, "name": name, "ids": ids, "since": Date(), "filter": ["size": 3]]
/// ```
///
/// A nil value omits its key; to send a null, write `ParameterValue.null`. Inside a literal, a dictionary or an array
/// with values of several types needs an explicit type, because Swift cannot infer one: `as Parameters` for a
/// dictionary, `as ParameterValue` for a tree of literals.
///
/// ```swift
/// let size = 3
/// let parameters: Parameters = [
///     "filter": ["size": size, "name": "Ada"] as Parameters,
///     "range": [1, nil, "end"] as ParameterValue,
/// ]
/// ```
///
/// The order of the keys has no meaning. A key that occurs twice in a literal is refused with
/// ``SerializationError/Code/invalidParameters`` when the parameters are encoded. Keys are sent as written, regardless
/// of ``ParameterEncoder/keys``, which applies to the keys of the values.
public struct Parameters: Sendable {
    /// A key and its value; nil omits the key.
    typealias Entry = (key: String, value: (any Encodable & Sendable)?)

    var entries: [Entry] = []

    /// Creates parameters without any key.
    public init() {}

    /// Creates parameters from a dictionary.
    ///
    /// - Parameter values: The values by their keys; a nil value omits its key.
    public init(_ values: [String: any Encodable & Sendable]) {
        self.entries = values.map { (key: $0.key, value: $0.value) }
    }

    /// The value of a key, nil if there is none; setting nil removes the key.
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
    /// Encodes the keys and values in any format.
    ///
    /// - Throws: ``SerializationError/Code/invalidParameters`` for a key that occurs twice; the errors of the values
    ///   and the encoder.
    public func encode(to encoder: any Encoder) throws {
        try self.checkKeys()
        var container = encoder.container(keyedBy: NameKey.self)
        for (key, value) in self.entries {
            guard let value, !Self.isNil(value) else { continue }
            try container.encode(value, forKey: NameKey(key))
        }
    }

    /// Refuses a key that occurs twice, because the intended value is unknown.
    func checkKeys() throws(SerializationError) {
        var seen = Set<String>()
        for (key, _) in self.entries where !seen.insert(key).inserted {
            throw SerializationError(
                .invalidParameters,
                reason: "the key is given twice in one literal of parameters",
                codingPath: [key]
            )
        }
    }

    /// Whether a value is nil, including a nil nested in other optionals.
    package static func isNil(_ value: any Encodable) -> Bool {
        (value as? any OptionalValue)?.isNil ?? false
    }
}

/// Implemented by every `Optional`.
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
