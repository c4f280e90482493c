// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing

@testable import BluebonnetSerialization

/// The time of every parser and writer grows linearly with its input, also for inputs that are made to be slow.
@Suite(.serialized) struct ScalingTests {
    struct Subject: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Prepares an input whose size is proportional to the count, and gives what reads it.
        let prepare: @Sendable (_ count: Int) throws -> () throws -> Void
        let count: Int

        init(
            _ testDescription: String,
            count: Int = 1_000,
            prepare: @escaping @Sendable (_ count: Int) throws -> () throws -> Void
        ) {
            self.testDescription = testDescription
            self.prepare = prepare
            self.count = count
        }
    }

    /// A text repeated, between two others.
    private static func text(_ start: String, _ piece: String, _ count: Int, _ end: String) -> Data {
        Data((start + String(repeating: piece, count: count) + end).utf8)
    }

    /// Numbered pieces between two texts.
    private static func numbered(_ start: String, _ count: Int, _ end: String, _ piece: (Int) -> String) -> Data {
        Data((start + (0..<count).map(piece).joined() + end).utf8)
    }

    private static func json(_ name: String, _ make: @escaping @Sendable (Int) -> Data) -> Subject {
        Subject("JSON: \(name)") { count in
            let data = make(count)
            return { _ = try? JSONParser().parse(data) }
        }
    }

    static let json: [Subject] = [
        Self.json("numbers") { Self.text("[", "1.5,", $0, "0]") },
        Self.json("names that differ in their last letters") { count in
            Self.numbered("{", count, "\"\":0}") { "\"xxxxxxxxxxxxxxxx\($0)\":1," }
        },
        Self.json("one name again and again") { Self.text("{", "\"a\":1,", $0, "\"a\":2}") },
        Self.json("a string of escapes") { Self.text("[\"", "\\ud83d\\ude00\\n", $0, "\"]") },
        Self.json("a number of many digits") { Self.text("[", "7", $0 * 20, "]") },
        Self.json("white space") { Self.text("[", " \n", $0 * 10, "]") },
        Self.json("an error at the end of many lines") { Self.text("[", "1,\r\n", $0, "x") },
        Self.json("arrays in arrays") { Self.text("[", "[[[[]]]],", $0, "0]") },
        Self.json("UTF-16") { count in
            Data(
                String(decoding: Self.text("[", "1,", count, "0]"), as: UTF8.self).utf16.flatMap {
                    [UInt8($0 >> 8), UInt8($0 & 0xFF)]
                }
            )
        },
        Subject("JSON: the number of many digits as a number") { count in
            let number = JSONNumber(exactly: String(repeating: "7", count: count * 20) + ".5e-9")
            return { _ = (number?.double, number?.int64, number?.hashValue) }
        },
        Subject("JSON: a Decodable type", count: 250) { count in
            let response = Response.stub(Self.text("[", "{\"a\":[1]},", count, "{}]"))
            return { _ = try DecodableResponseSerializer([[String: [Int]]].self).serialize(response) }
        },
        Subject("JSON: writing, comparing and removing nulls") { count in
            let value = try JSONParser().parse(Self.numbered("{", count, "\"\":[]}") { "\"x\($0)\":[null,\"\\n\"]," })
            return {
                _ = value.serialized(isPretty: true, sortsKeys: true).count
                _ = value.removingNulls() == value
            }
        },
    ]

    private static func xml(_ name: String, _ make: @escaping @Sendable (Int) -> Data) -> Subject {
        Subject("XML: \(name)", count: 250) { count in
            let data = make(count)
            return { _ = try? ParsedXML(parsing: data) }
        }
    }

    static let xml: [Subject] = [
        Self.xml("elements") { Self.text("<a>", "<b>x</b>", $0, "</a>") },
        Self.xml("references") { Self.text("<a b='", "&#x1F600;&amp;", $0, "'/>") },
        Self.xml("CDATA sections") { Self.text("<a>", "<![CDATA[x]]>y", $0, "</a>") },
        Self.xml("comments and instructions") { Self.text("<a>", "<!-- - --><?b c?>", $0, "</a>") },
        Self.xml("a long name") { Self.text("<", "é", $0 * 10, "/>") },
        Self.xml("a comment that does not end") { Self.text("<a><!--", "- ", $0 * 10, "") },
        Self.xml("an error at the end of many lines") { Self.text("<a>", "<b/>\n", $0, "</c>") },
        Self.xml("line breaks") { Self.text("<a b='", "\r\n", $0 * 5, "'>\r</a>") },
        Self.xml("elements with as many attributes as are allowed") { count in
            let attributes = (0..<256).map { " a\($0)=''" }.joined()
            return Self.text("<a>", "<b\(attributes)/>", count / 100, "</a>")
        },
        Self.xml("prefixes among as many declarations as are allowed") { count in
            let declarations = (0..<256).map { " xmlns:p\($0)='u'" }.joined()
            return Self.text("<a\(declarations)>", "<p0:b p255:c=''/>", count, "</a>")
        },
        Self.xml("attributes in a namespace of a long name") { count in
            let attributes = (0..<200).map { " p:a\($0)=''" }.joined()
            let namespace = String(repeating: "u", count: count * 5)
            return Self.text("<a xmlns:p='\(namespace)'>", "<b\(attributes)/>", count / 10, "</a>")
        },
        Self.xml("more attributes than are allowed") { count in Self.numbered("<a ", count * 5, "/>") { " a\($0)=''" }
        },
        Subject("XML: writing") { count in
            let document = try ParsedXML(parsing: Self.text("<a>", "<b c='&quot;'>&lt;</b>", count, "</a>"))
            return { _ = (document.description.utf8.count, document.root.text.utf8.count) }
        },
        Subject("XML: writing one text of references", count: 10_000) { count in
            let document = try ParsedXML(parsing: Self.text("<a>", "&lt;&gt;&amp;", count, "</a>"))
            return { _ = document.description.utf8.count }
        },
    ]

    private static func list(_ name: String, _ make: @escaping @Sendable (Int) throws -> Data) -> Subject {
        Subject("property list: \(name)", count: 250) { count in
            let data = try make(count)
            return { _ = try? PropertyListParser().parse(data) }
        }
    }

    private static func parameters(_ count: Int) -> ParameterValue {
        var values: [String: ParameterValue] = [:]
        for number in 0..<count { values["key \(number)"] = [.int(Int64(number)), "é", .data(Data([0]))] }
        return .dictionary(values)
    }

    static let lists: [Subject] = [
        Self.list("XML array") { Self.text("<plist><array>", "<integer>1</integer>", $0, "</array></plist>") },
        Self.list("XML dictionary") { count in
            Self.numbered("<plist><dict>", count, "</dict></plist>") { "<key>x\($0)</key><true/>" }
        },
        Self.list("XML data") { Self.text("<plist><data>", "AAAA\n", $0 * 10, "</data></plist>") },
        Self.list("XML text") { Self.text("<plist><string>", "&amp;é\r\n", $0 * 5, "</string></plist>") },
        Self.list("an XML integer of many digits") {
            Self.text("<plist><integer>", "7", $0 * 50, "</integer></plist>")
        },
        Self.list("XML comments") { Self.text("<plist><array>", "<!-- - -->", $0 * 5, "</array></plist>") },
        Self.list("binary") { count in
            let body = try PropertyListRequestSerializer(format: .binary).body(from: Self.parameters(count))
            return body.data ?? Data()
        },
        Subject("property list: a Decodable type", count: 100) { count in
            let parameters = ParameterValue.dictionary(["a": .array(Array(repeating: ["k": "v"], count: count))])
            let serializer = DecodableResponseSerializer(
                [String: [[String: String]]].self,
                decoder: PropertyListDecoder(),
                validation: .none
            )
            let responses = try PropertyListRequestSerializer.Format.allCases.map { format in
                Response.stub(try PropertyListRequestSerializer(format: format).body(from: parameters).data ?? Data())
            }
            return { for response in responses { _ = try serializer.serialize(response) } }
        },
        Subject("property list: writing XML and binary", count: 200) { count in
            let parameters = Self.parameters(count)
            return {
                _ = try PropertyListRequestSerializer(format: .binary).body(from: parameters)
                _ = try PropertyListRequestSerializer(format: .xml).body(from: parameters)
            }
        },
    ]

    static let texts: [Subject] = [
        Subject("content type: parameters") { count in
            let field = "text/html" + String(repeating: "; a=\"b\\\"\"", count: count)
            return { _ = ContentType(field) }
        },
        Subject("content type: a quoted string that does not end") { count in
            let field = "text/html; charset=\"" + String(repeating: "\\x", count: count * 5)
            return { _ = ContentType(field) }
        },
        Subject("query: pairs", count: 250) { count in
            let parameters = Self.parameters(count)
            return { _ = try QueryString.encode(parameters) }
        },
        Subject("query: joined to a URL, and unescaped") { count in
            let query = String(repeating: "a=%41%&", count: count)
            return {
                _ = QueryString.append(query, toText: "http://h/?\(query)#f").utf8.count
                _ = try? PercentEncoding.unescape(String(repeating: "%41", count: count))
            }
        },
        Subject("multipart: a boundary that nearly occurs", count: 5_000) { count in
            let data = Self.text("", "--BBBBBBBB", count, "")
            return {
                var form = MultipartFormData(boundary: "BBBBBBBBB")
                form.append(data, name: "n")
            }
        },
        Subject("multipart: parts", count: 200) { count in
            let parameters = Self.parameters(count)
            return {
                var form = MultipartFormData()
                try form.append(parameters: parameters)
                _ = try RequestBody.multipart(form).collect().count
            }
        },
        Subject("a set of sets", count: 300) { count in
            let members = (0..<count).map { ParameterValue.set([.int(Int64($0)), "x"]) }
            let parameters = ParameterValue.dictionary(["s": .set(Set(members))])
            return { _ = try JSONValue(parameters) }
        },
        Subject("charset: ISO-2022-JP", count: 20_000) { count in
            let data = Self.text("", "\u{1B}$B$3\u{1B}(B", count, "")
            return { _ = Charset.iso2022JP.decode(data) }
        },
        Subject("charset: Big5", count: 20_000) { count in
            let data = Data((0..<count).flatMap { _ in [0x61, 0xA1, 0xFE] as [UInt8] })
            return { _ = Charset.big5.decode(data) }
        },
        Subject("charset: UTF-32", count: 2_000) { count in
            let data = Data((0..<count).flatMap { _ in [0, 1, 0xF6, 0] as [UInt8] })
            return { _ = Charset.utf32.decode(data) }
        },
        Subject("transliteration", count: 250) { count in
            let text = String(repeating: "éΩ한日", count: count)
            return { _ = Transliteration.ascii(text) }
        },
    ]

    @Test(arguments: Self.json + Self.xml + Self.lists + Self.texts)
    func `time grows linearly`(_ subject: Subject) throws {
        let seconds = try Scaling.seconds { try subject.prepare(subject.count * $0) }
        let growth = (seconds.last ?? 0) / (seconds.first ?? 1)
        #expect(growth < Scaling.largestGrowth, "\(seconds)")
    }

    @Test func `quadratic time is seen`() throws {
        let seconds = try Scaling.seconds(runs: 1) { factor in
            let bytes = [UInt8](repeating: 1, count: 150 * factor)
            return {
                var sum = 0
                for one in bytes { for other in bytes { sum &+= Int(one) &* Int(other) } }
                #expect(sum == bytes.count * bytes.count)
            }
        }
        #expect((seconds.last ?? 0) / (seconds.first ?? 1) > Scaling.largestGrowth, "\(seconds)")
    }
}
