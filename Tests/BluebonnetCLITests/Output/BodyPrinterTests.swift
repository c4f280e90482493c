// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetCLI

@Suite struct BodyPrinterTests {
    private static let person = OutputStyle(isColoured: false, isFormatted: true, isEscaped: true)

    /// Prints a body that arrives in pieces of a size.
    private func print(
        _ bytes: [UInt8],
        _ style: OutputStyle,
        mediaType: String? = "text/plain",
        pieceSize: Int = .max
    ) throws -> (outcome: BodyPrinter.Outcome, bytes: [UInt8]) {
        let sink = MemorySink()
        var printer = BodyPrinter(sink: sink, style: style, mediaType: mediaType)
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieceSize))
            rest = rest.dropFirst(pieceSize)
            if try piece.withUnsafeBytes({ try printer.write($0) }) == .binary { return (.binary, sink.bytes) }
        }
        return (try printer.finish(), sink.bytes)
    }

    @Test(arguments: ["text/plain", "application/json", nil], [1, 100_000])
    func `lines without end take no stack`(_ mediaType: String?, _ start: Int) throws {
        let text = "[" + String(repeating: "\n", count: start) + String(repeating: "1,\n", count: 20_000)
        let result = try self.print(Array(text.utf8), Self.person, mediaType: mediaType)
        #expect(result.outcome == .printed)
        #expect(result.bytes.starts(with: Array("[\n".utf8)))
    }

    @Test func `changes no byte in a pipe`() throws {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(try self.print(bytes, .plain).bytes == bytes)
    }

    @Test(arguments: [1, 2, 3, 7, 1000])
    func `text does not depend on how it is cut`(_ pieceSize: Int) throws {
        let text = "é€🌸\r\nline\u{1B}[2J\r\n"
        let result = try self.print(Array(text.utf8), Self.person, mediaType: "text/html", pieceSize: pieceSize)
        #expect(String(decoding: result.bytes, as: UTF8.self) == "é€🌸\nline\\u{1b}[2J\n")
    }

    @Test(.bug(id: "F277"), arguments: [1, 3, 1000])
    func `each line of an event stream ends with a line feed, however the server ends it`(_ pieceSize: Int) throws {
        let text = "data: a\r\rdata: b\r\n\r\ndata: c\n\ndata: d\u{1B}\r"
        let result = try self.print(Array(text.utf8), Self.person, mediaType: "text/event-stream", pieceSize: pieceSize)
        let shown = "data: a\n\ndata: b\n\ndata: c\n\ndata: d\\u{1b}\n"
        #expect(String(decoding: result.bytes, as: UTF8.self) == shown)
    }

    @Test(.bug(id: "F277")) func `an event whose lines end with CR is shown when it has arrived`() throws {
        let sink = MemorySink()
        var printer = BodyPrinter(sink: sink, style: Self.person, mediaType: "text/event-stream")
        _ = try Array("data: a\r\r".utf8).withUnsafeBytes { try printer.write($0) }
        #expect(sink.bytes == Array("data: a\n\n".utf8))
    }

    @Test(arguments: [1, 1000])
    func `JSON is indented however it is cut`(_ pieceSize: Int) throws {
        let result = try self.print(
            Array(#"{"a":1}"#.utf8),
            Self.person,
            mediaType: "application/json",
            pieceSize: pieceSize
        )
        #expect(String(decoding: result.bytes, as: UTF8.self) == "{\n    \"a\": 1\n}\n")
    }

    @Test func `what claims to be JSON and is not is shown as it is`() throws {
        let result = try self.print(Array("{oops".utf8), Self.person, mediaType: "application/json")
        #expect(String(decoding: result.bytes, as: UTF8.self) == "{oops\n")
    }

    @Test func `binary data stops at the first piece`() throws {
        let result = try self.print([0x50, 0x4B, 0, 1], Self.person)
        #expect(result.outcome == .binary)
        #expect(result.bytes.isEmpty)
    }

    @Test(
        .bug(id: "F315"),
        arguments: [1, 2, 3, 1000],
        ["text/plain", "text/html", "application/json", "image/x-unknown"]
    )
    func `binary data is recognised however it is cut`(_ pieceSize: Int, _ mediaType: String) throws {
        let bytes = Array("text".utf8) + [0, 1]
        let result = try self.print(bytes, Self.person, mediaType: mediaType, pieceSize: pieceSize)
        #expect(result.outcome == .binary)
        #expect(!result.bytes.contains(UInt8(ascii: "u")))
    }

    @Test(.bug(id: "F315"), arguments: [1, 1000, 4096])
    func `a NUL behind the first KiB is text`(_ pieceSize: Int) throws {
        let bytes = [UInt8](repeating: 0x61, count: 1024) + [0]
        let result = try self.print(bytes, Self.person, pieceSize: pieceSize)
        #expect(result.outcome == .printed)
        #expect(String(decoding: result.bytes.suffix(7), as: UTF8.self) == "a\\u{0}\n")
    }

    @Test func `broken UTF-8 is shown as such`() throws {
        let result = try self.print([0x61, 0xFF, 0xC3], Self.person, mediaType: "text/html")
        #expect(String(decoding: result.bytes, as: UTF8.self) == "a\u{FFFD}\u{FFFD}\n")
    }

    @Test(arguments: ["[1] started", "[INFO] started", "{} x", "[1,2", "plain", "[\"a\" \"b\"]"])
    func `text that only begins like JSON is not changed`(_ text: String) throws {
        for pieceSize in [1, 3, 1000] {
            let result = try self.print(Array((text + "\n").utf8), Self.person, pieceSize: pieceSize)
            #expect(String(decoding: result.bytes, as: UTF8.self) == text + "\n")
        }
    }

    @Test(arguments: [
        ("text/plain", "one\n"), ("text/plain", "no line end"), ("text/event-stream", "data: 1\n\n"), (nil, "x"),
        ("application/json", "{\"a\":1,"), ("application/x-ndjson", "{\"a\":1}\n"), ("text/plain", "{\"a\":1}\n"),
        ("text/plain; charset=iso-8859-1", "a line"), ("text/plain; charset=utf-16le", "o\u{0}k\u{0}"),
    ])
    func `the beginning of a stream is printed when it comes`(_ mediaType: String?, _ beginning: String) throws {
        let sink = MemorySink()
        var printer = BodyPrinter(sink: sink, style: Self.person, mediaType: mediaType)
        _ = try Array(beginning.utf8).withUnsafeBytes { try printer.write($0) }
        #expect(!sink.bytes.isEmpty)
    }

    @Test(
        arguments: [
            ("iso-8859-1", [0x63, 0x61, 0x66, 0xE9], "café\n"), ("windows-1252", [0x93, 0x80, 0x94], "“€”\n"),
            ("utf-16", [0xFF, 0xFE, 0x3D, 0xD8, 0x00, 0xDE], "😀\n"), ("utf-16", [0x00, 0x41], "A\n"),
            ("utf-16be", [0xD8, 0x3D, 0xDE, 0x00], "😀\n"), ("utf-32", [0x00, 0x01, 0xF6, 0x00], "😀\n"),
            ("us-ascii", [0x41, 0x0A, 0x42], "A\nB\n"), ("unknown", [0x41], "A\n"),
            ("iso-8859-1", [0x1B, 0x9B, 0x0D, 0x0A], "\\u{1b}\\u{9b}\n"),
        ] as [(String, [UInt8], String)]
    )
    func `a terminal gets text in its own charset`(_ charset: String, _ bytes: [UInt8], _ expected: String) throws {
        for pieceSize in [1, 2, 3, 1000] {
            let type = "text/html; charset=\"\(charset)\""
            let result = try self.print(bytes, Self.person, mediaType: type, pieceSize: pieceSize)
            #expect(String(decoding: result.bytes, as: UTF8.self) == expected)
        }
    }

    @Test(
        arguments: [
            ("application/json; charset=iso-8859-1", [0x5B, 0x22, 0xE9, 0x22, 0x5D], nil),
            ("application/json; charset=utf-16", [0, 0x5B, 0, 0x22, 0, 0xE9, 0, 0x22, 0, 0x5D], nil),
            ("application/json; charset=iso-8859-1", [0x7B, 0xE9, 0x7D, 0x0A], "{é}\n"),
        ] as [(String, [UInt8], String?)]
    )
    func `JSON of another charset is decoded and formatted`(
        _ mediaType: String,
        _ bytes: [UInt8],
        _ expected: String?
    ) throws {
        for pieceSize in [1, 2, 3, 1000] {
            let result = try self.print(bytes, Self.person, mediaType: mediaType, pieceSize: pieceSize)
            #expect(String(decoding: result.bytes, as: UTF8.self) == expected ?? "[\n    \"é\"\n]\n")
        }
    }

    @Test(arguments: [
        ("text/xml", "<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>", "a>é</a>"),
        ("image/svg+xml", "<?xml version=\"1.0\" encoding = \"windows-1252\" ?><a>é</a>", "a>é</a>"),
        ("text/xml", "<?xml version='1.0'?><a>é</a>", "a>\u{FFFD}</a>"),
        ("text/xml", "<?xml encoding='utf-16'?><a>é</a>", "a>\u{FFFD}</a>"),
        ("text/xml", "<a>é</a>", "a>\u{FFFD}</a>"),
        ("text/xml; charset=utf-8", "<?xml encoding='iso-8859-1'?><a>é</a>", "a>\u{FFFD}</a>"),
        ("text/html", "<!DOCTYPE html><head><META Charset=latin1></head>é", "</head>é"),
        ("text/html", "<html><meta content=\"text/html; charset=iso-8859-1\">é", ">é"),
        ("text/html", "<html><body><meta charset=latin1>é", ">é"), ("text/html", "<p>é", "<p>\u{FFFD}"),
    ])
    func `a document may name its charset`(_ mediaType: String, _ text: String, _ end: String) throws {
        let bytes = text.unicodeScalars.map { UInt8($0.value) }
        for pieceSize in [1, 2, 3, 1000] {
            let result = try self.print(bytes, Self.person, mediaType: mediaType, pieceSize: pieceSize)
            let shown = String(decoding: result.bytes, as: UTF8.self)
            #expect(shown.hasSuffix(end + "\n"), "\(shown)")
        }
    }

    @Test func `a document in UTF-16 shows it by its first bytes`() throws {
        for mark in ["", "\u{FEFF}"] {
            let bytes = (mark + "<?xml version='1.0'?><a>é</a>").utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
            for pieceSize in [1, 3, 1000] {
                let result = try self.print(bytes, Self.person, mediaType: "text/xml", pieceSize: pieceSize)
                #expect(String(decoding: result.bytes, as: UTF8.self) == "<?xml version='1.0'?>\n<a>é</a>\n")
            }
        }
    }

    @Test(.bug(id: "F4")) func `a document that is nested too deep is shown and a note says so`() throws {
        let text = String(repeating: "[", count: 2000)
        let sink = MemorySink()
        var printer = BodyPrinter(sink: sink, style: Self.person, mediaType: "application/json")
        for _ in 0..<10 { _ = try Array(text.utf8).withUnsafeBytes { try printer.write($0) } }
        try printer.finish()
        #expect(sink.bytes.count { $0 == UInt8(ascii: "[") } == 20_000)
        #expect(sink.bytes.count < 80_000)
        #expect(printer.note?.contains("512 levels") == true)
    }

    /// A character in a charset, repeated beyond the longest line that is buffered.
    static let longLines: [(charset: String, character: [UInt8], text: String)] = [
        ("shift_jis", [0x82, 0xA0], "あ"), ("euc-jp", [0xA4, 0xA2], "あ"), ("euc-kr", [0xB0, 0xA1], "가"),
        ("gbk", [0xD6, 0xD0], "中"), ("big5", [0xA4, 0xA4], "中"), ("gb18030", [0x81, 0x30, 0x89, 0x38], "ß"),
        ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42], "あ"), ("koi8-r", [0xC1], "а"),
    ]

    @Test(.bug(id: "F654"), arguments: Self.longLines, [0, 1, 3])
    func `a long line in a charset of several bytes is not cut within a character`(
        _ line: (charset: String, character: [UInt8], text: String),
        _ start: Int
    ) throws {
        let characters = Array(repeating: line.character, count: 100_000).joined()
        let bytes = Array(repeating: UInt8(ascii: "x"), count: start) + characters
        let type = "text/plain; charset=\(line.charset)"
        let result = try self.print(bytes, Self.person, mediaType: type, pieceSize: 16_384)
        let expected = String(repeating: "x", count: start) + String(repeating: line.text, count: 100_000)
        // The text is as long as a test's message should not be.
        #expect(result.bytes.starts(with: Array(expected.utf8)) == true)
        #expect(result.bytes.count <= expected.utf8.count + 1)
    }

    @Test(.bug(id: "F654")) func `a character that is cut off at the end is replaced alone`() throws {
        let result = try self.print([0x82, 0xA0, 0x82], Self.person, mediaType: "text/plain; charset=shift_jis")
        #expect(String(decoding: result.bytes, as: UTF8.self) == "あ\u{FFFD}\n")
    }
}
