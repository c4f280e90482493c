// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// What an HTTP/1.1 peer does wrong, byte by byte; the connection stays open, so that the error comes from the bytes alone.
@Suite(.timeLimit(.minutes(2))) struct HTTP1FaultTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var response: String
        var code = TransportError.Code.protocolViolation
        var phase = TransportError.Phase.responseHead
        var testDescription: String { self.name }
    }

    static func head(_ name: String, _ response: String, _ code: TransportError.Code = .protocolViolation) -> Case {
        Case(name: name, response: response, code: code)
    }

    static func field(_ name: String, _ line: String) -> Case {
        Case(name: name, response: "HTTP/1.1 200 OK\r\n\(line)\r\n\r\n")
    }

    static func chunk(_ name: String, _ chunks: String, _ code: TransportError.Code = .protocolViolation) -> Case {
        Case(
            name: name,
            response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)",
            code: code,
            phase: .responseBody
        )
    }

    static let heads: [Case] = [
        head("no status line", "Content-Length: 0\r\n\r\n"),
        head("an empty line first", "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        head("another protocol", "RTSP/1.0 200 OK\r\n\r\n"),
        head("another version", "HTTP/2.0 200 OK\r\n\r\n"),
        head("a version in lower case", "http/1.1 200 OK\r\n\r\n"),
        head("a version of two digits", "HTTP/1.10 200 OK\r\n\r\n"),
        head("a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"),
        head("a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"),
        head("a status below 100", "HTTP/1.1 099 OK\r\n\r\n"),
        head("a status with a sign", "HTTP/1.1 +20 OK\r\n\r\n"),
        head("two spaces before the status", "HTTP/1.1  200 OK\r\n\r\n"),
        head("a tab before the status", "HTTP/1.1\t200 OK\r\n\r\n"),
        head("NUL in the reason", "HTTP/1.1 200 O\u{0}K\r\n\r\n"),
        head("CR in the reason", "HTTP/1.1 200 O\rK\r\n\r\n"),
        head("garbage", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\u{3}\u{3}\n"),
        head("a megabyte of reason", "HTTP/1.1 200 " + String(repeating: "a", count: 1 << 20), .limitExceeded),
        head("a megabyte without a line", String(repeating: "a", count: 1 << 20)),
        head("the settings of HTTP/2", "\u{0}\u{0}\u{12}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}"),
        head(
            "a megabyte of a field",
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 1 << 20),
            .limitExceeded
        ),
        head("a megabyte of a name", "HTTP/1.1 200 OK\r\n" + String(repeating: "a", count: 1 << 20), .limitExceeded),
        head(
            "ten thousand fields",
            "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 10_000) + "\r\n",
            .limitExceeded
        ),
        head(
            "endless folded lines",
            "HTTP/1.1 200 OK\r\nA: b\r\n" + String(repeating: " c\r\n", count: 20_000),
            .limitExceeded
        ),
        head(
            "endless informational responses",
            String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 10_000),
            .limitExceeded
        ),
        head("an upgrade unasked for", "HTTP/1.1 101 Switching Protocols\r\n\r\n"),
    ]

    static let fields: [Case] = [
        field("a line without a colon", "Nonsense"),
        field("a space before the colon", "A : b"),
        field("a name without a character", ": b"),
        field("a space in a name", "A b: c"),
        field("NUL in a name", "A\u{0}: b"),
        field("NUL in a value", "A: b\u{0}c"),
        field("CR in a value", "A: b\rc"),
        field("a continuation of nothing", " folded"),
        field("two lengths", "Content-Length: 1\r\nContent-Length: 2"),
        field("two lengths in one field", "Content-Length: 1, 2"),
        field("a negative length", "Content-Length: -1"),
        field("a length with a sign", "Content-Length: +1"),
        field("a length in hexadecimal", "Content-Length: 0x10"),
        field("a length with a fraction", "Content-Length: 1.5"),
        field("a length without digits", "Content-Length: "),
        field("a length beyond 64 bits", "Content-Length: 99999999999999999999"),
        field("a length and chunks", "Content-Length: 1\r\nTransfer-Encoding: chunked"),
        field("chunks and a length", "Transfer-Encoding: chunked\r\nContent-Length: 1"),
        field("an unknown transfer coding", "Transfer-Encoding: gzip"),
        field("a coding before the chunks", "Transfer-Encoding: gzip, chunked"),
        field("chunks twice", "Transfer-Encoding: chunked, chunked"),
        field("chunks twice in two fields", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
        field("chunks that are not last", "Transfer-Encoding: chunked, identity"),
        field("chunks with a vertical tab", "Transfer-Encoding: \u{B}chunked"),
    ]

    static let chunks: [Case] = [
        chunk("no size", "\r\nabc\r\n"),
        chunk("a size in words", "nope\r\n"),
        chunk("a negative size", "-5\r\nhello\r\n"),
        chunk("a size with a sign", "+5\r\nhello\r\n"),
        chunk("a size with its base", "0x5\r\nhello\r\n"),
        chunk("a blank before the size", " 5\r\nhello\r\n"),
        chunk("a size with an underscore", "1_0\r\n"),
        chunk("a size beyond 64 bits", "FFFFFFFFFFFFFFFFF\r\n"),
        chunk("a size that overflows", "8000000000000000\r\n"),
        chunk("a size line that ends in LF", "5\nhello\r\n"),
        chunk("a size line with CR within", "5\r;x\r\nhello\r\n"),
        chunk("NUL in an extension", "5;\u{0}\r\nhello\r\n"),
        chunk("a chunk that is longer than it says", "2\r\nhello\r\n"),
        chunk("a chunk that is shorter than it says", "7\r\nhello\r\n0\r\n\r\n"),
        chunk("a chunk that ends in LF", "5\r\nhello\n0\r\n\r\n"),
        chunk("an extension without end", "5;" + String(repeating: "x", count: 100_000), .limitExceeded),
        chunk("zeros without end", String(repeating: "0", count: 100_000)),
        chunk("a bad trailer", "0\r\nno colon\r\n\r\n"),
        chunk("NUL in a trailer", "0\r\nA: \u{0}\r\n\r\n"),
        chunk("a trailer without end", "0\r\nA: " + String(repeating: "x", count: 100_000), .limitExceeded),
        chunk("ten thousand trailers", "0\r\n" + String(repeating: "A: b\r\n", count: 10_000), .limitExceeded),
    ]

    @Test(arguments: heads + fields + chunks, [nil, 1000])
    func `a fault in the bytes is one typed error, while the peer waits`(_ one: Case, pieceSize: Int?) async throws {
        try await Engine.run { engine in
            engine.server.enqueue(.raw(one.response, pieceByteCount: pieceSize, thenCloses: false))
            let error = await #expect(throws: TransportError.self) {
                try await engine.send(engine.request(.post, "/"))
            }
            // Too many zeros are an impossible size when they come in one piece, and a line without end otherwise.
            #expect(error?.code == one.code || one.name == "zeros without end" && error?.code == .limitExceeded)
            #expect(error?.phase == one.phase)
            #expect(error?.isRequestSent == true)
            try await engine.server.waitForConnections { $0.open == 0 }
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
            #expect(engine.transport.statistics.inFlight == 0)
            #expect(engine.transport.statistics.opened == 2)
        }
    }

    static let whole =
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nA: b\r\n\r\n"

    @Test(arguments: [false, true]) func `a response that is cut anywhere is an error`(streamed: Bool) async throws {
        try await Engine.run { engine in
            let bytes = Array(Self.whole.utf8)
            for count in bytes.indices {
                engine.server.enqueue(.raw(bytes.prefix(count)))
                let error = await #expect(throws: TransportError.self, "cut after \(count) bytes") {
                    try await engine.send(engine.request(.post, "/", streamed: streamed))
                }
                #expect(error?.code == .connectionClosed)
                #expect(error?.isRequestSent == true)
            }
            engine.server.enqueue(.raw(bytes, pieceByteCount: 1))
            let answer = try await engine.send(engine.request(.post, "/", streamed: streamed))
            #expect(answer.body == "hello world")
            #expect(answer.response.body.trailers?.count == 1)
        }
    }

    @Test(arguments: [
        SocketEffect.Moment.beforeResponse, .afterHead, .afterBody(1), .afterBody(999), .afterBody(60_000),
    ])
    func `a reset at any moment is an error`(moment: SocketEffect.Moment) async throws {
        for streamed in [false, true] {
            try await Engine.run { engine in
                engine.server.enqueue(ScriptedResponse(body: .pattern(100_000), effect: .reset(moment)))
                let error = await #expect(throws: TransportError.self) {
                    try await engine.send(engine.request(.post, "/", streamed: streamed))
                }
                #expect(error?.code == .connectionClosed)
                try await engine.server.waitForConnections { $0.open == 0 }
            }
        }
    }

    @Test func `a verdict that stops in the middle is the silence of a body, not of the upload`() async throws {
        try await Engine.run { engine in
            var verdict = ScriptedResponse(body: .pattern(1000), effect: .stall(.afterBody(10)))
            verdict.status = HTTPResponse.Status(code: 413)
            verdict.isEarly = true
            engine.server.enqueue(verdict)
            var request = engine.request(.post, "/", body: .endless)
            request.continueTimeout = .seconds(30)
            request.timeouts.idle = .milliseconds(200)
            request.timeouts.total = .seconds(20)
            let error = await #expect(throws: TransportError.self) { try await engine.send(request) }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .responseBody)
            _ = engine.server.takeFailures()
        }
    }

    @Test func `what comes behind a response is not taken for the next one`() async throws {
        let responses = ["x", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", "\r\n"]
        for extra in responses {
            try await Engine.run { engine in
                engine.server.enqueue(
                    .raw(
                        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + extra,
                        pieceByteCount: 39,
                        thenCloses: false
                    )
                )
                #expect(try await engine.send(engine.request(.get, "/")).body == "ok")
                let next = try await engine.send(engine.request(.get, "/bytes/7"))
                #expect(next.status == 200)
                #expect(next.bytes.readableBytes == 7)
            }
        }
    }
}
