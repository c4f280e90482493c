// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation

extension Entry {
    static func parameters() throws -> [Benchmark] {
        let flat: ParameterValue = ["q": "a query with spaces & signs", "page": 12, "size": 50, "sort": "name"]
        var many: [String: ParameterValue] = [:]
        for number in 0..<1000 {
            many["key\(number)"] = .dictionary(["name": "Wildflower Täglich", "list": [1, 2, 3]])
        }
        let nested = ParameterValue.dictionary(many)
        let length = try QueryString.encode(nested).utf8.count
        return [
            Benchmark("query, 4 pairs") { keep(try QueryString.encode(flat)) },
            Benchmark("query, 1,000 nested dictionaries", bytes: length) { keep(try QueryString.encode(nested)) },
        ]
    }
}
