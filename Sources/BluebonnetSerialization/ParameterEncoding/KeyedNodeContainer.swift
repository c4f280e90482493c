// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The container of a keyed type.
struct KeyedNodeContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodingNode

    var codingPath: [any CodingKey] { self.node.codingPath }

    func encodeNil(forKey key: Key) { self.node.insert(.null, forKey: key) }
    func encode(_ value: Bool, forKey key: Key) { self.node.insert(.bool(value), forKey: key) }
    func encode(_ value: String, forKey key: Key) { self.node.insert(.string(value), forKey: key) }
    func encode(_ value: Double, forKey key: Key) { self.node.insert(self.node.options.convert(value), forKey: key) }
    func encode(_ value: Float, forKey key: Key) {
        self.node.insert(self.node.options.convert(value), forKey: key)
    }
    func encode(_ value: Int, forKey key: Key) { self.node.insert(.int(Int64(value)), forKey: key) }
    func encode(_ value: Int64, forKey key: Key) { self.node.insert(.int(value), forKey: key) }
    func encode(_ value: Int8, forKey key: Key) { self.node.insert(.int(Int64(value)), forKey: key) }
    func encode(_ value: Int16, forKey key: Key) { self.node.insert(.int(Int64(value)), forKey: key) }
    func encode(_ value: Int32, forKey key: Key) { self.node.insert(.int(Int64(value)), forKey: key) }
    func encode(_ value: UInt, forKey key: Key) { self.node.insert(ParameterValue(value), forKey: key) }
    func encode(_ value: UInt8, forKey key: Key) { self.node.insert(.int(Int64(value)), forKey: key) }
    func encode(_ value: UInt16, forKey key: Key) { self.node.insert(.int(Int64(value)), forKey: key) }
    func encode(_ value: UInt32, forKey key: Key) { self.node.insert(.int(Int64(value)), forKey: key) }
    func encode(_ value: UInt64, forKey key: Key) { self.node.insert(ParameterValue(value), forKey: key) }
    func encode(_ value: Int128, forKey key: Key) { self.node.insert(ParameterValue(value), forKey: key) }
    func encode(_ value: UInt128, forKey key: Key) { self.node.insert(ParameterValue(value), forKey: key) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        self.node.insert(try self.node.box(value, at: key), forKey: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        self.node.nested(forKey: key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        self.node.nested(forKey: key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { self.node.nested(forKey: SuperKey()) }

    func superEncoder(forKey key: Key) -> any Encoder { self.node.nested(forKey: key) }
}
