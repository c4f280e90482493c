// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import BluebonnetCLI

/// How pictures are shown on terminals of several kinds.
@Suite struct PictureTests {
    struct TerminalCase: CustomTestStringConvertible, Sendable {
        var environment: [String: String]
        var way: PictureChoice
        var testDescription: String { "\(self.way) for \(self.environment.sorted { $0.key < $1.key })" }
    }

    static let terminals = [
        TerminalCase(environment: ["TERM": "xterm-kitty"], way: .kitty),
        TerminalCase(environment: ["TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"], way: .kitty),
        TerminalCase(environment: ["TERM": "xterm-ghostty"], way: .kitty),
        TerminalCase(environment: ["TERM": "xterm-256color", "KONSOLE_VERSION": "240800"], way: .kitty),
        TerminalCase(environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"], way: .iterm2),
        TerminalCase(environment: ["TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"], way: .iterm2),
        TerminalCase(environment: ["TERM": "foot-extra"], way: .sixel),
        TerminalCase(environment: ["TERM": "xterm-sixel"], way: .sixel),
        TerminalCase(environment: ["TERM": "xterm-256color"], way: .blocks),
        TerminalCase(environment: ["TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"], way: .blocks),
        TerminalCase(environment: ["TERM": "xterm-kitty", "TMUX": "/tmp/x"], way: .blocks),
        TerminalCase(environment: ["TERM": "xterm", "NO_COLOR": "1"], way: .none),
        TerminalCase(environment: ["TERM": "xterm", "LC_ALL": "C"], way: .none),
        TerminalCase(environment: ["TERM": "dumb", "KITTY_WINDOW_ID": "1"], way: .none),
        TerminalCase(environment: ["LANG": "C.UTF-8"], way: .none),
    ]

    @Test(arguments: Self.terminals) func `the terminal decides how a picture is shown`(_ one: TerminalCase) {
        let environment = ["LANG": "C.UTF-8"].merging(one.environment) { $1 }
        let console = TestConsole(isTerminal: true, environment: environment).console
        #expect(PictureChoice.auto.resolved(for: console) == one.way)
        #expect(PictureChoice.sixel.resolved(for: console) == .sixel)
    }

    /// Four pixels: red, green; blue, transparent.
    private static func pixels() throws -> ImagePixels {
        try ImagePixels(
            width: 2,
            height: 2,
            bytes: [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 9, 9, 0]
        )
    }

    @Test func `half blocks have two pixels a character, and none where the picture is transparent`() throws {
        let exact = BlockPicture(try Self.pixels(), isTrueColour: true).text
        let first = "\u{1B}[48;2;0;0;255m\u{1B}[38;2;255;0;0m▀"
        #expect(exact == first + "\u{1B}[49m\u{1B}[38;2;0;255;0m▀\u{1B}[0m\n")
        let few = BlockPicture(try Self.pixels(), isTrueColour: false).text
        #expect(few == "\u{1B}[48;5;21m\u{1B}[38;5;196m▀\u{1B}[49m\u{1B}[38;5;46m▀\u{1B}[0m\n")
        let odd = try ImagePixels(width: 1, height: 3, bytes: Array(repeating: 255, count: 12))
        #expect(BlockPicture(odd, isTrueColour: false).text.split(separator: "\n").count == 2)
    }

    @Test func `sixels draw each colour of a band, and count what is repeated`() throws {
        let text = SixelPicture(try Self.pixels()).text
        #expect(text.hasPrefix("\u{1B}P0;1;0q\"1;1;2;2#5;2;0;0;100#30;2;0;100;0#180;2;100;0;0"), "\(text)")
        #expect(text.hasSuffix("#5A?$#30?@$#180@?-\u{1B}\\\n"), "\(text)")
        let wide = try ImagePixels(width: 9, height: 7, bytes: Array(repeating: 255, count: 9 * 7 * 4))
        #expect(SixelPicture(wide).text.hasSuffix("#215!9~-#215!9@-\u{1B}\\\n"))
    }

    @Test func `kitty gets pixels in pieces that it puts together`() throws {
        let bytes = (0..<64 * 64 * 4).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let text = KittyPicture.text(try ImagePixels(width: 64, height: 64, bytes: bytes))
        let pieces = text.split(separator: "\u{1B}_G").map { $0.split(separator: "\u{1B}")[0] }
        #expect(pieces.count == 6)
        #expect(pieces[0].hasPrefix("a=T,q=2,f=32,s=64,v=64,m=1;"))
        #expect(pieces.last?.hasPrefix("q=2,m=0;") == true)
        let payload = pieces.map { $0.split(separator: ";")[1] }.joined()
        #expect(Data(base64Encoded: payload) == Data(bytes))
        #expect(pieces.allSatisfy { $0.split(separator: ";")[1].count <= 4096 })
    }

    @Test func `a picture fits the terminal, and is never enlarged`() {
        let box = PictureBox(columns: 81, rows: 26, cell: PictureBox(width: 1, height: 2))
        #expect(box == PictureBox(width: 80, height: 48))
        #expect(box.longestSide(ofWidth: 160, height: 20) == 80)
        #expect(box.longestSide(ofWidth: 20, height: 480) == 48)
        #expect(box.longestSide(ofWidth: 10, height: 20) == 20)
        #expect(box.longestSide(ofWidth: 65_535, height: 1) == 80)
        #expect(PictureBox(columns: 0, rows: 0, cell: .cell).longestSide(ofWidth: 0, height: 0) == 1)
    }

    private static func shown(_ bytes: [UInt8], _ type: String, _ environment: [String: String]) async throws -> String
    {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(headers: [.contentType: type], body: .bytes(bytes)))
            let terminal = ["TERM": "xterm", "LANG": "C.UTF-8"].merging(environment) { $1 }
            let test = TestConsole(isTerminal: true, environment: terminal)
            #expect(await test.run("--body", server.url) == .success)
            return test.output.text
        }
    }

    @Test func `a picture is shown with its size, or its size alone`() async throws {
        let file = DemoPicture().file
        let caption = "BMP, 96 × 80 pixels, 22.6 KiB\n"
        let blocks = try await Self.shown(file, "image/bmp", [:])
        #expect(blocks.hasSuffix("\u{1B}[0m\n" + caption), "\(blocks.suffix(60))")
        // The rows of the terminal less two, each with two pixels.
        #expect(blocks.split(separator: "\n").count == 23)
        #expect(try await Self.shown(file, "image/bmp", ["NO_COLOR": "1"]) == caption)
        let kitty = try await Self.shown(file, "image/bmp", ["TERM": "xterm-kitty"])
        #expect(kitty.hasPrefix("\u{1B}_Ga=T,q=2,f=32,s=96,v=80,"))
        let inline = try await Self.shown(file, "image/bmp", ["TERM_PROGRAM": "WezTerm"])
        #expect(inline.contains(Data(file).base64EncodedString()))
        #expect(try await Self.shown(file, "image/bmp", ["TERM": "foot"]).hasPrefix("\u{1B}P0;1;0q"))
    }

    @Test func `what is no picture is not shown, and the note is harmless`() async throws {
        let garbage = try await Self.shown(Array("GIF89a\u{1B}]0;x\u{07}".utf8), "image/gif", [:])
        #expect(garbage.hasPrefix("+ image/gif, 12 B, not shown: "), "\(garbage)")
        let odd = try await Self.shown([1, 2, 3], "image/x-odd; a=\u{1B}", [:])
        #expect(odd.contains("not shown"), "\(odd)")
        #expect(!garbage.contains("\u{1B}") && !odd.contains("\u{1B}"))
        let drawing = try await Self.shown(Array("<svg/>".utf8), "image/svg+xml", ["NO_COLOR": "1"])
        #expect(drawing == "<svg/>\n")
    }

    @Test func `a pipe and a file get the bytes of a picture`() async throws {
        try await TestServer.withServer { server in
            let file = DemoPicture().file
            server.enqueue(ScriptedResponse(headers: [.contentType: "image/bmp"], body: .bytes(file)))
            let test = TestConsole()
            #expect(await test.run("--pictures=kitty", server.url) == .success)
            #expect(test.output.bytes == file)
        }
    }

    @Test func `the real program shows a picture on a pseudo-terminal as it was told to`() async throws {
        try await TestServer.withServer { server in
            let response = ScriptedResponse(headers: [.contentType: "image/bmp"], body: .bytes(DemoPicture().file))
            server.enqueue(response, response)
            let program = Program(
                environment: ["TERM": "xterm", "LANG": "C.UTF-8", "COLORTERM": "truecolor"],
                connection: .terminal(columns: 40)
            )
            let blocks = try await program.run("--body", server.url)
            #expect(blocks.output.contains("▀") && blocks.output.contains("96 × 80 pixels"))
            let size = try await program.run("--body", "--pictures=none", server.url)
            #expect(size.output == "BMP, 96 × 80 pixels, 22.6 KiB\r\n")
        }
    }
}
