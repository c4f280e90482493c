// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The document for benchmarks of reading and writing JSON.
enum JSONDocument {
    /// A record of the document, for coders that need a type.
    struct Record: Codable {
        struct Address: Codable {
            var city: String
            var street: String
            var zip: String
        }

        var id: Int
        var name: String
        var email: String
        var active: Bool
        var score: Double
        var tags: [String]
        var address: Address
        var note: String
        var parent: String?
    }

    /// Returns records like those of an address book or a shop; a third of the bytes is text beyond ASCII.
    static func make(byteCount: Int) -> Data {
        var document = Data("[".utf8)
        var number: UInt64 = 1
        while document.count < byteCount {
            // A generator with a fixed seed, so that every run measures the same document.
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
}
