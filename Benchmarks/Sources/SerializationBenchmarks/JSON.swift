// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation

extension Entry {
    struct Record: Codable {
        var id: Int
        var name: String
        var tags: [String]
        var score: Double
        var isActive: Bool
    }

    static func json() throws -> [Benchmark] {
        let records = (0..<10_000).map {
            Record(id: $0, name: "Wildflower number \($0)", tags: ["blue", "prairie"], score: 0.5, isActive: true)
        }
        let data = try JSONEncoder().encode(records)
        let value = try JSONValue(parsing: data)
        return [
            Benchmark("JSON, 10,000 records to JSONValue", bytes: data.count) { keep(try JSONValue(parsing: data)) },
            Benchmark("JSON, the same with JSONSerialization", bytes: data.count) {
                keep(try JSONSerialization.jsonObject(with: data))
            },
            Benchmark("JSON, JSONValue to bytes", bytes: data.count) { keep(value.serialized()) },
        ]
    }
}
