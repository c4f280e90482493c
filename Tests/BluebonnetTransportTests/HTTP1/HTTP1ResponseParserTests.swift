// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import Testing

@testable import BluebonnetTransport

@Suite struct HTTP1ResponseParserTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var wire: String
        var method = HTTPRequest.Method.get
        var status = 200
        var body = ""
        var trailers = [String]()
        var keepsConnection = true
        /// Bytes after the response that belong to nobody.
        var rest = ""
        var testDescription: String { self.name }
    }

    static let accepted: [Case] = [
        Case(name: "length", wire: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", body: "hello"),
        Case(name: "no reason", wire: "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", body: "hi"),
        Case(name: "empty reason", wire: "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n"),
        Case(name: "bare LF in the head", wire: "HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", body: "hi"),
        Case(
            name: "equal lengths",
            wire: "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\nhi",
            body: "hi"
        ),
        Case(name: "rest", wire: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP", body: "hi", rest: "HTTP"),
        Case(name: "HEAD", wire: "HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n", method: .head),
        Case(name: "204", wire: "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", status: 204),
        Case(name: "304", wire: "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", status: 304),
        Case(
            name: "close",
            wire: "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 1\r\n\r\nx",
            body: "x",
            keepsConnection: false
        ),
        Case(name: "1.0", wire: "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", body: "x", keepsConnection: false),
        Case(
            name: "1.0 keep",
            wire: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx",
            body: "x"
        ),
        Case(name: "until close", wire: "HTTP/1.1 200 OK\r\n\r\nall of it", body: "all of it", keepsConnection: false),
        Case(
            name: "chunked",
            wire: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n",
            body: "hello world"
        ),
        Case(
            name: "trailers",
            wire:
                "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n00A\r\n0123456789\r\n0\r\nX-Sum: 1\r\nX-B: 2\r\n\r\n",
            body: "0123456789",
            trailers: ["X-Sum: 1", "X-B: 2"]
        ),
        Case(
            name: "informational first",
            wire:
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx",
            status: 201,
            body: "x"
        ),
        Case(
            name: "chunk sizes with leading zeros",
            wire:
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0000000000000005\r\nhello\r\n"
                + String(repeating: "0", count: 40) + "\r\n\r\n",
            body: "hello"
        ),
        Case(
            name: "options of Connection outside ASCII",
            wire: "HTTP/1.0 200 OK\r\nConnection: \u{212A}eep-alive\r\nContent-Length: 1\r\n\r\nx",
            body: "x",
            keepsConnection: false
        ),
        Case(name: "folded", wire: "HTTP/1.1 200 OK\r\nX-A: one\r\n  two\r\nContent-Length: 0\r\n\r\n"),
    ]

    @Test(arguments: accepted) func `reads a response whole and byte by byte`(_ one: Case) throws {
        for size in [one.wire.utf8.count, 1, 2, 3, 7] {
            let result = try Self.read(one.wire, method: one.method, chunkSize: size)
            #expect(result.status == one.status)
            #expect(result.body == one.body)
            #expect(result.trailers == one.trailers)
            #expect(result.keepsConnection == one.keepsConnection)
            #expect(result.rest == one.rest)
            #expect(result.isComplete)
        }
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        var name: String
        var wire: String
        var code = TransportError.Code.protocolViolation
        var testDescription: String { self.name }
    }

    static let head = "HTTP/1.1 200 OK\r\n"
    static let refused: [Refusal] = [
        Refusal(name: "no status line", wire: "hello world, this is not HTTP\r\n\r\n"),
        Refusal(name: "HTTP/2", wire: "HTTP/2.0 200 OK\r\n\r\n"),
        Refusal(name: "short status", wire: "HTTP/1.1 20 OK\r\n\r\n"),
        Refusal(name: "long status", wire: "HTTP/1.1 2000 OK\r\n\r\n"),
        Refusal(name: "status below 100", wire: "HTTP/1.1 099 OK\r\n\r\n"),
        Refusal(name: "control character in reason", wire: "HTTP/1.1 200 O\u{1}K\r\n\r\n"),
        Refusal(name: "leading empty line", wire: "\r\nHTTP/1.1 200 OK\r\n\r\n"),
        Refusal(name: "conflicting lengths", wire: head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
        Refusal(name: "conflicting list", wire: head + "Content-Length: 5, 6\r\n\r\nhello"),
        Refusal(name: "negative length", wire: head + "Content-Length: -5\r\n\r\n"),
        Refusal(name: "plus length", wire: head + "Content-Length: +5\r\n\r\nhello"),
        Refusal(name: "hexadecimal length", wire: head + "Content-Length: 0x5\r\n\r\nhello"),
        Refusal(name: "huge length", wire: head + "Content-Length: 99999999999999999999\r\n\r\n"),
        Refusal(name: "empty length", wire: head + "Content-Length: \r\n\r\n"),
        Refusal(name: "both lengths", wire: head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Refusal(name: "unknown coding", wire: head + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        Refusal(
            name: "a letter that is no letter of ASCII",
            wire: head + "Transfer-Encoding: chun\u{212A}ed\r\n\r\n0\r\n\r\n"
        ),
        Refusal(name: "an empty coding", wire: head + "Transfer-Encoding:\r\n\r\n"),
        Refusal(
            name: "an empty coding beside a length",
            wire: head + "Content-Length: 5\r\nTransfer-Encoding: \r\n\r\nhello"
        ),
        Refusal(name: "twice chunked", wire: head + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
        Refusal(name: "no colon", wire: head + "Content-Length 5\r\n\r\nhello"),
        Refusal(name: "blank before colon", wire: head + "Content-Length : 5\r\n\r\nhello"),
        Refusal(name: "empty name", wire: head + ": 5\r\n\r\nhello"),
        Refusal(name: "name with control", wire: head + "X\u{0}Y: 5\r\n\r\n"),
        Refusal(name: "value with NUL", wire: head + "X: a\u{0}b\r\n\r\n"),
        Refusal(name: "value with CR", wire: head + "X: a\rb\r\n\r\n"),
        Refusal(name: "first line folded", wire: head + " X: a\r\n\r\n"),
        Refusal(name: "chunk size missing", wire: head + "Transfer-Encoding: chunked\r\n\r\n\r\n"),
        Refusal(name: "chunk size not hexadecimal", wire: head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"),
        Refusal(name: "chunk size negative", wire: head + "Transfer-Encoding: chunked\r\n\r\n-1\r\n"),
        Refusal(name: "chunk size huge", wire: head + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n"),
        Refusal(
            name: "chunk size with bare LF",
            wire: head + "Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n"
        ),
        Refusal(
            name: "chunk longer than its size",
            wire: head + "Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n"
        ),
        Refusal(
            name: "endless header line",
            wire: head + "X: " + String(repeating: "a", count: 70_000),
            code: .limitExceeded
        ),
        Refusal(
            name: "too many headers",
            wire: head + String(repeating: "A: b\r\n", count: 257) + "\r\n",
            code: .limitExceeded
        ),
        Refusal(
            name: "too many trailers",
            wire: head + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: "A: b\r\n", count: 257),
            code: .limitExceeded
        ),
        Refusal(
            name: "endless informational responses",
            wire: String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 17),
            code: .limitExceeded
        ),
        Refusal(
            name: "endless chunk extension",
            wire: head + "Transfer-Encoding: chunked\r\n\r\n5;" + String(repeating: "a", count: 5_000),
            code: .limitExceeded
        ),
    ]

    @Test(arguments: refused) func `refuses a response that breaks the protocol or a limit`(_ one: Refusal) throws {
        for size in [one.wire.utf8.count, 1, 5] {
            let error = #expect(throws: TransportError.self) {
                _ = try Self.read(one.wire, method: .get, chunkSize: size)
            }
            #expect(error?.code == one.code)
        }
    }

    @Test(.bug(id: "F536"), arguments: ["\u{0}\u{0}\u{12}\u{4}", "220-mail", "HTTP/2", "h"])
    func `refuses bytes that begin no status line before the line ends`(_ bytes: String) {
        var parser = HTTP1ResponseParser(limits: TransportLimits())
        parser.begin(method: .get)
        var buffer = ByteBuffer(string: bytes)
        let error = #expect(throws: TransportError.self) { _ = try parser.next(&buffer) }
        #expect(error?.code == .protocolViolation)
    }

    @Test(arguments: accepted.filter { !$0.wire.hasSuffix("all of it") && $0.rest.isEmpty })
    func `reports a response that is cut at any byte`(_ one: Case) {
        for length in 0..<one.wire.utf8.count {
            let cut = String(decoding: one.wire.utf8.prefix(length), as: UTF8.self)
            let error = #expect(throws: TransportError.self) {
                _ = try Self.read(cut, method: one.method, chunkSize: max(1, length))
            }
            #expect(error?.code == .connectionClosed)
        }
    }

    @Test func `joins a folded line with one space`() throws {
        var parser = HTTP1ResponseParser(limits: TransportLimits())
        parser.begin(method: .get)
        var buffer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nX-A: one\r\n \t two\r\nContent-Length: 0\r\n\r\n")
        guard case .head(let head) = try parser.next(&buffer) else { return #expect(Bool(false), "no head") }
        #expect(head.headers[HTTPField.Name("X-A") ?? .accept] == "one two")
    }

    @Test func `joins many folded lines, in the head and in the trailers`() throws {
        let lines = (0..<50).map { "\r\n\t\($0) " }.joined()
        let wire =
            "HTTP/1.1 200 OK\r\nX-A: a\(lines)\r\nX-B: b\r\n c\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "0\r\nX-C: c\(lines)\r\nX-D: d\r\n\r\n"
        var parser = HTTP1ResponseParser(limits: TransportLimits())
        parser.begin(method: .get)
        var buffer = ByteBuffer(string: wire)
        let numbers = (0..<50).map(String.init).joined(separator: " ")
        guard case .head(let head) = try parser.next(&buffer), case .end(let trailers?) = try parser.next(&buffer)
        else { return #expect(Bool(false), "no head or no end") }
        #expect(head.headers.map { "\($0.name): \($0.value)" }.prefix(2) == ["X-A: a \(numbers)", "X-B: b c"])
        #expect(trailers.map { "\($0.name): \($0.value)" } == ["X-C: c \(numbers)", "X-D: d"])
    }

    /// The time that a parser needs for a head or for chunks of so many lines.
    private static func time(_ wire: String) throws -> Duration {
        var limits = TransportLimits()
        limits.maximumHeadByteCount = .max
        var parser = HTTP1ResponseParser(limits: limits)
        let buffer = ByteBuffer(string: wire)
        var best = Duration.seconds(100)
        for _ in 0..<3 {
            parser.begin(method: .get, limits: limits)
            var rest = buffer
            let start = ContinuousClock.now
            while try parser.next(&rest) != nil {}
            best = min(best, start.duration(to: .now))
        }
        return best
    }

    @Test(arguments: ["folds", "chunks", "informational heads"])
    func `the time grows with the bytes and no faster`(_ kind: String) throws {
        func wire(_ count: Int) -> String {
            let ok = "HTTP/1.1 200 OK\r\n"
            return switch kind {
            case "folds": ok + "X-A: a" + String(repeating: "\r\n b", count: count) + "\r\n\r\n"
            case "chunks":
                ok + "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: "1\r\na\r\n", count: count) + "0\r\n\r\n"
            default:
                (0..<16).map { _ in
                    "HTTP/1.1 103 X\r\nA: " + String(repeating: "\r\n b", count: count / 16) + "\r\n\r\n"
                }
                .joined() + ok + "\r\n"
            }
        }
        _ = try Self.time(wire(1_000))
        let (short, long) = (try Self.time(wire(10_000)), try Self.time(wire(80_000)))
        // Eight times the bytes; a quadratic parser takes sixty-four times as long.
        #expect(long < short * 24, "\(short) and \(long)")
    }

    @Test func `framing that brings no data has a limit`() throws {
        func wire(_ count: Int, _ chunk: String) -> String {
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: count)
                + "0\r\n\r\n"
        }
        // Each has 4 + 1,000 + 2 bytes of framing, and may have 18.
        let wasteful = "1;" + String(repeating: "x", count: 1_000) + "\r\na\r\n"
        #expect(try Self.read(wire(16, wasteful), method: .get, chunkSize: 4_096).body.utf8.count == 16)
        let error = #expect(throws: TransportError.self) {
            try Self.read(wire(17, wasteful), method: .get, chunkSize: 4_096)
        }
        #expect(error?.code == .limitExceeded)
        // Single bytes without extensions, and extensions shorter than the data, go on for ever.
        #expect(try Self.read(wire(50_000, "1\r\na\r\n"), method: .get, chunkSize: 65_536).body.utf8.count == 50_000)
        let signed =
            "400;signature=" + String(repeating: "x", count: 64) + "\r\n" + String(repeating: "a", count: 1_024)
        #expect(
            try Self.read(wire(1_000, signed + "\r\n"), method: .get, chunkSize: 65_536).body.utf8.count == 1_024_000
        )
    }

    // MARK: - Support

    struct Result {
        var status = 0
        var body = ""
        var trailers = [String]()
        var keepsConnection = false
        var rest = ""
        var isComplete = false
    }

    /// Feeds a parser in pieces and then closes the connection.
    static func read(_ wire: String, method: HTTPRequest.Method, chunkSize: Int) throws -> Result {
        var parser = HTTP1ResponseParser(limits: TransportLimits())
        parser.begin(method: method)
        var result = Result()
        var waiting = ByteBuffer()
        var bytes = ArraySlice(wire.utf8)
        func take(_ event: HTTP1ResponseParser.Event) {
            switch event {
            case .informational: break
            case .head(let head): result.status = head.status.code
            case .body(let body): result.body += String(buffer: body)
            case .end(let trailers):
                result.isComplete = true
                result.trailers = trailers?.map { "\($0.name): \($0.value)" } ?? []
            }
        }
        while !bytes.isEmpty {
            waiting.writeBytes(bytes.prefix(chunkSize))
            bytes = bytes.dropFirst(chunkSize)
            while let event = try parser.next(&waiting) { take(event) }
        }
        if let event = try parser.finish() { take(event) }
        result.keepsConnection = parser.keepsConnection
        result.rest = String(buffer: waiting)
        return result
    }
}
