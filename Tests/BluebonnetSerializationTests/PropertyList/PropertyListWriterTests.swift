// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes
import Testing

@Suite struct PropertyListWriterTests {
    typealias Format = PropertyListRequestSerializer.Format

    private static func body(_ parameters: ParameterValue, _ format: Format) throws -> Data {
        try #require(try PropertyListRequestSerializer(format: format).body(from: parameters).data)
    }

    private static let date = Date(timeIntervalSince1970: 1_000_000_000)

    static let roots: [(ParameterValue, PropertyListValue)] = [
        (.bool(true), .bool(true)), (.bool(false), .bool(false)),
        (0, .integer(0)), (255, .integer(255)), (256, .integer(256)), (65_536, .integer(65_536)),
        (.int(1 << 32), .integer(1 << 32)), (.int(.max), .integer(.max)), (.int(.min), .integer(.min)),
        (-1, .integer(-1)),
        (.unsigned(.max), .unsigned(.max)),
        (0.1, .real(0.1)), (1e300, .real(1e300)), (-0.0, .real(-0.0)), (.double(.infinity), .real(.infinity)),
        (.double(-.infinity), .real(-.infinity)),
        ("", .string("")), ("<&>\r\n\t]]>", .string("<&>\r\n\t]]>")), ("日本 😀", .string("日本 😀")),
        (.string(String(repeating: "x", count: 300)), .string(String(repeating: "x", count: 300))),
        (.data(Data()), .data(Data())), (.data(Data(0...255)), .data(Data(0...255))),
        (.date(Self.date), .date(Self.date)),
        ([], .array([])), ([:], .dictionary([:])), (.set([2, 1]), .array([.integer(1), .integer(2)])),
        (
            ["a": ["b": [1, "a", [:]]], "b": "a"],
            .dictionary([
                "a": .dictionary(["b": .array([.integer(1), .string("a"), .dictionary([:])])]), "b": .string("a"),
            ])
        ),
        // Texts that Unicode calls equivalent stay what they are.
        (["\u{E9}", "e\u{301}"], .array([.string("\u{E9}"), .string("e\u{301}")])),
    ]

