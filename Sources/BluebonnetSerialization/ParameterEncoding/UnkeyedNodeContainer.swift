// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The container of an array.
struct UnkeyedNodeContainer: UnkeyedEncodingContainer {
    let node: EncodingNode

    var codingPath: [any CodingKey] { self.node.codingPath }

    var count: Int { self.node.count }

    func encodeNil() { self.node.append(.null) }
    func encode(_ value: Bool) { self.node.append(.bool(value)) }
    func encode(_ value: String) { self.node.append(.string(value)) }
    func encode(_ value: Double) { self.node.append(self.node.options.convert(value)) }
    func encode(_ value: Float) { self.node.append(self.node.options.convert(value)) }
    func encode(_ value: Int) { self.node.append(.int(Int64(value))) }
    func encode(_ value: Int64) { self.node.append(.int(value)) }
    func encode(_ value: Int8) { self.node.append(.int(Int64(value))) }
    func encode(_ value: Int16) { self.node.append(.int(Int64(value))) }
    func encode(_ value: Int32) { self.node.append(.int(Int64(value))) }
    func encode(_ value: UInt) { self.node.append(ParameterValue(value)) }
    func encode(_ value: UInt8) { self.node.append(.int(Int64(value))) }
    func encode(_ value: UInt16) { self.node.append(.int(Int64(value))) }
    func encode(_ value: UInt32) { self.node.append(.int(Int64(value))) }
    func encode(_ value: UInt64) { self.node.append(ParameterValue(value)) }
    func encode(_ value: Int128) { self.node.append(ParameterValue(value)) }
    func encode(_ value: UInt128) { self.node.append(ParameterValue(value)) }

    func encode(_ value: some Encodable) throws {
        self.node.append(try self.node.box(value, at: PositionKey(self.count)))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        self.node.nestedInArray().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self.node.nestedInArray().unkeyedContainer() }

    func superEncoder() -> any Encoder { self.node.nestedInArray() }
}
