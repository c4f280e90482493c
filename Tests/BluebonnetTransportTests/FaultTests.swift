// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// What the peer does wrong, and the error it gives: the connection is gone afterwards, the engine works on.
@Suite(.timeLimit(.minutes(1))) struct FaultTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var response: ScriptedResponse
        var code = TransportError.Code.connectionClosed
        var phase: TransportError.Phase
        var testDescription: String { self.name }
    }

    static let cases: [Case] = [
        Case(
            name: "closes before the response",
            response: ScriptedResponse(effect: .close(.beforeResponse)),
            phase: .responseHead
        ),
        Case(
            name: "resets before the response",
            response: ScriptedResponse(effect: .reset(.beforeResponse)),
            phase: .responseHead
        ),
        Case(
            name: "closes after the head",
            response: ScriptedResponse(body: "hello", effect: .close(.afterHead)),
            phase: .responseBody
        ),
        Case(
            name: "resets after the head",
            response: ScriptedResponse(body: "hello", effect: .reset(.afterHead)),
            phase: .responseBody
        ),
        Case(
            name: "closes within the body",
            response: ScriptedResponse(body: .pattern(100_000), effect: .close(.afterBody(50_000))),
            phase: .responseBody
        ),
        Case(
            name: "resets within the body",
            response: ScriptedResponse(body: .pattern(100_000), effect: .reset(.afterBody(50_000))),
            phase: .responseBody
        ),
        Case(
            name: "chunked body without its last chunk",
            response: chunked(.close(.afterBody(100))),
            phase: .responseBody
        ),
        Case(
            name: "no HTTP at all",
            response: .raw("SSH-2.0-OpenSSH_9.2p1\r\n"),
            code: .protocolViolation,
            phase: .responseHead
        ),
        Case(name: "half a status line", response: .raw("HTTP/1.1 20"), phase: .responseHead),
        Case(name: "half a head", response: .raw("HTTP/1.1 200 OK\r\nContent-Le"), phase: .responseHead),
        Case(
            name: "conflicting lengths",
            response: .raw("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
            code: .protocolViolation,
            phase: .responseHead
        ),
        Case(
            name: "bad chunk size",
            response: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnope\r\n"),
            code: .protocolViolation,
            phase: .responseBody
        ),
        Case(
            name: "switches protocols unasked",
            response: .raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
            code: .protocolViolation,
            phase: .responseHead
        ),
        Case(
            name: "a header line without end",
            response: .raw("HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 1 << 20)),
            code: .limitExceeded,
            phase: .responseHead
        ),
        Case(
            name: "ten thousand headers",
            response: .raw("HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 10_000) + "\r\n"),
            code: .limitExceeded,
            phase: .responseHead
        ),
    ]

    static func chunked(_ effect: SocketEffect) -> ScriptedResponse {
        var response = ScriptedResponse(body: .pattern(100), effect: effect)
        response.framing = .chunked(byteCount: 10)
        return response
    }

    @Test(arguments: cases, [true, false]) func `a fault of the peer is one typed error`(
        _ one: Case,
        _ streamed: Bool
    ) async throws {
        try await Engine.run { engine in
            engine.server.enqueue(one.response)
            let error = await #expect(throws: TransportError.self) {
                try await engine.send(engine.request(.post, "/", streamed: streamed))
            }
            #expect(error?.code == one.code)
            #expect(error?.phase == one.phase)
            #expect(error?.isRequestSent == true)
            try await engine.server.waitForConnections { $0.open == 0 }
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
        }
    }

    @Test(arguments: [
        ("Content-Length: 10\r\n\r\nhello", TransportError.Code.connectionClosed, "hello"),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nnope\r\n", TransportError.Code.protocolViolation, "hello"),
        ("Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", TransportError.Code.decompressionFailed, ""),
    ])
    func `a head is given to who reads a stream, though its body breaks off with it`(
        _ rest: String,
        _ code: TransportError.Code,
        _ body: String
    ) async throws {
        try await Engine.run { engine in
            engine.server.enqueue(.raw("HTTP/1.1 418 Teapot\r\n" + rest))
            var request = engine.request(.get, "/", streamed: true)
            request.decodesContent = true
            let response = try await engine.transport.exchange(request)
            #expect(response.status == 418)
            var received = ByteBuffer()
            let error = await #expect(throws: TransportError.self) {
                for try await buffer in response.body { received.writeImmutableBuffer(buffer) }
            }
            #expect(error?.code == code)
            #expect(error?.phase == .responseBody)
            #expect(String(buffer: received) == body)
        }
    }

    @Test func `data after the end of a response costs the connection, not the response`() async throws {
        try await Engine.run { engine async throws in
            engine.server.enqueue(
                .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n", thenCloses: false)
            )
            #expect(try await engine.send(engine.request(.get, "/")).body == "ok")
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
            #expect(engine.server.totalConnections == 2)
        }
    }

    @Test func `a body until close over TLS needs the close notice`() async throws {
        try await Engine.run(tls: .init()) { engine async throws in
            for (effect, isCut) in [(SocketEffect.close(.afterResponse), false), (.drop(.afterResponse), true)] {
                var response = ScriptedResponse(body: "hello", effect: effect)
                response.framing = .untilClose
                engine.server.enqueue(response)
                if isCut {
                    let error = await #expect(throws: TransportError.self) {
                        try await engine.send(engine.request(.post, "/"))
                    }
                    #expect(error?.code == .connectionClosed)
                } else {
                    #expect(try await engine.send(engine.request(.post, "/")).body == "hello")
                }
            }
        }
    }

    struct BodyFault: Sendable {
        var length: Int64?
        var reader: RepeatingReader
    }

    static let bodyFaults = [
        BodyFault(length: 1_000, reader: RepeatingReader(remaining: 999)),
        BodyFault(length: 1_000, reader: RepeatingReader(remaining: 1_001)),
        BodyFault(length: 1_000_000, reader: RepeatingReader(remaining: 1_000_000, failsAt: 500_000)),
        BodyFault(length: nil, reader: RepeatingReader(remaining: 1_000_000, failsAt: 500_000)),
    ]

    @Test(arguments: bodyFaults.indices) func `a request body that is not what it promised fails the exchange`(
        _ index: Int
    ) async throws {
        let fault = Self.bodyFaults[index]
        try await Engine.run { engine in
            let body = TransportBody.reader(length: fault.length, isReplayable: true) { fault.reader }
            let error = await #expect(throws: TransportError.self) {
                try await engine.send(engine.request(.put, "/upload", body: body))
            }
            #expect(error?.code == .bodyFailed)
            #expect(error?.phase == .requestBody)
            try await engine.server.waitForConnections { $0.open == 0 }
            _ = engine.server.takeFailures()
        }
    }

    struct Unsendable: CustomTestStringConvertible, Sendable {
        var name: String
        var change: @Sendable (inout TransportRequest) -> Void
        var testDescription: String { self.name }
    }

    static let unsendable: [Unsendable] = [
        Unsendable(name: "target with CRLF") { $0.target = "/a\r\nX: y" },
        Unsendable(name: "target with space") { $0.target = "/a b" },
        Unsendable(name: "target with NUL") { $0.target = "/a\u{0}" },
        Unsendable(name: "target with non-ASCII") { $0.target = "/ä" },
        Unsendable(name: "target with LF") { $0.target = "/a\n" },
        Unsendable(name: "empty target") { $0.target = "" },
        Unsendable(name: "absolute target") { $0.target = "http://a/" },
        Unsendable(name: "host with CRLF") { $0.origin.host = "a\r\nX: y" },
        Unsendable(name: "host with slash") { $0.origin.host = "a/b" },
        Unsendable(name: "empty host") { $0.origin.host = "" },
        Unsendable(name: "port 0") { $0.origin.port = 0 },
        Unsendable(name: "port 65536") { $0.origin.port = 65536 },
        Unsendable(name: "negative port") { $0.origin.port = -1 },
    ]

    @Test(arguments: unsendable) func `refuses what cannot be sent before a connection is made`(
        _ one: Unsendable
    ) async throws {
        try await Engine.run { engine in
            var request = engine.request(.get, "/")
            one.change(&request)
            let error = await #expect(throws: TransportError.self) { try await engine.transport.exchange(request) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.isRequestSent == false)
            #expect(engine.server.totalConnections == 0)
        }
    }
}
