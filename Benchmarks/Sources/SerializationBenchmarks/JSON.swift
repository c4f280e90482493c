// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation

extension Entry {
    static func json() -> [Benchmark] {
        let data = JSONDocument.make(byteCount: 4_000_000)
        return [
            Benchmark(
                "read 4 MB of JSON with CJK text",
                bytes: data.count,
                .init("`JSONValue(parsing:)`") { { keep(try JSONValue(parsing: data)) } },
                .init("Foundation, `JSONSerialization`") { { keep(try JSONSerialization.jsonObject(with: data)) } },
                .init("Foundation, `JSONDecoder` to structs") {
                    { keep(try JSONDecoder().decode([JSONDocument.Record].self, from: data)) }
                }
            ),
            Benchmark(
                "write the same",
                bytes: data.count,
                .init("`JSONValue.serialized()`") {
                    let value = try JSONValue(parsing: data)
                    return { keep(value.serialized()) }
                },
                .init("the same with sorted keys") {
                    let value = try JSONValue(parsing: data)
                    return { keep(value.serialized(sortsKeys: true)) }
                },
                .init("Foundation, `JSONSerialization`") {
                    let object = try JSONSerialization.jsonObject(with: data)
                    return { keep(try JSONSerialization.data(withJSONObject: object)) }
                },
                .init("Foundation, `JSONEncoder` from structs") {
                    let records = try JSONDecoder().decode([JSONDocument.Record].self, from: data)
                    return { keep(try JSONEncoder().encode(records)) }
                }
            ),
        ]
    }
}