    @Test(arguments: Self.roots, Format.allCases)
    func `1.1.8 a root of every kind is read back, here and by Foundation`(
        _ root: (ParameterValue, PropertyListValue),
        _ format: Format
    ) throws {
        let body = try Self.body(root.0, format)
        let value = try PropertyListValue(parsing: body)
        #expect(value == root.1)
        if case .array = value { #expect("\(value)".utf8.elementsEqual("\(root.1)".utf8)) }
        _ = try PropertyListSerialization.propertyList(from: body, format: nil)
    }

    @Test func `1.1.8 not a number is read back as such`() throws {
        for format in Format.allCases {
            let value = try PropertyListValue(parsing: Self.body([.double(.nan)], format))
            #expect(value[0]?.double?.isNaN == true)
        }
    }

    @Test func `1.1.8 an XML list has these bytes`() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>&lt;k&gt;</key>
            \t<array>
            \t\t<integer>1</integer>
            \t\t<real>0.5</real>
            \t\t<data>AP8=</data>
            \t\t<dict/>
            \t</array>
            \t<key>z</key>
            \t<date>2001-09-09T01:46:40Z</date>
            </dict>
            </plist>

            """
        let parameters: ParameterValue = [
            "z": .date(Self.date), "<k>": [1, 0.5, .data(Data([0, 255])), [:]],
        ]
        #expect(String(decoding: try Self.body(parameters, .xml), as: UTF8.self) == text)
    }

    @Test func `1.1.8 a binary list has these bytes, sorted by key`() throws {
        let expected: [UInt8] =
            Array("bplist00".utf8)
            // The root: keys 1, 3 and 5, values 2, 4 and 1.
            + [0xD3, 1, 3, 5, 2, 4, 1]
            + [0x51, 0x61] + [0x11, 0x01, 0x00] + [0x51, 0x62] + [0xA2, 6, 7] + [0x61, 0x00, 0xE9]
            + [0x09] + [0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE]
            + [8, 15, 17, 20, 22, 25, 28, 29]
            + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 38]
        #expect(try Array(Self.body(["é": "a", "b": [true, -2], "a": 256], .binary)) == expected)
    }

    @Test(arguments: Format.allCases)
    func `1.1.8 the same parameters give the same bytes, however they were made`(_ format: Format) throws {
        let keys = (0..<300).map { "key \($0)" }
        let bodies = try Set(
            (0..<10).map { _ in
                var values: [String: ParameterValue] = [:]
                for key in keys.shuffled() { values[key] = .set([.string(key), "a", "b", 1]) }
                return try Self.body(.dictionary(values), format)
            }
        )
        #expect(bodies.count == 1)
        // More than 255 objects need references of two bytes.
        let body = try #require(bodies.first)
        #expect(try PropertyListValue(parsing: body)["key 299"]?.array?.count == 4)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func `1.1.8 a date that the format cannot hold is an error with its path, and no crash`(_ seconds: Double) throws {
        let parameters: ParameterValue = ["a": [1, .date(Date(timeIntervalSinceReferenceDate: seconds))]]
        for format in Format.allCases where format == .xml || !seconds.isFinite {
            let error = #expect(throws: SerializationError.self) { try Self.body(parameters, format) }
            #expect(error?.code == .unencodableValue)
            #expect(error?.codingPath == ["a", "1"])
        }
    }

    @Test(
        .bug(id: "F232"),
        arguments: [
            (1_000_000_000, "2001-09-09T01:46:40Z"), (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
            (-62_167_219_200, "0000-01-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] as [(Double, String)]
    )
    func `1.1.8 a date of whole seconds is written in XML and read back`(_ seconds: Double, _ text: String) throws {
        let date = Date(timeIntervalSince1970: seconds)
        let body = try Self.body([.date(date)], .xml)
        #expect(String(decoding: body, as: UTF8.self).contains("<date>\(text)</date>"))
        #expect(try PropertyListValue(parsing: body) == .array([.date(date)]))
    }

    @Test(
        .bug(id: "F232"),
        arguments: [21_692_800.25, 0.5, -0.5, -1.5, -978_307_200.001, -63_145_526_399.5, 252_423_993_598.5, 1e-12]
    )
    func `1.1.8 a date with a fraction is an error in XML, and is read back from the binary format`(
        _ seconds: Double
    ) throws {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let error = #expect(throws: SerializationError.self) { try Self.body(["a": [1, .date(date)]], .xml) }
        #expect(error?.code == .unencodableValue)
        #expect(error?.codingPath == ["a", "1"])
        #expect(error?.reason.contains("binary format") == true)
        #expect(try PropertyListValue(parsing: Self.body([.date(date)], .binary)) == .array([.date(date)]))
    }

    static let unwritable: [ParameterValue] = [
        ["a": nil], [["a": .string("secret\u{0}")]], ["a": [["b\u{1}": "secret"]]], nil,
        .date(Date(timeIntervalSince1970: 1e18)), .set([.string("secret\u{0}"), 1]),
    ]

    @Test(arguments: Self.unwritable) func `1.1.8 no error holds a value of the parameters`(
        _ parameters: ParameterValue
    ) {
        let error = #expect(throws: SerializationError.self) { try Self.body(parameters, .xml) }
        #expect(error?.code == .unencodableValue)
        #expect(error?.underlying == nil)
        #expect(error?.reason.contains("secret") == false)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: Format.allCases) func `a list that was read can be changed and written`(_ format: Format) throws {
        let count = 3
        let original: PropertyListValue = ["name": "list \(count)", "ratio": 0.5, "tags": [1, true], "old": [:]]
        var value = try PropertyListValue(parsing: original.serialized(format: format))
        #expect(value == original)
        value["tags"] = ["x"]
        value["old"] = nil
        value["name"]?["none"] = 1
        let again = try PropertyListValue(parsing: value.serialized(format: format))
        #expect(again == ["name": "list 3", "ratio": 0.5, "tags": ["x"]])
    }

    @Test func `what cannot be written is named by its path`() {
        let value: PropertyListValue = ["a": [1, .uid(1)]]
        let error = #expect(throws: SerializationError.self) { try value.serialized() }
        #expect(error?.code == .unencodableValue)
        #expect(error?.codingPath == ["a", "1"])
        var deep: PropertyListValue = 1
        for _ in 0...ParsingLimits.maximumDepth { deep = [deep] }
        let tooDeep = #expect(throws: SerializationError.self) { try deep.serialized() }
        #expect(tooDeep?.code == .limitExceeded)
    }

    @Test func `a list prints its XML, or why it has none`() throws {
        let value: PropertyListValue = ["a": [1, true]]
        #expect(value.description == String(decoding: try value.serialized(), as: UTF8.self))
        #expect("\(PropertyListValue.uid(1))" == "PropertyListValue(the index of an archive cannot be encoded)")
    }
}
