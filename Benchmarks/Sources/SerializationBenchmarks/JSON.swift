// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation

extension Entry {
    static func json() throws -> [Benchmark] {
        let data = JSONDocument.make(byteCount: 4_000_000)
        let value = try JSONValue(parsing: data)
        let object = try JSONSerialization.jsonObject(with: data)
        return [
            Benchmark("JSON, 4 MB with CJK text to JSONValue", bytes: data.count) {
                keep(try JSONValue(parsing: data))
            },
            Benchmark("JSON, the same with JSONSerialization", bytes: data.count) {
                keep(try JSONSerialization.jsonObject(with: data))
            },
            Benchmark("JSON, JSONValue to bytes", bytes: data.count) { keep(value.serialized()) },
            Benchmark("JSON, JSONValue to bytes, sorted", bytes: data.count) {
                keep(value.serialized(sortedKeys: true))
            },
            Benchmark("JSON, the same with JSONSerialization", bytes: data.count) {
                keep(try JSONSerialization.data(withJSONObject: object))
            },
        ]
    }
}
