// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation

/// How fast a 4 MB document of records with Chinese, Japanese and Korean text is read and written, beside Foundation.
enum JSONBenchmarks {
    static func run() throws {
        let document = Self.makeDocument(byteCount: 4_000_000)
        let value = try JSONValue(parsing: document)
        print("JSON document of \(document.count) bytes, best and median of the runs")
        try Self.measure("  parse, JSONValue", bytes: document.count) { _ = try JSONValue(parsing: document) }
        try Self.measure("  write, JSONValue", bytes: document.count) { _ = value.serialized() }
        try Self.measure("  write sorted, JSONValue", bytes: document.count) { _ = value.serialized(sortedKeys: true) }
        let object = try JSONSerialization.jsonObject(with: document)
        try Self.measure("  parse, JSONSerialization", bytes: document.count, runs: 3) {
            _ = try JSONSerialization.jsonObject(with: document)
        }
        try Self.measure("  write, JSONSerialization", bytes: document.count, runs: 3) {
            _ = try JSONSerialization.data(withJSONObject: object)
        }
    }

    /// Records as an address book or a shop would send them: a third of the bytes is text beyond ASCII.
    static func makeDocument(byteCount: Int) -> Data {
        var document = Data("[".utf8)
        var number: UInt64 = 1
        while document.count < byteCount {
            // A generator with a fixed start, so that every run measures the same document.
            number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let low = Int(number >> 40)
            if document.count > 1 { document.append(UInt8(ascii: ",")) }
            document.append(
                contentsOf: """
                    {"id":\(low),"name":"田中太郎\(low % 97)","email":"user\(low % 1009)@example.com",\
                    "active":\(low % 2 == 0),"score":\(Double(low % 100_000) / 100),\
                    "tags":["設定","네트워크","alpha-\(low % 13)"],\
                    "address":{"city":"東京都千代田区","street":"丸の内\(low % 9)丁目","zip":"100-000\(low % 10)"},\
                    "note":"これは長めの説明文です。改行\\nと引用\\"を含みます。Plain text follows the other text.","parent":null}
                    """.utf8
            )
        }
        document.append(UInt8(ascii: "]"))
        return document
    }

    private static func measure(_ name: String, bytes: Int, runs: Int = 15, _ work: () throws -> Void) throws {
        try work()
        var rates: [Double] = []
        for _ in 0..<runs {
            let start = ContinuousClock.now
            try work()
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            rates.append(Double(bytes) / seconds / 1_000_000)
        }
        rates.sort()
        let best = rates.last.map { Int($0) } ?? 0
        print("\(name): \(best) MB/s, median \(Int(rates[rates.count / 2])) MB/s")
    }
}
