// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation

extension Entry {
    private struct Search: Encodable {
        struct Filter: Encodable {
            var minimum: Double
            var maximum: Int
        }

        var query: String
        var page: Int
        var tags: [String]
        var filter: Filter
        var isActive: Bool
    }

    static func parameters() throws -> [Benchmark] {
        let search: ParameterValue = [
            "query": "a query with spaces & signs", "page": 12, "tags": ["blue", "prairie", "täglich"],
            "filter": ["minimum": 1.5, "maximum": 20], "isActive": true,
        ]
        let typed = Search(
            query: "a query with spaces & signs",
            page: 12,
            tags: ["blue", "prairie", "täglich"],
            filter: .init(minimum: 1.5, maximum: 20),
            isActive: true
        )
        var many: [String: ParameterValue] = [:]
        for number in 0..<1000 {
            many["key\(number)"] = .dictionary(["name": "Wildflower Täglich", "list": [1, 2, 3]])
        }
        let nested = ParameterValue.dictionary(many)
        let length = try QueryString.encode(nested).utf8.count
        // 600 kB of Chinese and English, about half the bytes each.
        let mixed = String(repeating: "在草原上 the bluebonnets bloom, 每年春天 in April. ", count: 9_400)
        let plain = String(repeating: "abcdefghij-0123456789_~", count: 26_000)
        let escaped = PercentEncoding.escape(mixed)
        return [
            Benchmark("query, 5 parameters in 8 pairs") { keep(try QueryString.encode(search)) },
            Benchmark("query, the same from Encodable") {
                keep(try QueryString.encode(ParameterValue(encoding: typed)))
            },
            Benchmark("query, 1,000 nested dictionaries", bytes: length) { keep(try QueryString.encode(nested)) },
            Benchmark("escape, Chinese and ASCII", bytes: mixed.utf8.count) { keep(PercentEncoding.escape(mixed)) },
            Benchmark("escape, nothing to escape", bytes: plain.utf8.count) { keep(PercentEncoding.escape(plain)) },
            Benchmark("escape, the same with Foundation", bytes: mixed.utf8.count) {
                keep(mixed.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed))
            },
            Benchmark("unescape, Chinese and ASCII", bytes: escaped.utf8.count) {
                keep(try PercentEncoding.unescape(escaped))
            },
        ]
    }
}
