// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct ParsedXMLTests {
    static func parse(_ text: String, limits: ParsingLimits = ParsingLimits()) throws -> ParsedXML {
        try ParsedXML(parsing: Data(text.utf8), limits: limits)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let document: String
        let children: [ParsedXML.Node]
        var testDescription: String { self.document.debugDescription }
    }

    @Test(arguments: [
        Case(document: "<a/>", children: []),
        Case(document: "<a></a>", children: []),
        Case(document: "<a>\n x </a>", children: [.text("\n x ")]),
        Case(document: "<a>1&lt;2 &amp;&#x41;&#66;</a>", children: [.text("1<2 &AB")]),
        Case(document: "<a>x<![CDATA[<&amp;]]>y<![CDATA[]]></a>", children: [.text("x<&amp;y")]),
        Case(document: "<a><![CDATA[]]></a>", children: []),
        Case(document: "<a>1\r\n2\r3\n4&#13;</a>", children: [.text("1\n2\n3\n4\r")]),
        Case(document: "<a><![CDATA[1\r\n2\r]]>\n</a>", children: [.text("1\n2\n\n")]),
        Case(document: "<a>x<!-- c\r\n -->y</a>", children: [.text("x"), .comment(" c\n "), .text("y")]),
        Case(
            document: "<a><?b?><?c  d e ?></a>",
            children: [.instruction(target: "b", content: ""), .instruction(target: "c", content: "d e ")]
        ),
        Case(document: "<!-- x --><?y z?><a>日本 😀</a><!-- w -->", children: [.text("日本 😀")]),
        Case(document: "<a><b>1</b>2</a>", children: [.element(.init("b", children: [.text("1")])), .text("2")]),
    ])
    func `1.2.4 the tree holds text, comments and instructions as they are to be read`(_ sample: Case) throws {
        #expect(try Self.parse(sample.document).root == ParsedXML.Element("a", children: sample.children))
    }

    @Test func `1.2.4 attributes keep their order, and white space in them is spaces unless it is a reference`() throws
    {
        let root = try Self.parse("<a z='1' b=\"&quot;'&lt;\" c='x\r\ny\tz&#10;&#9;&#13;'/>").root
        #expect(root.attributes.map(\.name) == ["z", "b", "c"])
        #expect(root["z"] == "1")
        #expect(root["b"] == "\"'<")
        #expect(root["c"] == "x y z\n\t\r")
        #expect(root["d"] == nil)
    }

    @Test func `1.2.4 names are resolved to namespaces`() throws {
        let root = try Self.parse(
            """
            <feed xmlns="urn:a" xmlns:m="urn:m" xml:lang="de"><m:x m:k="1" k="2"/><x/><plain xmlns=""><y/></plain>\
            <m:x xmlns:m="urn:n"/><m:x/></feed>
            """
        ).root
        #expect(root.namespace == "urn:a")
        #expect(root.elements.map(\.namespace) == ["urn:m", "urn:a", nil, "urn:n", "urn:m"])
        #expect(root.elements("m:x").count == 3)
        #expect(root.elements("x", namespace: "urn:m").count == 2)
        #expect(root.first("x", namespace: "urn:n")?.name == "m:x")
        #expect(root.first("x")?.localName == "x")
        #expect(root.first("plain")?.first("y")?.namespace == nil)
        #expect(root.first("m:x")?.attributes.map(\.namespace) == ["urn:m", nil])
        #expect(root.attributes.last?.namespace == "http://www.w3.org/XML/1998/namespace")
        #expect(root.first("absent") == nil)
    }

    @Test(
        .bug(id: "F766"),
        arguments: [
            ("<feed xmlns='urn:a'><entry><title>T</title></entry></feed>", "title"),
            ("<a:feed xmlns:a='urn:a'><a:entry><a:title>T</a:title></a:entry></a:feed>", "a:title"),
        ]
    )
    func `1.2.4 an element is found without its prefix, or with it`(_ text: String, _ qualified: String) throws {
        let root = try Self.parse(text).root
        #expect(root.elements("entry").count == 1)
        #expect(root.first("entry")?.first("title")?.text == "T")
        #expect(root.first("entry")?.first("title", namespace: "urn:a")?.text == "T")
        #expect(root.first("entry")?.first(qualified)?.text == "T")
        #expect(root.first("entry")?.first("b:title") == nil)
        #expect(root.first("entry", namespace: "urn:b") == nil)
    }

    @Test(
        .bug(id: "F766"),
        arguments: ["application/xml", "application/atom+xml", "application/rss+xml;charset=utf-8", "image/svg+xml"]
    )
    func `1.2.4 every XML type is accepted`(_ type: String) throws {
        #expect(try XMLDocumentResponseSerializer().serialize(.stub("<a/>", type: type))?.root.name == "a")
    }

    @Test func `1.2.4 an attribute is found by its namespace, whatever its prefix`() throws {
        let link = "http://www.w3.org/1999/xlink"
        let root = try Self.parse("<svg xmlns:xl='\(link)' href='1' xl:href='2' xml:lang='de'/>").root
        #expect(root["href", namespace: link] == "2" && root["href"] == "1")
        #expect(root["lang", namespace: "http://www.w3.org/XML/1998/namespace"] == "de")
        #expect(root["href", namespace: "urn:x"] == nil && root["xl:href", namespace: link] == nil)
        #expect(root.attributes.map(\.localName) == ["xl", "href", "href", "lang"])
    }

    @Test(
        .bug(id: "F582"),
        arguments: ["<?xml-stylesheet href='a.xsl'?><a/>", "<?xmlfoo?><a/>", "<?xml-x version='1.0'?>\n<a/>"]
    )
    func `1.2.4 an instruction whose name begins with xml may be the first thing of a document`(
        _ document: String
    ) throws {
        #expect(try Self.parse(document).root.name == "a")
    }

    @Test func `1.2.4 text is that of all elements inside`() throws {
        let root = try Self.parse("<p>One <b>two<i> three</i></b><!-- no --><?no no?> four</p>").root
        #expect(root.text == "One two three four")
        #expect(root.first("b")?.text == "two three")
    }

    @Test func `1.2.4 what is malformed is named with its place`() {
        for (document, part) in [
            ("<a>\n  <b></a>", "a closing tag that closes nothing, line 2, column 10"),
            ("<a>\n<p:b/></a>", "a prefix that stands for no namespace, line 2, column 7"),
            ("<a x='1' x='2'/>", "an attribute that is there twice, line 1"),
        ] {
            let error = #expect(throws: SerializationError.self) { try Self.parse(document) }
            #expect(error?.code == .malformedBody)
            #expect(error?.reason.contains(part) == true, "\(error?.reason ?? "")")
        }
    }

    @Test(arguments: ["\u{200D}", "\u{200C}"])
    func `1.2.4 a name with a joiner after its colon is split at the colon`(_ joiner: String) throws {
        let document = try Self.parse(
            "<p:\(joiner)b xmlns:p='u' xmlns:\(joiner)q='v' p:\(joiner)c='1' \(joiner)q:d='2'/>"
        )
        #expect(document.root.localName == "\(joiner)b")
        #expect(document.root.namespace == "u")
        #expect(
            document.root.attributes.map(\.namespace)
                == [nil, nil, "u", "v"].map { $0 == nil ? "http://www.w3.org/2000/xmlns/" : $0 }
        )
        #expect(throws: SerializationError(.malformedBody, reason: "")) {
            try Self.parse("<a xmlns:p='u' xmlns:q='u' p:\(joiner)x='1' q:\(joiner)x='2'/>")
        }
    }

    @Test func `1.2.4 names are compared by their bytes`() throws {
        let document = try Self.parse("<r><\u{E9} a\u{301}='1' \u{E1}='2'/><e\u{301}/></r>")
        #expect(document.root.elements("\u{E9}").count == 1)
        #expect(document.root.elements("e\u{301}").count == 1)
        #expect(document.root.first("\u{E9}")?["\u{E1}"] == "2")
        #expect(document.root.first("\u{E9}")?["a\u{301}"] == "1")
    }

    @Test(
        .bug(id: "F272"),
        arguments: [
            ("&#0000000065;", true), ("&#x0000000041;", true),
            ("&#\(String(repeating: "0", count: 59))65;", true), ("&#x\(String(repeating: "0", count: 58))41;", true),
            ("&#\(String(repeating: "0", count: 60))65;", false), ("&#\(String(repeating: "0", count: 40));", false),
            ("&#00000001114112;", false), ("&#x000000000000D800;", false),
        ]
    )
    func `1.2.4 a character reference may have leading zeros`(_ reference: String, _ isAccepted: Bool) throws {
        let document = "<a b='\(reference)'>\(reference)</a>"
        let list = Data("<plist><string>\(reference)</string></plist>".utf8)
        if isAccepted {
            let root = try Self.parse(document).root
            #expect(root.text == "A")
            #expect(root["b"] == "A")
            #expect(try PropertyListValue(parsing: list) == .string("A"))
        } else {
            #expect(throws: SerializationError(.malformedBody, reason: "")) { try Self.parse(document) }
            #expect(throws: SerializationError(.malformedBody, reason: "")) { try PropertyListValue(parsing: list) }
        }
    }

    @Test(
        .bug(id: "F272"),
        arguments: ["<xmlns:a/>", "<xmlns:a></xmlns:a>", "<a><xmlns:b/></a>", "<xmlns:a xmlns:p='u' p:b=''/>"]
    )
    func `1.2.4 an element with the prefix xmlns is refused`(_ document: String) {
        let error = #expect(throws: SerializationError.self) { try Self.parse(document) }
        #expect(error?.code == .malformedBody)
        #expect(error?.reason.contains("an element with the prefix xmlns") == true)
    }

    static let crowded: [(String, Bool)] = [
        ("<a \((0..<8).map { "a\($0)=''" }.joined(separator: " "))/>", true),
        ("<a \((0..<9).map { "a\($0)=''" }.joined(separator: " "))/>", false),
        ("<a \((0..<8).map { "xmlns:p\($0)='u'" }.joined(separator: " "))><b/><c xmlnsx=''/></a>", true),
        ("<a \((0..<8).map { "xmlns:p\($0)='u'" }.joined(separator: " "))><b xmlns='u'/></a>", false),
        (String(repeating: "<a xmlns='u'>", count: 8) + String(repeating: "</a>", count: 8), true),
        (String(repeating: "<a xmlns='u'>", count: 9) + String(repeating: "</a>", count: 9), false),
        ("<a>\(String(repeating: "<b xmlns='u' xmlns:p='v'></b><c xmlns='w'/>", count: 9))</a>", true),
    ]

    @Test(arguments: Self.crowded)
    func `1.2.4 the attributes of an element and the declarations in scope are limited`(
        _ document: String,
        _ isAccepted: Bool
    ) throws {
        let limits = ParsingLimits(attributeCount: 8)
        if isAccepted {
            _ = try Self.parse(document, limits: limits)
        } else {
            let error = #expect(throws: SerializationError.self) { try Self.parse(document, limits: limits) }
            #expect(error?.code == .limitExceeded)
            #expect(error?.reason.contains("ParsingLimits.attributeCount") == true)
        }
    }

    @Test(arguments: ["windows-1251", "KOI8-R", "Shift_JIS", "EUC-JP", "GBK", "gb18030", "Big5"])
    func `1.2.4 the declared encoding is read`(_ name: String) throws {
        let sample = try #require(CharsetTests.samples.first { $0.charset.name == name })
        for declaration in [
            "<?xml version='1.0' encoding='\(name)'?>",
            "<?xml\n version = \"1.0\" \n encoding = \"\(name.uppercased())\" ?>",
        ] {
            let bytes = Array("\(declaration)<a>".utf8) + sample.bytes + Array("</a>".utf8)
            #expect(try ParsedXML(parsing: Data(bytes)).root.text == sample.text)
            let list = Array("\(declaration)<plist><string>".utf8) + sample.bytes + Array("</string></plist>".utf8)
            #expect(try PropertyListValue(parsing: Data(list)) == .string(sample.text))
        }
    }

    @Test func `1.2.4 documents that are made to be slow are not`() throws {
        let count = 40_000
        let prefixes = (0..<count).map { " xmlns:p\($0)='u'" }.joined()
        let documents = [
            // Text that is joined a piece at a time.
            "<a>\(String(repeating: "<![CDATA[xxxxxxxxxx]]>", count: count))</a>",
            // Prefixes that have to be found among many.
            "<a\(prefixes)>\(String(repeating: "<p0:b/>", count: count))</a>",
            // Names that differ in their last letter only.
            "<a \((0..<count).map { "\(String(repeating: "x", count: 20))\($0)=''" }.joined(separator: " "))/>",
            String(repeating: "<a>&#x1F600;", count: 500) + String(repeating: "</a>", count: 500),
        ]
        let clock = ContinuousClock()
        for document in documents {
            // Quadratic time would be minutes.
            let limits = ParsingLimits(depth: 500, attributeCount: count)
            let duration = try clock.measure { _ = try ParsedXML(parsing: Data(document.utf8), limits: limits) }
            #expect(duration < .seconds(20))
        }
    }

    /// A tree of random shape, with every character that has to be escaped somewhere.
    private static func randomElement(
        depth: Int,
        using generator: inout SystemRandomNumberGenerator
    ) -> ParsedXML.Element {
        func text() -> String {
            let pieces = ["x", "<", ">", "&", "\"", "'", "\r", "\n", "\t", " ", "]]>", "é", "日本", "😀", "&amp;"]
            return (0...Int.random(in: 0...4, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }
            .joined()
        }
        var element = ParsedXML.Element(["a", "b", "é", "日"].randomElement(using: &generator) ?? "a")
        for name in ["x", "y", "z"].prefix(Int.random(in: 0...3, using: &generator)) {
            element.attributes.append(ParsedXML.Attribute(name, value: text()))
        }
        guard depth > 0 else { return element }
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            switch Int.random(in: 0...3, using: &generator) {
            case 0: element.children.append(.comment(" c "))
            case 1: element.children.append(.instruction(target: "t", content: Bool.random() ? "" : "x <&"))
            case 2:
                // Two texts side by side would be read as one.
                if case .text = element.children.last { continue }
                element.children.append(.text(text()))
            default: element.children.append(.element(Self.randomElement(depth: depth - 1, using: &generator)))
            }
        }
        return element
    }

    @Test func `1.2.4 what is written is read back the same`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let document = ParsedXML(root: Self.randomElement(depth: 4, using: &generator))
            #expect(try Self.parse(document.description) == document)
        }
    }

    @Test func `attributes are set by their qualified names`() throws {
        var element = try Self.parse("<a b='1' x:b='2' xmlns:x='u'/>").root
        element["x:b"] = "3"
        element["c"] = "<"
        element["b"] = nil
        element["none"] = nil
        #expect(element.attributes.map(\.name) == ["x:b", "xmlns:x", "c"])
        #expect(element["x:b"] == "3")
        #expect(element["b", namespace: "u"] == "3")
        #expect(try Self.parse(ParsedXML(root: element).description).root["c"] == "<")
    }
}
