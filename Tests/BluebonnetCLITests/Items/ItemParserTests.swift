// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BluebonnetCLI

@Suite struct ItemParserTests {
    struct Case: Decodable, CustomTestStringConvertible, Sendable {
        var text: String
        var kind: String
        var name: String
        var value: String
        var mediaType: String?

        var testDescription: String { self.text }

        static let all: [Case] = (try? JSONDecoder().decode([Case].self, from: FixtureFile.data("items.json"))) ?? []
    }

    @Test func `the table of cases is there`() {
        #expect(Case.all.count > 40)
    }

    @Test(arguments: Case.all)
    func `takes an item apart`(_ item: Case) throws {
        let parsed = try ItemParser.parse(item.text)
        #expect(parsed.kind.rawValue == item.kind)
        #expect(parsed.name == item.name)
        #expect(parsed.value == item.value)
        #expect(parsed.mediaType == item.mediaType)
        #expect(parsed.text == item.text)
    }

    @Test(arguments: [
        ("name", "is not a request item"), ("", "is not a request item"), ("a\\=b", "is not a request item"),
        ("=value", "has no name"), (":value", "has no name"), ("==x", "has no name"), (":=1", "has no name"),
        ("Header;value", "text after the semicolon"), ("file@", "names no file"), ("a=@", "names no file"),
        ("@", "names no file"), ("file@;type=text/csv", "names no file"),
    ])
    func `explains what is wrong with an item`(_ text: String, _ explanation: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try ItemParser.parse(text) }
        #expect(failure.status == .usage)
        #expect(failure.message.contains(explanation), "\(failure.message)")
    }
}
