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
        try printer.finish()
        return (.printed, sink.bytes)
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

    @Test(arguments: [1, 1000])
    func `JSON is indented once it is complete`(_ pieceSize: Int) throws {
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

    @Test func `broken UTF-8 is shown as such`() throws {
        let result = try self.print([0x61, 0xFF, 0xC3], Self.person, mediaType: "text/html")
        #expect(String(decoding: result.bytes, as: UTF8.self) == "a\u{FFFD}\u{FFFD}\n")
    }

    @Test func `JSON beyond the limit passes through`() throws {
        let text = "[" + String(repeating: "1,", count: BodyPrinter.formattingLimit / 2) + "1]"
        let result = try self.print(Array(text.utf8), Self.person, mediaType: "application/json", pieceSize: 1 << 20)
        #expect(result.bytes.count == text.utf8.count + 1)
    }
}
