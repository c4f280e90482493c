// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The types of coding keys that are data, such as those of a dictionary, and not the names of a type's properties.
enum DataKeys {
    /// The type of the keys with which the standard library encodes a dictionary; it is not public, so a dictionary
    /// tells it.
    private static let ofDictionary: ObjectIdentifier? = {
        let probe = KeyTypeProbe()
        try? [String: String]().encode(to: probe)
        return probe.keyType
    }()

    /// Whether the keys of a type are data: those of a dictionary, of ``Parameters`` and of a ``JSONValue``.
    static func contains(_ type: any CodingKey.Type) -> Bool {
        type == NameKey.self || ObjectIdentifier(type) == Self.ofDictionary
    }
}

/// An encoder that notes the type of the keys of a value.
private final class KeyTypeProbe: Encoder {
    private(set) var keyType: ObjectIdentifier?
    private let node = EncodingNode(options: ParameterEncoder())

    var codingPath: [any CodingKey] { self.node.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { self.node.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        self.keyType = ObjectIdentifier(type)
        return self.node.container(keyedBy: type)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { self.node.unkeyedContainer() }

    func singleValueContainer() -> any SingleValueEncodingContainer { self.node.singleValueContainer() }
}
