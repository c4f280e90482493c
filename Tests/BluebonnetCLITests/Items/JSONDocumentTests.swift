// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import TestSupport
import Testing

@testable import BluebonnetCLI

@Suite struct JSONDocumentTests {
    /// Items as on a command line, and the document they make.
    struct Case: CustomTestStringConvertible, Sendable {
        var items: [String]
        var document: String

        var testDescription: String { self.items.joined(separator: " ") }
    }

    @Test(arguments: [
        Case(items: ["b=1", "a=2"], document: #"{"b":"1","a":"2"}"#),
        Case(items: ["a=1", "b=2", "a=3"], document: #"{"a":"3","b":"2"}"#),
        Case(items: ["n:=12345678901234567890123", "f:=1e400"], document: #"{"n":12345678901234567890123,"f":1e400}"#),
        Case(items: ["a[b]=c"], document: #"{"a":{"b":"c"}}"#),
        Case(items: ["a[]=1", "a[]=2"], document: #"{"a":["1","2"]}"#),
        Case(items: ["a[1]=x"], document: #"{"a":[null,"x"]}"#),
        Case(items: ["a[1]=x", "a[0]=w"], document: #"{"a":["w","x"]}"#),
        Case(items: ["a[][n]=1", "a[][n]=2"], document: #"{"a":[{"n":"1"},{"n":"2"}]}"#),
        Case(items: ["a[0][n]=1", "a[0][m]=2"], document: #"{"a":[{"n":"1","m":"2"}]}"#),
        Case(items: ["[]=1", "[]:=2"], document: #"["1",2]"#),
        Case(items: ["a:={\"x\":1}", "a[y]=2"], document: #"{"a":{"x":1,"y":"2"}}"#),
        Case(items: ["a\\[b\\]=c"], document: #"{"a[b]":"c"}"#),
        Case(items: ["a[\\0]=c"], document: #"{"a":{"0":"c"}}"#),
        Case(items: ["t=\"\\\n"], document: #"{"t":"\"\\\n"}"#),
        Case(items: [], document: "{}"),
    ])
    func `puts a document together`(_ test: Case) throws {
        #expect(try self.document(test.items).description == test.document)
    }

    @Test(arguments: [
        (["a=1", "a[b]=2"], "“a” to be an object, and an item before it made it a string"),
        (["a[]=1", "a[b]=2"], "“a” to be an object, and an item before it made it an array"),
        (["a[b]=1", "a[]=2"], "“a” to be an array, and an item before it made it an object"),
        (["a=1", "[]=2"], "the document to be an array"), (["[]=1", "a=2"], "the document to be an object"),
        (["a:=5", "a[b][c]=2"], "made it a number"),
    ])
    func `explains items that contradict each other`(_ items: [String], _ explanation: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try self.document(items) }
        #expect(failure.message.contains(explanation), "\(failure.message)")
    }

    @Test func `names line and column of a mistake`() throws {
        let failure = try #require(throws: CommandFailure.self) {
            try JSONDocument.parse(Array("{\n  \"a\": [1,\n   oops]\n}".utf8), from: "“x.json”")
        }
        #expect(failure.message.contains("“x.json” is not valid JSON at line 3, column 4"), "\(failure.message)")
    }

    @Test(
        arguments: [
            (#"{"a":1,"a":2}"#, "a"), (#"[{"a":{"b":1,"c":"\"b\"","b":[]}}]"#, "b"), (#"{"é":1,"\u00e9":2}"#, "é"),
            (#"{"a":{"b":1},"c":{"b":"a"},"d":["a","a"]}"#, nil), (#"["a",{"a":1},"a",{"a":1}]"#, nil), (#""{""#, nil),
        ] as [(String, String?)]
    )
    func `finds a key that stands twice in one object`(_ text: String, _ key: String?) throws {
        #expect(JSONKeyScan.repeatedKey(in: Array(text.utf8)) == key)
        #expect((try? JSONDocument.parse(Array(text.utf8), from: "x")) == nil || key == nil)
    }

    @Test func `a file with a key that stands twice is refused`() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("dup.json", #"{"k":1,"k":2}"#)
        let result = try await Program(directory: folder.path).run("--offline", "localhost", "a:=@dup.json")
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("has the key “k” twice"), "\(result.errors)")
    }

    @Test(
        .bug(id: "F661"),
        arguments: [
            "0.1", "-1.50", "1e20", "1.7976931348623157e308", "123456789012345678901234567890", "0.1234567890123456789",
        ]
    )
    func `a number of --parameters keeps its digits`(_ number: String) async throws {
        let console = TestConsole()
        let status = await console.run("--offline", "--parameters", #"{"x":\#(number)}"#, "localhost")
        #expect(status == .success, "\(console.errors.text)")
        let body = try #require(console.output.text.split(separator: "\r\n\r\n").last)
        let expected = try #require(JSONNumber(exactly: number))
        #expect(try JSONValue(parsing: String(body))["x"]?.number == expected)
    }

    @Test(.bug(id: "F230"))
    func `an object with two names that are one key is a mistake, and --raw is recommended`() async throws {
        let console = TestConsole()
        let document = #"{"a":[{"\u00e9":1,"e\u0301":2}]}"#
        #expect(await console.run("--offline", "--parameters", document, "localhost") == .usage)
        #expect(console.errors.text.contains("send the document with --raw"), "\(console.errors.text)")
    }

    @Test(.bug(id: "F261"), arguments: ["k", "[]", "a[]", "a[k]", "a[0][k]", "a[b][]"])
    func `the time of putting a document together grows linearly`(_ name: String) throws {
        let seconds = try Scaling.seconds { factor in
            let values: [(path: KeyPath, value: JSONValue)] = try (0..<(1000 * factor)).map { number in
                (path: try KeyPath(name.replacing("k", with: "k\(number)")), value: .bool(true))
            }
            return { _ = try JSONDocument.make(of: values) }
        }
        #expect((seconds.last ?? 0) / (seconds.first ?? 1) < Scaling.largestGrowth, "\(seconds)")
    }

    private func document(_ items: [String]) throws -> JSONValue {
        var values: [(path: KeyPath, value: JSONValue)] = []
        for text in items {
            let item = try ItemParser.parse(text)
            let value = item.kind == .json ? try JSONValue(parsing: item.value) : .string(item.value)
            values.append((try KeyPath(item.name), value))
        }
        return try JSONDocument.make(of: values)
    }
}
