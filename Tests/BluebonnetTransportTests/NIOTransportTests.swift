// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct NIOTransportTests {
    @Test func `sends the head as it should be and reads the response`() async throws {
        try await Engine.run { engine in
            engine.server.enqueue(ScriptedResponse(status: .created, headers: [.eTag: "\"a\""], body: "hello"))
            let answer = try await engine.send(engine.request(.get, "/a?b=c", headers: [.accept: "*/*"]))
            #expect(answer.status == 201)
            #expect(answer.body == "hello")
            #expect(answer.response.headers[.eTag] == "\"a\"")
            let received = try await engine.server.takeRequest()
            #expect(received.method == .get)
            #expect(received.target == "/a?b=c")
            #expect(
                received.headers.map { "\($0.name.rawName): \($0.value)" } == [
                    "Host: \(engine.origin.authority)", "Accept: */*",
                ]
            )
        }
    }

    struct BodyCase: Sendable {
        var method: HTTPRequest.Method
        var body: TransportBody
        var expected: [String: String?]
        var byteCount: Int64
    }

    static let bodies: [BodyCase] = [
        BodyCase(method: .get, body: .none, expected: ["Content-Length": nil, "Transfer-Encoding": nil], byteCount: 0),
        BodyCase(method: .post, body: .none, expected: ["Content-Length": "0"], byteCount: 0),
        BodyCase(method: .delete, body: .none, expected: ["Content-Length": nil], byteCount: 0),
        BodyCase(method: .post, body: .bytes(ByteBuffer()), expected: ["Content-Length": "0"], byteCount: 0),
        BodyCase(
            method: .put,
            body: .bytes(ByteBuffer(string: "abc")),
            expected: ["Content-Length": "3"],
            byteCount: 3
        ),
        BodyCase(
            method: .put,
            body: .bytes(ByteBuffer(repeating: 0x78, count: 3_000_000)),
            expected: ["Content-Length": "3000000"],
            byteCount: 3_000_000
        ),
        BodyCase(method: .put, body: reader(5_000_000), expected: ["Content-Length": "5000000"], byteCount: 5_000_000),
        BodyCase(
            method: .put,
            body: reader(1_000, pieceSize: 7),
            expected: ["Content-Length": "1000"],
            byteCount: 1_000
        ),
        BodyCase(method: .put, body: reader(0), expected: ["Content-Length": "0"], byteCount: 0),
        BodyCase(
            method: .put,
            body: reader(5_000_000, isLengthKnown: false),
            expected: ["Content-Length": nil, "Transfer-Encoding": "chunked"],
            byteCount: 5_000_000
        ),
        BodyCase(
            method: .put,
            body: reader(1_000, pieceSize: 7, isLengthKnown: false),
            expected: ["Transfer-Encoding": "chunked"],
            byteCount: 1_000
        ),
        BodyCase(
            method: .put,
            body: reader(0, isLengthKnown: false),
            expected: ["Transfer-Encoding": "chunked"],
            byteCount: 0
        ),
    ]

    static func reader(_ count: Int64, pieceSize: Int = .max, isLengthKnown: Bool = true) -> TransportBody {
        .reader(length: isLengthKnown ? count : nil, isReplayable: true) {
            RepeatingReader(remaining: count, pieceSize: pieceSize)
        }
    }

    @Test(arguments: bodies.indices) func `sends a body whole and frames it by its length`(_ index: Int) async throws {
        let one = Self.bodies[index]
        try await Engine.run { engine in
            engine.server.enqueue(ScriptedResponse(body: "ok"))
            _ = try await engine.send(engine.request(one.method, "/upload", body: one.body))
            let received = try await engine.server.takeRequest()
            #expect(received.bodyByteCount == one.byteCount)
            #expect(received.body.allSatisfy { $0 == 0x78 || $0 == 0x61 || $0 == 0x62 || $0 == 0x63 })
            for (name, value) in one.expected {
                #expect(received.headers[try #require(HTTPField.Name(name))] == value)
            }
        }
    }

    @Test func `computes lengths itself and lets the caller choose the host`() async throws {
        try await Engine.run { engine in
            let host = try #require(HTTPField.Name("Host"))
            engine.server.enqueue(ScriptedResponse(body: "ok"))
            let headers: HTTPFields = [.contentLength: "999", .transferEncoding: "chunked", host: "virtual.test"]
            _ = try await engine.send(
                engine.request(.post, "/", headers: headers, body: .bytes(ByteBuffer(string: "abc")))
            )
            let received = try await engine.server.takeRequest()
            #expect(received.headers[values: .contentLength] == ["3"])
            #expect(received.headers[.transferEncoding] == nil)
            #expect(received.headers[values: host] == ["virtual.test"])
        }
    }

    @Test func `keeps one connection for requests that follow each other`() async throws {
        try await Engine.run { engine in
            for number in 0..<100 {
                let answer = try await engine.send(engine.request(.get, "/status/200"))
                #expect(answer.status == 200)
                #expect(answer.response.metrics.isConnectionReused == (number > 0))
            }
            #expect(engine.server.totalConnections == 1)
        }
    }

    @Test(arguments: [true, false]) func `never opens more connections than allowed and answers everyone`(
        _ streamed: Bool
    ) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.pool.maximumConnectionsPerOrigin = 4
        try await Engine.run(engine: configuration) { engine in
            let total = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        try await engine.send(engine.request(.get, "/bytes/\(number * 97)", streamed: streamed))
                            .response
                            .status.code
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(total == 200 * 200)
            #expect(engine.server.totalConnections <= 4)
        }
    }

    @Test(arguments: ["Connection: close", "HTTP/1.0"]) func `does not reuse a connection that is to be closed`(
        _ kind: String
    ) async throws {
        try await Engine.run { engine async throws in
            for _ in 0..<2 {
                engine.server.enqueue(
                    kind == "HTTP/1.0"
                        ? .raw("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok")
                        : ScriptedResponse(headers: [.connection: "close"], body: "ok")
                )
                #expect(try await engine.send(engine.request(.get, "/")).body == "ok")
            }
            #expect(engine.server.totalConnections == 2)
        }
    }

    @Test func `streams a large response in pieces`() async throws {
        try await Engine.run { engine in
            let response = try await engine.transport.exchange(engine.request(.get, "/bytes/20000000", streamed: true))
            #expect(response.body.expectedLength == 20_000_000)
            #expect(response.body.collectedBytes == nil)
            var count = 0
            for try await buffer in response.body {
                #expect(buffer.readableBytes > 0)
                count += buffer.readableBytes
            }
            #expect(count == 20_000_000)
            #expect(try await engine.send(engine.request(.get, "/status/204")).status == 204)
            #expect(engine.server.totalConnections == 1, "a stream that was read to its end gives its connection back")
        }
    }

    @Test func `refuses a collected response above its limit`() async throws {
        try await Engine.run { engine in
            for framing in [ScriptedResponse.Framing.length, .chunked(byteCount: 100), .untilClose] {
                var response = ScriptedResponse(body: .pattern(10_001))
                response.framing = framing
                engine.server.enqueue(response)
                var request = engine.request(.get, "/")
                request.responseMode = .collected(upTo: 10_000)
                let error = await #expect(throws: TransportError.self) { try await engine.transport.exchange(request) }
                #expect(error?.code == .responseTooLarge)
            }
            try await engine.server.waitForConnections { $0.open == 0 }
        }
    }

    @Test func `takes a verdict that comes before the body is sent`() async throws {
        try await Engine.run { engine in
            var early = ScriptedResponse(status: .contentTooLarge, headers: [.connection: "close"], body: "too large")
            early.isEarly = true
            engine.server.enqueue(early)
            let answer = try await engine.send(engine.request(.post, "/", body: Self.reader(500_000_000)))
            #expect(answer.status == 413)
            #expect(answer.body == "too large")
            // The server was promised more.
            try await engine.server.waitForConnections { $0.open == 0 }
            _ = engine.server.takeFailures()
        }
    }

    @Test(arguments: ["/bytes/0", "/bytes/1", "/bytes/70000"]) func `HEAD has a length and no body`(
        _ target: String
    ) async throws {
        try await Engine.run { engine in
            for _ in 0..<3 {
                let answer = try await engine.send(engine.request(.head, target, streamed: true))
                #expect(answer.status == 200)
                #expect(answer.bytes.readableBytes == 0)
                #expect(answer.response.headers[.contentLength] == String(target.dropFirst("/bytes/".count)))
            }
            #expect(engine.server.totalConnections == 1)
        }
    }

    @Test func `measures the phases in order`() async throws {
        try await Engine.run(tls: .init()) { engine in
            let metrics = try await engine.send(engine.request(.get, "/delay/0.05")).response.metrics
            let stamps = [
                metrics.started, metrics.connectStarted, metrics.connectEnded, metrics.tlsHandshakeEnded,
                metrics.requestHeadStarted,
                metrics.requestBodyEnded, metrics.responseHeadEnded, metrics.responseBodyEnded,
            ]
            let known = stamps.compactMap { $0 }
            #expect(known.count == stamps.count)
            #expect(known == known.sorted())
            #expect(known[6] - known[5] >= .milliseconds(40))
            #expect(
                metrics.remoteAddress == "127.0.0.1:\(engine.server.port)"
                    || metrics.remoteAddress == "[::1]:\(engine.server.port)"
            )
            let second = try await engine.send(engine.request(.get, "/status/200")).response.metrics
            #expect(second.connectStarted == nil)
            #expect(second.isConnectionReused)
        }
    }
}
