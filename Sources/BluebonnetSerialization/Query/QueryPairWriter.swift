// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Encodes pairs as `key=value`, joined by `&`.
struct QueryPairWriter: FlatParameterSink, ~Copyable {
    private let format: QueryFormat
    private let table: PercentEncoding.Table
    private let isPlainTable: Bool
    private var output = ByteBuilder()

    init(format: QueryFormat, table: PercentEncoding.Table) {
        self.format = format
        self.table = table
        self.isPlainTable = table === PercentEncoding.Table.query || table === PercentEncoding.Table.queryWithPlus
    }

    func text() -> String { self.output.makeString() }

    mutating func append(
        key: UnsafeBufferPointer<UInt8>,
        value: ParameterValue
    ) throws(SerializationError) {
        if value.isNull, self.format.nulls == .dropKey { return }
        if self.output.count > 0 { self.output.append(UInt8(ascii: "&")) }
        self.output.append(key)
        if value.isNull, self.format.nulls == .key { return }
        self.output.append(UInt8(ascii: "="))
        switch value {
        case .string(let text): self.output.appendEscaped(text, self.table)
        case .int(let number) where self.isPlainTable:
            self.output.appendDecimal(number.magnitude, isNegative: number < 0)
        case .null where self.format.nulls == .null: self.output.appendEscaped("null", self.table)
        default: self.output.appendEscaped(try value.text(bools: self.format.bools), self.table)
        }
    }
}
