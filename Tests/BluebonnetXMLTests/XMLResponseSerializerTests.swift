// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetXML
import Foundation
import FoundationXML
import HTTPTypes
import Testing

@Suite struct XMLResponseSerializerTests {
    static func response(_ body: Data, type: String? = "application/xml", status: Int = 200) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = type
        let request = URL(string: "https://example.com/").map { Request(url: $0) }
        return Response(status: HTTPResponse.Status(code: status), headers: headers, body: body, request: request)
    }

    static func response(_ body: String, type: String? = "application/xml", status: Int = 200) -> Response {
        Self.response(Data(body.utf8), type: type, status: status)
    }

    static let malformed: [String] = [
        "<a><b>x</a>", "<a/>x", "<a/><b/>", "<a>&foo;</a>", "<a x=1/>", "<a x='1' x='2'/>", "<a x='<'/>",
        "<a x='1'y='2'/>",
        "hello", " ", "<a", "<a>", "<a></b>", "<1/>", "<a>]]></a>", "<a><!-- -- --></a>", "<a><![CDATA[x</a>", "</a>",
        "<a>\u{1}</a>", "<a>\u{FFFF}</a>", "<a>&#0;</a>", "<a>&amp</a>", "<a x='&'/>", "<a><?xml version='1.0'?></a>",
        " <?xml version='1.0'?><a/>",
        "<?xml?><a/>", "<a xmlns:b='u'><b:c/><d:e></d:f></a>", "< a/>", "<a>\u{0}</a>", "<!DOCTYPE a", "<a/ >",
        "<?xml version='2.0'?><a/>", "<?xml version='1.'?><a/>", "<?xml version='1.0' foo='x'?><a/>",
        "<?xml version='1.0' standalone='maybe'?><a/>", "<?xml version='1.0' standalone='yes' encoding='UTF-8'?><a/>",
        "<?xml version='1.0'encoding='UTF-8'?><a/>",
        "<!DOCTYPE a PUBLIC 'x'><a/>", "<!DOCTYPE a FOO><a/>", "<!DOCTYPE><a/>", "<!DOCTYPE a SYSTEM><a/>",
        "<!DOCTYPE a PUBLIC '{}' 'y'><a/>", "<!DOCTYPE a SYSTEM 'x><a/>", "<!DOCTYPE a SYSTEM 'x' 'y'><a/>",
        "<?a:b c?><a/>", "<a><?b<?></a>", "<a:b/>", "<a b:c='1'/>", "<a:b xmlns:a=''/>", "<a:b:c xmlns:a='u'/>",
        "<:a/>", "<a:/>",
        "<a:1 xmlns:a='u'/>", "<a><b xmlns:p='u'/><p:c/></a>",
        "<a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/>", "<a xmlns:xml='u'/>", "<a xmlns:xmlns='u'/>",
        "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", "<a xmlns='http://www.w3.org/2000/xmlns/'/>",
    ]

    @Test(arguments: Self.malformed) func `1.2.4 a document that is not well-formed is an error, not a repaired tree`(
        _ body: String
    ) {
        for _ in 0..<2 {
            let tree = #expect(throws: SerializationError.self) {
                try XMLDocumentResponseSerializer().serialize(Self.response(body))
            }
            #expect(tree?.code == .malformedBody)
            let parser = #expect(throws: SerializationError.self) {
                try XMLParserResponseSerializer().serialize(Self.response(body))
            }
            #expect(parser?.code == .malformedBody)
            #expect(parser?.response != nil)
        }
    }

    @Test(arguments: [
        ("<a:b/>", "a prefix that stands for no namespace"), ("<a:b:c xmlns:a='u'/>", "one prefix and one local name"),
        ("<a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/>", "two attributes of one name"),
    ])
    func `says what is wrong with a name`(_ body: String, _ cause: String) {
        let error = #expect(throws: SerializationError.self) {
            try XMLParserResponseSerializer().serialize(Self.response(body))
        }
        #expect(error?.reason.contains(cause) == true, "\(error?.reason ?? "")")
    }

    static let wellFormed: [String] = [
        "<a/>",
        "<?xml version=\"1.0\"?>\n<a x='1' y = \"&lt;&#x41;\"><!-- c --><b>日本 &amp; &gt;</b><![CDATA[<&]]><?pi x?></a>\n<!-- end -->",
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0//EN\" \"http://www.w3.org/a[b>c.dtd\"><html/>",
        "\u{FEFF}<é:日 xmlns:é='u'/>",
        "<a>]] ></a>", "<a></a >", "<?xml version='1.0' encoding='utf-8' standalone='yes' ?><a xml:lang='de'/>",
        "<a xmlns='u:1' xmlns:p='u:2' p:x='1' x='2'><p:b xmlns=''><c xmlns:p='u:3'/></p:b></a>", "<!DOCTYPE a><a/>",
    ]

    @Test(arguments: Self.wellFormed) func `1.2.4 a well-formed document is a tree and a parser`(_ body: String) throws
    {
        let parsed = try #require(try XMLDocumentResponseSerializer().serialize(Self.response(body)))
        #expect(try ParsedXML(parsing: Data(parsed.description.utf8)) == parsed)
        let parser = try #require(
            try XMLParserResponseSerializer().serialize(Self.response(body, type: "text/xml; charset=utf-8"))
        )
        #expect(parser.makeParser().parse())
    }

    @Test(arguments: ["<a><?b?></a>", "<?b?><a/>", "<a/><?b?>", "<a><?b?>x<?c?><?d e?></a>", "<!DOCTYPE a><?b?><a/>"])
    func `1.2.4 an instruction without content does not stop the process`(_ body: String) throws {
        let unstarted = try #require(try XMLParserResponseSerializer().serialize(Self.response(body)))
        #expect(unstarted.document == Data(body.replacing("?>", with: " ?>").replacing("e ?>", with: "e?>").utf8))
        #expect(unstarted.makeParser().parse())
        let parsed = try #require(try XMLDocumentResponseSerializer().serialize(Self.response(body)))
        #expect(parsed.root.name == "a")
    }

    @Test func `1.2.4 the tree holds what the document says`() throws {
        let parsed = try #require(
            try XMLDocumentResponseSerializer().serialize(Self.response("<a><b n='1'>x &amp; y</b><b n='2'/></a>"))
        )
        #expect(parsed.root.elements("b").map(\.text) == ["x & y", ""])
        #expect(parsed.root.elements("b").map { $0["n"] } == ["1", "2"])
    }

    final class Recorder: NSObject, XMLParserDelegate {
        var names: [String] = []
        var lines: [Int] = []
        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            self.names.append(name)
            self.lines.append(parser.lineNumber)
        }
    }

    @Test
    func `1.2.4 the parser starts at the first byte as often as one is made, and lines are those of the document`()
        throws
    {
        let unstarted = try #require(
            try XMLParserResponseSerializer().serialize(
                Self.response("<?xml version='1.0' encoding='utf-8'?>\n<a>\n<b/></a>")
            )
        )
        for _ in 0..<2 {
            let parser = unstarted.makeParser()
            let recorder = Recorder()
            parser.delegate = recorder
            #expect(parser.parse())
            #expect(recorder.names == ["a", "b"])
            #expect(recorder.lines == [2, 3])
        }
    }

    static let hostile: [String] = [
        "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY % x SYSTEM 'file:///etc/hostname'> %x;]><a/>",
        "<!DOCTYPE a [<!ENTITY l0 'lol'><!ENTITY l1 '&l0;&l0;&l0;&l0;'>]><a>&l1;</a>",
        "<!DOCTYPE a SYSTEM 'x' [ ]><a/>",
    ]

    @Test(arguments: Self.hostile) func `1.2.4 a document that declares entities is refused`(_ body: String) {
        for serialize in [
            { _ = try XMLDocumentResponseSerializer().serialize($0) },
            { _ = try XMLParserResponseSerializer().serialize($0) },
        ] as [(Response) throws -> Void] {
            let error = #expect(throws: SerializationError.self) { try serialize(Self.response(body)) }
            #expect(error?.code == .malformedBody)
            #expect(error?.reason.contains("declares something") == true)
        }
    }

    @Test func `1.2.4 an external document type is not loaded`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-xml-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let secret = folder.appending(path: "a.dtd")
        try Data("<!ENTITY x 'secret'>".utf8).write(to: secret)
        let body = "<!DOCTYPE a SYSTEM '\(secret.absoluteString)'><a>&x;</a>"
        #expect(throws: SerializationError.self) { try XMLDocumentResponseSerializer().serialize(Self.response(body)) }
        let harmless = "<!DOCTYPE a SYSTEM '\(secret.absoluteString)'><a/>"
        let parsed = try #require(try XMLDocumentResponseSerializer().serialize(Self.response(harmless)))
        #expect(parsed.description == "<a/>")
    }

    @Test func `1.2.4 encodings are told by the mark and by the declaration`() throws {
        let utf16 = "\u{FEFF}<a>日</a>".utf16.flatMap { unit in withUnsafeBytes(of: unit.littleEndian) { Array($0) } }
        let latin = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8) + [0xE9] + Array("</a>".utf8)
        for (bytes, text) in [(utf16, "日"), (latin, "é")] {
            let parsed = try #require(try XMLDocumentResponseSerializer().serialize(Self.response(Data(bytes))))
            #expect(parsed.root.text == text)
        }
        let unknown = "<?xml version='1.0' encoding='UTF-7'?><a/>"
        let error = #expect(throws: SerializationError.self) {
            try XMLDocumentResponseSerializer().serialize(Self.response(unknown))
        }
        #expect(error?.code == .unsupportedCharset)
        let wrong = Data([0x3C, 0x61, 0x3E, 0xFF, 0x3C, 0x2F, 0x61, 0x3E])
        #expect(throws: SerializationError.self) { try XMLDocumentResponseSerializer().serialize(Self.response(wrong)) }
    }

    @Test func `1.2.4 bytes, depth and elements are limited`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        for depth in [128, 129, 256, 1_024] {
            let limits = ParsingLimits(depth: depth)
            let deep = try #require(
                try XMLDocumentResponseSerializer(limits: limits).serialize(Self.response(nested(depth)))
            )
            #expect(deep.description == nested(depth - 1).replacing("<a></a>", with: "<a><a/></a>"))
            #expect(try XMLDocumentResponseSerializer(limits: limits).serialize(Self.response(nested(depth))) == deep)
        }
        for (body, limits) in [
            (nested(129), ParsingLimits()), (nested(3_000), ParsingLimits(depth: .max)),
            ("<a><b/><c/></a>", ParsingLimits(elementCount: 2)), ("<a x='' y=''/>", ParsingLimits(elementCount: 2)),
            ("<a>x<!-- -->y</a>", ParsingLimits(elementCount: 3)),
            ("<a><?b?><?c?></a>", ParsingLimits(elementCount: 2)),
            ("<a>xxxxxxxxx</a>", ParsingLimits(byteCount: 10)),
        ] {
            let error = #expect(throws: SerializationError.self) {
                try XMLDocumentResponseSerializer(limits: limits).serialize(Self.response(body))
            }
            #expect(error?.code == .limitExceeded)
        }
    }

    @Test func `1.2.4 a document of more than a megabyte is read whole`() throws {
        let body = "<a>\(String(repeating: "<b>xxxxxxxx</b>", count: 100_000))</a>"
        let parsed = try #require(try XMLDocumentResponseSerializer().serialize(Self.response(body)))
        #expect(parsed.root.elements.count == 100_000)
    }

    @Test(arguments: ["<a>", "<a b='", "<a><!--", "<"], [60_000, 11_000_000])
    func `1.2.4 a single long piece is read or refused, never a crash`(_ start: String, length: Int) {
        let end = ["<a>": "</a>", "<a b='": "'/>", "<a><!--": "--></a>", "<": "/>"][start] ?? ""
        let body = start + String(repeating: "x", count: length) + end
        do {
            _ = try XMLDocumentResponseSerializer().serialize(Self.response(body))
        } catch {
            #expect(error.code == .malformedBody)
        }
    }

    @Test(
        .bug(id: "F580"),
        arguments: [
            "<a xmlns='foo'/>", "<a xmlns='#x'/>", "<a xmlns:p='a b'><p:b/></a>", "<a xmlns='http://exämple.de/'/>",
            "<a xmlns='x:'/>", "<a xml:space='x'/>", "<?xmlfoo b?><a/>", "<a><?xmlfoo b?></a>",
        ]
    )
    func `1.2.4 what libxml2 warns about is well-formed`(_ body: String) throws {
        let unstarted = try #require(try XMLParserResponseSerializer().serialize(Self.response(body)))
        let parser = unstarted.makeParser()
        let recorder = Recorder()
        parser.delegate = recorder
        #expect(parser.parse())
        #expect(recorder.names.first == "a")
        #expect(try XMLDocumentResponseSerializer().serialize(Self.response(body)) != nil)
    }

    @Test(.bug(id: "F581"), arguments: ["<b>日</b>\n", "x"])
    func `1.2.4 a document of more than ten million bytes is parsed`(_ piece: String) throws {
        let body = "<a>" + String(repeating: piece, count: 11_000_000 / piece.utf8.count) + "</a>"
        let unstarted = try #require(try XMLParserResponseSerializer().serialize(Self.response(body)))
        let parser = unstarted.makeParser()
        let recorder = Recorder()
        parser.delegate = recorder
        #expect(parser.parse())
        #expect(recorder.names.count == (piece == "x" ? 1 : 1_000_001))
        #expect(piece == "x" || recorder.lines.last == 1_000_000)
    }

    @Test(.bug(id: "F581"), arguments: [("<a b='", "'/>"), ("<a><!--", "--></a>"), ("<a><![CDATA[", "]]></a>")])
    func `1.2.4 a single piece that Foundation's parser does not read is beyond a limit`(_ start: String, _ end: String)
    {
        let body = start + String(repeating: "x", count: 11_000_000) + end
        let error = #expect(throws: SerializationError.self) {
            try XMLParserResponseSerializer().serialize(Self.response(body))
        }
        #expect(error?.code == .limitExceeded && error?.response != nil)
    }

    @Test func `1.2.4 no body is nil, for every serializer of a compound to see`() throws {
        #expect(try XMLParserResponseSerializer().serialize(Self.response("", type: "text/html")) == nil)
        #expect(try XMLParserResponseSerializer().serialize(Self.response("", type: nil, status: 204)) == nil)
        #expect(try XMLDocumentResponseSerializer().serialize(Self.response("")) == nil)
    }

    @Test func `1.2.4 other types and statuses are refused`() {
        let error = #expect(throws: SerializationError.self) {
            try XMLParserResponseSerializer().serialize(Self.response("<a/>", type: "text/html", status: 404))
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.contains(.unacceptableContentType) == true)
    }
}
