// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The container of a single value.
struct SingleValueNodeContainer: SingleValueEncodingContainer {
    let node: EncodingNode

    var codingPath: [any CodingKey] { self.node.codingPath }

    func encodeNil() { self.node.set(.null) }
    func encode(_ value: Bool) { self.node.set(.bool(value)) }
    func encode(_ value: String) { self.node.set(.string(value)) }
    func encode(_ value: Double) { self.node.set(self.node.options.convert(value)) }
    func encode(_ value: Float) { self.node.set(self.node.options.convert(value)) }
    func encode(_ value: Int) { self.node.set(.int(Int64(value))) }
    func encode(_ value: Int64) { self.node.set(.int(value)) }
    func encode(_ value: Int8) { self.node.set(.int(Int64(value))) }
    func encode(_ value: Int16) { self.node.set(.int(Int64(value))) }
    func encode(_ value: Int32) { self.node.set(.int(Int64(value))) }
    func encode(_ value: UInt) { self.node.set(ParameterValue(value)) }
    func encode(_ value: UInt8) { self.node.set(.int(Int64(value))) }
    func encode(_ value: UInt16) { self.node.set(.int(Int64(value))) }
    func encode(_ value: UInt32) { self.node.set(.int(Int64(value))) }
    func encode(_ value: UInt64) { self.node.set(ParameterValue(value)) }
    func encode(_ value: Int128) { self.node.set(ParameterValue(value)) }
    func encode(_ value: UInt128) { self.node.set(ParameterValue(value)) }

    func encode(_ value: some Encodable) throws {
        self.node.set(try self.node.boxInPlace(value))
    }
}
