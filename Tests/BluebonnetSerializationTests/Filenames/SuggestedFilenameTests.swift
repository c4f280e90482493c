// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Testing

@testable import BluebonnetSerialization

@Suite struct SuggestedFilenameTests {
    /// A row of `Fixtures/filenames/content-disposition.json`.
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        var field: String
        /// The name; null where the one of the URL is taken.
        var name: String?

        var testDescription: String { self.field }
    }

    private static func rows() throws -> [Row] {
        let url = Bundle.module.url(
            forResource: "content-disposition",
            withExtension: "json",
            subdirectory: "Fixtures/filenames"
        )
        return try JSONDecoder().decode([Row].self, from: Data(contentsOf: #require(url)))
    }

    @Test(.bug(id: "F748"), arguments: try rows())
    func `takes a name from Content-Disposition, never a place`(_ row: Row) {
        let name = SuggestedFilename.name(disposition: row.field, urlPath: "/some/path.json")
        #expect(name == row.name ?? "path.json")
    }

    @Test(arguments: [
        ("/a/b.txt", "b.txt"), ("/a/b/", "b"), ("/", nil), ("", nil), ("/a%20b.txt", "a b.txt"),
        ("/%2e%2e%2fx", "x"), ("/%00", nil), ("/%zz", "%zz"), ("/...", nil), ("/a%2Fb", "b"), ("/a%5Cb", "b"),
    ])
    func `takes a name from the URL otherwise`(_ path: String, _ expected: String?) {
        #expect(SuggestedFilename.name(disposition: nil, urlPath: path) == expected)
    }

    @Test func `cuts names that no file system takes, in no time`() {
        let name = SuggestedFilename.name(disposition: nil, urlPath: "/" + String(repeating: "%C3%A9", count: 100_000))
        #expect(name?.utf8.count == 200)
        #expect(name?.allSatisfy { $0 == "é" } == true)
    }

    @Test func `a response proposes a name, and two fields propose none`() throws {
        let url = try #require(URL(string: "https://user@example.com/a/b%20c.iso?x=/y"))
        let field = try #require(HTTPField.Name("Content-Disposition"))
        var response = Response(status: .ok, headers: [:], body: Data(), request: Request(url: url))
        #expect(response.suggestedFilename == "b c.iso")
        response.headers[field] = "attachment; filename=x.iso"
        #expect(response.suggestedFilename == "x.iso")
        response.headers.append(HTTPField(name: field, value: "attachment; filename=y.iso"))
        #expect(response.suggestedFilename == "b c.iso")
    }
}
