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

    private static let search: ParameterValue = [
        "query": "a query with spaces & signs", "page": 12, "tags": ["blue", "prairie", "täglich"],
        "filter": ["minimum": 1.5, "maximum": 20], "isActive": true,
    ]

    private static let typedSearch = Search(
        query: "a query with spaces & signs",
        page: 12,
        tags: ["blue", "prairie", "täglich"],
        filter: .init(minimum: 1.5, maximum: 20),
        isActive: true
    )

    /// Returns the same search as flat pairs, as `URLComponents` requires them.
    private static func items() throws -> [URLQueryItem] {
        try QueryString.encode(Self.search).split(separator: "&").map { pair in
            let sides = pair.split(separator: "=").map { $0.removingPercentEncoding ?? "" }
            return URLQueryItem(name: sides[0], value: sides[1])
        }
    }

    static func parameters() throws -> [Benchmark] {
        var many: [String: ParameterValue] = [:]
        for number in 0..<1000 {
            many["key\(number)"] = .dictionary(["name": "Wildflower Täglich", "list": [1, 2, 3]])
        }
        let nested = ParameterValue.dictionary(many)
        return [
            Benchmark(
                "query of 5 parameters, nested, 8 pairs",
                .init("`QueryString` from `ParameterValue`") { { keep(try QueryString.encode(Self.search)) } },
                .init("`QueryString` from `Encodable`") {
                    { keep(try QueryString.encode(ParameterValue(encoding: Self.typedSearch))) }
                },
                .init("Foundation, `URLComponents` from 8 flat pairs") {
                    let items = try Self.items()
                    return {
                        var components = URLComponents()
                        components.queryItems = items
                        keep(components.percentEncodedQuery)
                    }
                },
                .init("Foundation, `JSONEncoder` from `Encodable`") {
                    { keep(try JSONEncoder().encode(Self.typedSearch)) }
                }
            ),
            Benchmark(
                "query of 1,000 nested dictionaries",
                bytes: try QueryString.encode(nested).utf8.count,
                .init("`QueryString` from `ParameterValue`") { { keep(try QueryString.encode(nested)) } }
            ),
        ] + Self.escaping()
    }

    private static func escaping() -> [Benchmark] {
        // 600 kB of Chinese and English, about half of the bytes each.
        let mixed = String(repeating: "在草原上 the bluebonnets bloom, 每年春天 in April. ", count: 9_400)
        let plain = String(repeating: "abcdefghij-0123456789_~", count: 26_000)
        let escaped = PercentEncoding.escape(mixed)
        return [
            Benchmark(
                "escape 600 kB of Chinese and English",
                bytes: mixed.utf8.count,
                .init("`PercentEncoding.escape`") { { keep(PercentEncoding.escape(mixed)) } },
                .init("Foundation, `addingPercentEncoding`") {
                    { keep(mixed.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed)) }
                }
            ),
            Benchmark(
                "escape 600 kB with nothing to escape",
                bytes: plain.utf8.count,
                .init("`PercentEncoding.escape`") { { keep(PercentEncoding.escape(plain)) } },
                .init("Foundation, `addingPercentEncoding`") {
                    { keep(plain.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed)) }
                }
            ),
            Benchmark(
                "unescape 1.2 MB of the first",
                bytes: escaped.utf8.count,
                .init("`PercentEncoding.unescape`") { { keep(try PercentEncoding.unescape(escaped)) } },
                .init("Foundation, `removingPercentEncoding`") { { keep(escaped.removingPercentEncoding) } }
            ),
        ]
    }
}
