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

    /// What joins the character before it, so that a separator is no longer a Character of its own.
    static let joiners = ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{301}\u{200D}", "\u{1F3FD}"]

    @Test(.bug(id: "F2"), arguments: RequestItem.Kind.allCases, Self.joiners)
    func `a separator is one whatever joins it`(_ kind: RequestItem.Kind, _ joiner: String) throws {
        // In the name, between the separator's scalars there can be none; behind it, it belongs to the value.
        if kind == .emptyHeader { return }
        let text = "name" + kind.rawValue + joiner + "value=@x"
        let parsed = try ItemParser.parse(text)
        #expect(parsed.kind == kind)
        #expect(parsed.name == "name")
        #expect(Array(parsed.value.utf8) == Array((joiner + "value=@x").utf8))
    }

    @Test(.bug(id: "F2"), arguments: Self.joiners)
    func `the first separator wins whatever joins it`(_ joiner: String) throws {
        let field = try ItemParser.parse("a=\(joiner)=@/etc/passwd")
        #expect(field.kind == .field)
        let query = try ItemParser.parse("a==\(joiner)")
        #expect(query.kind == .query)
        let header = try ItemParser.parse("a:\(joiner)=1")
        #expect(header.kind == .header)
    }

    @Test(.bug(id: "F2")) func `a character that is equal to a separator as a Character is none`() throws {
        let item = try ItemParser.parse("a\u{37E}b=1")
        #expect(item.kind == .field)
        #expect(Array(item.name.utf8) == Array("a\u{37E}b".utf8))
    }

    @Test(arguments: [("=x", "="), ("==x", "=="), (":=1", ":=")])
    func `a field may have no name`(_ text: String, _ kind: String) throws {
        let item = try ItemParser.parse(text)
        #expect(item.name == "")
        #expect(item.kind.rawValue == kind)
    }

    @Test(arguments: [
        ("name", "is not a request item"), ("", "is not a request item"), ("a\\=b", "is not a request item"),
        (":value", "has no name"), (";", "has no name"), (":@x", "has no name"),
        ("Header;value", "text after the semicolon"), ("file@", "names no file"), ("a=@", "names no file"),
        ("@", "names no file"), ("file@;type=text/csv", "names no file"), ("f@a;type=", "names no media type"),
        ("@a;type=", "names no media type"),
    ])
    func `explains what is wrong with an item`(_ text: String, _ explanation: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try ItemParser.parse(text) }
        #expect(failure.status == .usage)
        #expect(failure.message.contains(explanation), "\(failure.message)")
    }
}
