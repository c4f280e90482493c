// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import NIOCore
import TestSupport
import Testing

@testable import Bluebonnet

struct LineTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var ending = LineOptions.Ending.lineFeed
        var lines: [String]

        var testDescription: String { "\(self.text.debugDescription), \(self.ending)" }
    }

    static let cases = [
        Case(text: "", lines: []),
        Case(text: "a", lines: ["a"]),
        Case(text: "a\n", lines: ["a"]),
        Case(text: "a\r\nb\r\n", lines: ["a", "b"]),
        Case(text: "a\n\n\nb", lines: ["a", "", "", "b"]),
        Case(text: "\n", lines: [""]),
        Case(text: "\r\n", lines: [""]),
        Case(text: "a\rb\n", lines: ["a\rb"]),
        Case(text: "a\r\r\nb", lines: ["a\r", "b"]),
        Case(text: "a\r", lines: ["a\r"]),
        Case(text: "\r", lines: ["\r"]),
        Case(text: "ü€🚀\r\ne\u{301}", lines: ["ü€🚀", "e\u{301}"]),
        Case(text: "a\u{2028}b\u{85}c\u{0B}d\n", lines: ["a\u{2028}b\u{85}c\u{0B}d"]),
        Case(text: "a\rb\n", ending: .any, lines: ["a", "b"]),
        Case(text: "a\r\nb\r\rc\n\rd", ending: .any, lines: ["a", "b", "", "c", "", "d"]),
        Case(text: "a\r", ending: .any, lines: ["a"]),
        Case(text: "a\r\n", ending: .any, lines: ["a"]),
        Case(text: "\r\n\n", ending: .any, lines: ["", ""]),
    ]

    @Test(arguments: cases) func `lines are the same wherever the body is cut`(_ one: Case) async throws {
        let options = LineOptions(ending: one.ending)
        let bytes = Array(one.text.utf8)
        for cut in Cut.several + bytes.indices.map({ .at($0) }) {
            let text = try await StreamedResponse.streaming(one.text, cut: cut).lines(options).all()
            #expect(text.map { Array($0.utf8) } == one.lines.map { Array($0.utf8) }, "\(cut)")
            let raw = try await StreamedResponse.streaming(one.text, cut: cut).byteLines(options).all()
            #expect(raw == one.lines.map { ByteBuffer(string: $0) }, "\(cut)")
        }
    }

    @Test(arguments: [
        ("1234\n12345\nx\n", ["1234", "12345", "x"], false),
        ("12345\r\n12345", ["12345", "12345"], false),
        ("1\n123456\n2\n", ["1"], true),
        ("1\n123456\r\n", ["1"], true),
        ("1\n123456", ["1"], true),
        ("1\n12345\r", ["1"], true),
        ("1\n12345\r6\n", ["1"], true),
    ])
    func `a line beyond its limit is refused, wherever the body is cut`(
        _ text: String,
        _ lines: [String],
        _ isRefused: Bool
    ) {
        let bytes = Array(text.utf8)
        for cut in Cut.several + bytes.indices.map({ .at($0) }) {
            var parser = TextLineParser(LineOptions(lineByteCount: 5))
            let (found, error) = parser.elements(of: bytes, cut: cut)
            #expect(found == lines, "\(cut)")
            #expect(error?.code == (isRefused ? .limitExceeded : nil), "\(cut)")
        }
    }

    @Test func `a line without an end is not kept beyond its limit`() async throws {
        let body = ScriptedBody((0..<100).map { _ in .bytes(1_000) })
        let response = StreamedResponse(
            to: Request(url: try Peer.url("http://h/")),
            status: .ok,
            body: ResponseBody(source: body, expectedLength: nil)
        )
        let error = await #expect(throws: SessionError.self) {
            try await response.lines(LineOptions(lineByteCount: 3_500)).all()
        }
        #expect(error?.code == .limitExceeded)
        #expect(error?.request?.url.absoluteString == "http://h/")
        #expect(body.readCount == 4)
    }

    @Test func `bytes that are not UTF-8 are replaced or refused`() async throws {
        let bytes: [UInt8] = Array("ok\n".utf8) + [0x61, 0xFF, 0x62, 0x0A] + Array("ok\n".utf8)
        for cut in Cut.several {
            var replacing = TextLineParser(LineOptions())
            #expect(replacing.elements(of: bytes, cut: cut).elements == ["ok", "a\u{FFFD}b", "ok"])
            var refusing = TextLineParser(LineOptions(invalidText: .refused))
            let (lines, error) = refusing.elements(of: bytes, cut: cut)
            #expect(lines == ["ok"])
            #expect(error?.code == .serializationFailed)
            #expect(error?.reason.contains("line 2") == true)
        }
    }

    @Test func `after an error nothing follows`() async throws {
        var lines = try StreamedResponse.streaming("1\n123456\n2\n").lines(LineOptions(lineByteCount: 5))
            .makeAsyncIterator()
        #expect(try await lines.next() == "1")
        await #expect(throws: SessionError.self) { try await lines.next() }
        #expect(try await lines.next() == nil)
    }

    @Test func `a cancelled reader gets no line that had arrived`() async throws {
        let response = try StreamedResponse.streaming("1\n2\n3\n", cut: .whole)
        let (started, go) = (Recorder<String>(), AsyncStream.makeStream(of: Void.self))
        let task = Task {
            for try await line in response.lines {
                started.record(line)
                go.continuation.yield()
                try? await untilCancelled()
            }
        }
        for await _ in go.stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(started.elements == ["1"])
    }

    @Test(arguments: [LineOptions.Ending.lineFeed, .any], ["lines", "a line", "carriage returns"])
    func `time grows with the length of the body and no faster`(_ ending: LineOptions.Ending, _ kind: String) throws {
        let times = try Scaling.seconds { factor in
            let count = 10_000 * factor
            let text =
                switch kind {
                case "lines": String(repeating: "xxx\n", count: count / 4)
                case "a line": String(repeating: "x", count: count)
                default: String(repeating: "xxx\r", count: count / 4)
                }
            let bytes = Array(text.utf8)
            return {
                var parser = TextLineParser(LineOptions(lineByteCount: .max, ending: ending))
                #expect(parser.elements(of: bytes, cut: .every(512)).error == nil)
            }
        }
        #expect(times[3] / times[0] < Scaling.largestGrowth, "\(times)")
    }
}
