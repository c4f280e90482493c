// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SocketEffectTests {
    static let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"

    struct Case: CustomTestStringConvertible {
        var effect: SocketEffect
        var received: String
        var testDescription: String { "\(self.effect)" }
    }

    static func receive(_ response: ScriptedResponse) async throws -> (text: String, error: (any Error)?) {
        try await TestServer.withServer { server in
            server.enqueue(response)
            return try await RawConnection.with(server) { connection in
                try await connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                return await connection.receiveToTheEnd()
            }
        }
    }

    @Test(arguments: [
        Case(effect: .close(.beforeResponse), received: ""),
        Case(effect: .close(.afterHead), received: Self.head),
        Case(effect: .close(.afterBody(0)), received: Self.head),
        Case(effect: .close(.afterBody(4)), received: Self.head + "0123"),
        Case(effect: .drop(.afterBody(4)), received: Self.head + "0123"),
        Case(effect: .close(.afterBody(10)), received: Self.head + "0123456789"),
        Case(effect: .close(.afterBody(99)), received: Self.head + "0123456789"),
        Case(effect: .close(.afterResponse), received: Self.head + "0123456789"),
    ])
    func `closes where it is told to`(example: Case) async throws {
        let (text, error) = try await Self.receive(ScriptedResponse(body: "0123456789", effect: example.effect))
        #expect(text == example.received)
        #expect(error == nil)
    }

    @Test(arguments: [
        Case(effect: .reset(.beforeResponse), received: ""),
        Case(effect: .reset(.afterHead), received: Self.head),
        Case(effect: .reset(.afterBody(4)), received: Self.head + "0123"),
        Case(effect: .reset(.afterResponse), received: Self.head + "0123456789"),
    ])
    func `resets where it is told to`(example: Case) async throws {
        let (text, error) = try await Self.receive(ScriptedResponse(body: "0123456789", effect: example.effect))
        #expect(example.received.hasPrefix(text))
        #expect(error is IOError)
    }

    @Test func `a chunked body that is cut short lacks its last chunk`() async throws {
        var response = ScriptedResponse(body: "0123456789", effect: .close(.afterBody(10)))
        response.framing = .chunked(byteCount: 8)
        let (text, _) = try await Self.receive(response)
        #expect(text.hasSuffix("\r\n\r\n8\r\n01234567\r\n2\r\n89\r\n"))
    }

    @Test(arguments: [
        (SocketEffect.stall(.beforeResponse), ""), (.stall(.afterHead), Self.head),
        (.stall(.afterBody(3)), Self.head + "012"),
    ])
    func `stalls until the client gives up`(effect: SocketEffect, received: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "0123456789", effect: effect))
            try await RawConnection.with(server) { connection in
                try await connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                let text = String(decoding: try await connection.receive(received.utf8.count), as: UTF8.self)
                #expect(text == received)
                #expect(try await server.takeRequest().isComplete)
                #expect(server.openConnections == 1)
            }
            try await server.waitForConnections { $0.open == 0 }
        }
    }

    @Test(arguments: [
        (SocketEffect.Moment.beforeResponse, ""), (.afterHead, Self.head), (.afterBody(3), Self.head + "012"),
        (.afterBody(10), Self.head + "0123456789"), (.afterResponse, Self.head + "0123456789"),
    ])
    func `holds the response until the gate is opened, then goes on`(
        moment: SocketEffect.Moment,
        received: String
    ) async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.enqueue(ScriptedResponse(body: "0123456789", effect: .hold(moment, until: gate)))
            try await RawConnection.with(server) { connection in
                try await connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                let text = String(decoding: try await connection.receive(received.utf8.count), as: UTF8.self)
                #expect(text == received)
                gate.open()
                let rest = (Self.head + "0123456789").dropFirst(received.count)
                let more = String(decoding: try await connection.receive(rest.utf8.count), as: UTF8.self)
                #expect(more == rest)
                #expect(gate.isOpen)
                let response = try await connection.exchange("GET", "/status/299")
                #expect(response.status == 299)
            }
        }
    }

    @Test(arguments: [TestServer.ConnectionEffect.close, .reset, .stall], [false, true])
    func `a connection can fail before HTTP and TLS`(effect: TestServer.ConnectionEffect, isSecure: Bool) async throws {
        var configuration = TestServer.Configuration()
        configuration.connectionEffect = effect
        try await TestServer.withServer(tls: isSecure ? .init() : nil, configuration: configuration) { server in
            let client = Task {
                try await RawConnection.with(server, root: isSecure ? server.certificateAuthority.pem : nil) {
                    connection in
                    try await connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                    _ = try await connection.receiveHead()
                }
            }
            try await server.waitForConnections { $0.total == 1 }
            if effect == .stall { server.closeConnections() }
            await #expect(throws: (any Error).self) { try await client.value }
            let counts = try await server.waitForConnections { $0.open == 0 }
            #expect(counts.requests == 0)
            #expect(counts.handshakes == 0)
        }
    }

    @Test func `an offer to change the protocol is answered and ends the connection`() async throws {
        try await TestServer.withServer { server in
            try await RawConnection.with(server) { connection in
                try await connection.send(
                    "GET /status/200 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
                )
                let text = try await connection.receiveAllText()
                #expect(text.hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test func `throttles the body into pieces`() async throws {
        let (text, error) = try await Self.receive(
            ScriptedResponse(
                headers: [.connection: "close"],
                body: "0123456789",
                effect: .throttle(byteCount: 3, every: .milliseconds(5))
            )
        )
        #expect(text.hasSuffix("\r\n\r\n0123456789"))
        #expect(error == nil)
    }

    @Test func `does not read a body, so that the client cannot send all of it`() async throws {
        var configuration = TestServer.Configuration()
        configuration.receiveBufferByteCount = 16384
        try await TestServer.withServer(configuration: configuration) { server in
            server.enqueue(ScriptedResponse(effect: .doNotRead))
            let client = Task {
                try await RawConnection.with(server) { connection in
                    try await connection.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n")
                    // More than the system's buffers hold: this cannot come to an end.
                    for _ in 0..<64 { try await connection.send([UInt8](repeating: 0, count: 1024 * 1024)) }
                }
            }
            let request = try await server.takeRequest()
            #expect(!request.isComplete)
            #expect(request.bodyByteCount == 0)
            server.closeConnections()
            await #expect(throws: (any Error).self) { try await client.value }
        }
    }

    @Test(arguments: [nil, 1, 7])
    func `sends raw bytes as they are`(pieceByteCount: Int?) async throws {
        let bytes = Array("HTTP/9.9 banana\nnot: \u{0} http\r\r\n".utf8) + [0xFF, 0x00]
        try await TestServer.withServer { server in
            server.enqueue(.raw(bytes, pieceByteCount: pieceByteCount))
            try await RawConnection.with(server) { connection in
                try await connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                let received = try await connection.receiveAll()
                #expect(received == bytes)
            }
        }
    }

    @Test func `raw bytes may leave the connection open for the next request`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(.raw("HTTP/1.1 200 OK\r\ncontent-length:1\r\n\r\nx", thenCloses: false))
            try await RawConnection.with(server) { connection in
                let response1 = try await connection.exchange("GET", "/")
                #expect(response1.text == "x")
                let response2 = try await connection.exchange("GET", "/status/404")
                #expect(response2.status == 404)
            }
        }
    }
}
