// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import Testing

/// RFC 8259 as three lists of documents: those that must be accepted, those that must be refused, and those where the
/// RFC leaves the choice to the implementation, with the choice that was made.
@Suite struct JSONConformanceTests {
    struct Document: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        var text: String?
        /// Bytes that no text can hold.
        var hex: String?
        /// What writing the value gives; nil where the document is refused.
        var written: String?

        var testDescription: String { self.name }

        var data: Data {
            guard let hex = self.hex else { return Data((self.text ?? "").utf8) }
            let digits = Array(hex.utf8)
            return Data(
                stride(from: 0, to: digits.count, by: 2).compactMap {
                    UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)
                }
            )
        }
    }

    static func load(_ name: String) throws -> [Document] {
        let url = try #require(
            Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Fixtures/json")
        )
        return try JSONDecoder().decode([Document].self, from: Data(contentsOf: url))
    }

    @Test(arguments: try Self.load("accept")) func `accepts`(_ document: Document) throws {
        let value = try JSONValue(parsing: document.data)
        #expect(try JSONValue(parsing: value.serialized()) == value)
        #expect(try JSONValue(parsing: value.serialized(isPretty: true)) == value)
        #expect(try JSONValue(parsing: value.serialized(sortsKeys: true)) == value)
        // What is written is JSON for others, too.
        _ = try JSONSerialization.jsonObject(with: value.serialized(), options: .fragmentsAllowed)
    }

    @Test(arguments: try Self.load("reject")) func `refuses`(_ document: Document) {
        let error = #expect(throws: SerializationError.self) { try JSONValue(parsing: document.data) }
        #expect(error?.code == .malformedBody)
    }

    @Test(arguments: try Self.load("implementation-defined")) func `chooses`(_ document: Document) throws {
        guard let written = document.written else {
            let error = #expect(throws: SerializationError.self) { try JSONValue(parsing: document.data) }
            #expect(error?.code == .limitExceeded)
            return
        }
        #expect(try JSONValue(parsing: document.data).description == written)
    }
}
