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
        var parser = HTTP1ResponseParser(limits: Limits())
        parser.begin(method: .get)
        var buffer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nX-A: one\r\n \t two\r\nContent-Length: 0\r\n\r\n")
        guard case .head(let head) = try parser.next(&buffer) else { return #expect(Bool(false), "no head") }
        #expect(head.headers[HTTPField.Name("X-A") ?? .accept] == "one two")
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
        var parser = HTTP1ResponseParser(limits: Limits())
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
