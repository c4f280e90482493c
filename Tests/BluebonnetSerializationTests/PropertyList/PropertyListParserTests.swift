// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import Testing

@Suite struct PropertyListParserTests {
    static let tree: PropertyListValue = .dictionary([
        "array": .array([.integer(1), .integer(-5_000_000_000), .real(2.5), .bool(true), .bool(false), .array([])]),
        "text": .string("a < b & c > \"d\" 'e' \n 日本 😀"),
        "": .string(""),
        "data": .data(Data(0...255)),
        "date": .date(Date(timeIntervalSince1970: 951_782_400)),
        "long": .string(String(repeating: "x", count: 300)),
        "dictionary": .dictionary(["unsigned": .unsigned(.max), "empty": .dictionary([:])]),
    ])

    static func object(_ value: PropertyListValue) -> Any {
        switch value {
        case .bool(let value): value
        case .integer(let value): value
        case .unsigned(let value): value
        case .real(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .uid(let value): value
        case .array(let elements): elements.map(Self.object)
        case .dictionary(let entries): entries.mapValues(Self.object)
        }
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func `reads what Foundation writes`(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let data = try PropertyListSerialization.data(
            fromPropertyList: Self.object(Self.tree),
            format: format,
            options: 0
        )
        #expect(try PropertyListValue(parsing: data) == Self.tree)
    }

    @Test func `reads a list of many values as Foundation writes it`() throws {
        let numbers = Array(0..<70_000)
        let data = try PropertyListSerialization.data(
            fromPropertyList: ["numbers": numbers],
            format: .binary,
            options: 0
        )
        let value = try PropertyListValue(parsing: data)
        #expect(value["numbers"]?.array?.count == 70_000)
        #expect(value["numbers"]?[69_999]?.int == 69_999)
    }

    struct Text: CustomTestStringConvertible, Sendable {
        var testDescription: String { self.xml }
        var xml: String
        var value: PropertyListValue?
    }

    static let texts: [Text] = [
        Text(xml: "<integer> 0x1F </integer>", value: .integer(31)),
        Text(xml: "<integer>-9223372036854775808</integer>", value: .integer(.min)),
        Text(xml: "<integer>-9223372036854775809</integer>", value: nil),
        Text(xml: "<integer>18446744073709551616</integer>", value: nil),
        Text(xml: "<integer>--1</integer>", value: nil),
        Text(xml: "<integer/>", value: nil),
        Text(xml: "<real>1e3</real>", value: .real(1000)),
        Text(xml: "<real>x</real>", value: nil),
        Text(xml: "<string>&lt;&#65;&#x1F600;&amp;<![CDATA[<b>&]]>\r\nx\r</string>", value: .string("<A😀&<b>&\nx\n")),
        Text(xml: "<string>&nbsp;</string>", value: nil),
        Text(xml: "<string>&#0;</string>", value: nil),
        Text(xml: "<string>&#xD800;</string>", value: nil),
        Text(xml: "<string>&unterminated</string>", value: nil),
        Text(xml: "<string>\u{1}</string>", value: nil),
        Text(xml: "<string>a<b/></string>", value: nil),
        Text(xml: "<string>a<!-- b -->c</string>", value: .string("ac")),
        Text(xml: "<data> AQ\n ID </data>", value: .data(Data([1, 2, 3]))),
        Text(xml: "<data>A</data>", value: nil),
        Text(xml: "<data>A*==</data>", value: nil),
        Text(xml: "<date>2000-02-29T00:00:00Z</date>", value: .date(Date(timeIntervalSince1970: 951_782_400))),
        Text(xml: "<date>1969-12-31T23:59:59Z</date>", value: .date(Date(timeIntervalSince1970: -1))),
        Text(xml: "<date>0001-01-01T00:00:00Z</date>", value: .date(Date(timeIntervalSince1970: -62_135_596_800))),
        Text(xml: "<date>1900-02-29T00:00:00Z</date>", value: nil),
        Text(xml: "<date>2000-13-01T00:00:00Z</date>", value: nil),
        Text(xml: "<date>2000-01-01 00:00:00Z</date>", value: nil),
        Text(xml: "<true/>", value: .bool(true)),
        Text(xml: "<false> </false>", value: .bool(false)),
        Text(xml: "<true>1</true>", value: nil),
        Text(xml: "<array/>", value: .array([])),
        Text(xml: "<array a='1' b = \"2\"><true/></array>", value: .array([.bool(true)])),
        Text(xml: "<array a=1/>", value: nil),
        Text(xml: "<array></dict>", value: nil),
        Text(xml: "<array>text</array>", value: nil),
        Text(xml: "<dict><key>a</key></dict>", value: nil),
        Text(xml: "<dict><string>a</string><true/></dict>", value: nil),
        Text(xml: "<dict><key>a</key><true/><key>a</key><false/></dict>", value: .dictionary(["a": .bool(false)])),
        Text(xml: "<null/>", value: nil),
        Text(xml: "<array>", value: nil),
        Text(xml: "", value: nil),
        Text(xml: "<true/><true/>", value: nil),
    ]

    @Test(arguments: Self.texts) func `reads the elements of property lists and no others`(_ example: Text) {
        let value = try? PropertyListValue(parsing: Data("<plist version=\"1.0\">\(example.xml)</plist>".utf8))
        #expect(value == example.value)
    }

    struct Document: CustomTestStringConvertible, Sendable {
        var testDescription: String { self.text }
        var text: String
        var isAccepted: Bool
    }

    static let documents: [Document] = [
        Document(
            text:
                "<?xml version=\"1.0\"?><!-- a --><!DOCTYPE plist PUBLIC \"-//x\" \"http://example.com/a>b\"><plist><true/></plist> <!-- b -->",
            isAccepted: true
        ),
        Document(text: "\u{FEFF}<plist><true/></plist>", isAccepted: true),
        Document(text: "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><true/></plist>", isAccepted: false),
        Document(text: "<!DOCTYPE plist SYSTEM \"file:///etc/passwd\"", isAccepted: false),
        Document(text: "<true/>", isAccepted: false),
        Document(text: "<plist/>", isAccepted: false),
        Document(text: "<plist></plist>", isAccepted: false),
        Document(text: "<plist><true/></plist><plist/>", isAccepted: false),
        Document(text: "<plist><true/></plist>x", isAccepted: false),
        Document(text: "<plist><true/>", isAccepted: false),
        Document(text: "<!-- never ends", isAccepted: false),
        Document(text: "", isAccepted: false),
        Document(text: "{ a = b; }", isAccepted: false),
    ]

    @Test(arguments: Self.documents) func `takes one document with a type that declares nothing`(_ example: Document) {
        let value = try? PropertyListValue(parsing: Data(example.text.utf8))
        #expect(value == (example.isAccepted ? .bool(true) : nil))
    }

    @Test func `depth, values and bytes are limited`() throws {
        func nested(_ depth: Int) -> Data {
            Data(
                "<plist>\(String(repeating: "<array>", count: depth))\(String(repeating: "</array>", count: depth))</plist>"
                    .utf8
            )
        }
        _ = try PropertyListValue(parsing: nested(128))
        #expect(throws: SerializationError(.limitExceeded, reason: "")) { try PropertyListValue(parsing: nested(129)) }
        _ = try PropertyListValue(parsing: nested(1_024), limits: ParsingLimits(depth: .max))
        #expect(throws: SerializationError(.limitExceeded, reason: "")) {
            try PropertyListValue(parsing: nested(100_000), limits: ParsingLimits(depth: .max))
        }
        let list = Data("<plist><array><true/><true/></array></plist>".utf8)
        #expect(throws: SerializationError(.limitExceeded, reason: "")) {
            try PropertyListValue(parsing: list, limits: ParsingLimits(elementCount: 2))
        }
        #expect(throws: SerializationError(.limitExceeded, reason: "")) {
            try PropertyListValue(parsing: list, limits: ParsingLimits(byteCount: 10))
        }
    }

    @Test(arguments: ["{ a = 1; }", " ( a, b )", "\"text\"", "a = 1;", "{\"json\":1}"])
    func `1.2.5 a list in OpenStep's text format is refused`(_ text: String) {
        let error = #expect(throws: SerializationError.self) { try PropertyListValue(parsing: Data(text.utf8)) }
        #expect(error?.code == .malformedBody)
        #expect(error?.reason.contains("OpenStep") == true)
    }

    @Test func `reads UTF-16 by its mark`() throws {
        let text = "\u{FEFF}<plist><string>日</string></plist>"
        let units = text.utf16.flatMap { unit in withUnsafeBytes(of: unit.littleEndian) { Array($0) } }
        #expect(try PropertyListValue(parsing: Data(units)) == .string("日"))
    }

    @Test(.bug(id: "F271"), arguments: [("&#xE9;", "e&#x301;"), ("\u{E9}", "e\u{301}"), ("e\u{301}", "\u{E9}")])
    func `keys that differ in their Unicode form only are refused in XML`(_ first: String, _ second: String) throws {
        func dictionary(_ keys: String...) -> String {
            "<dict>\(keys.map { "<key>\($0)</key><true/>" }.joined())</dict>"
        }
        let error = #expect(throws: SerializationError.self) {
            try PropertyListValue(parsing: Data("<plist>\(dictionary(first, "a", second))</plist>".utf8))
        }
        #expect(error?.code == .malformedBody)
        #expect(error?.reason.contains("different Unicode forms, line 1") == true)
        let separate = "<plist><array>\(dictionary(first, first))\(dictionary(second))</array></plist>"
        #expect(try PropertyListValue(parsing: Data(separate.utf8)).array?.count == 2)
    }

    @Test func `says where an XML list is broken`() {
        let error = #expect(throws: SerializationError.self) {
            try PropertyListValue(parsing: Data("<plist>\n  <nil/></plist>".utf8))
        }
        #expect(error?.reason.contains("line 2, column") == true)
    }
}
