// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import Testing

/// Requests that a server must refuse, and what becomes of the ones before them.
@Suite(.timeLimit(.minutes(1))) struct MalformedRequestTests {
    private static let valid = "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let alsoValid = "POST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"

    @Test(.bug(id: "F302"), arguments: ["NOT HTTP AT ALL\r\n\r\n", "GET /3 HTTP/1.1\r\nHost: x\r\nbad field\r\n\r\n"])
    func `requests before a malformed one receive their responses, then it is refused`(_ malformed: String) async throws
    {
        let server = try await TestServer.start()
        let gate = Gate()
        server.enqueue(
            ScriptedResponse(body: "one", effect: .hold(.beforeResponse, until: gate)),
            ScriptedResponse(body: "two")
        )
        try await RawConnection.with(server) { connection in
            try await connection.send(Self.valid + Self.alsoValid + malformed)
            let first = try await server.takeRequest()
            #expect(first.target == "/1")
            gate.open()
            let one = try await connection.receiveResponse()
            #expect(one.text == "one")
            let two = try await connection.receiveResponse()
            #expect(two.text == "two")
            let refusal = try await connection.receiveResponse()
            #expect(refusal.status == 400)
            #expect(refusal["connection"] == "close")
            let rest = try await connection.receiveAll()
            #expect(rest.isEmpty)
        }
        let second = try await server.takeRequest()
        #expect(second.bodyText == "ab")
        #expect(server.takeFailures().map(\.code) == [.malformedRequest])
        await server.shutdown()
    }

    @Test func `a malformed request is reported before the response in front of it is sent`() async throws {
        let server = try await TestServer.start()
        server.enqueue(ScriptedResponse(effect: .stall(.beforeResponse)))
        try await RawConnection.with(server) { connection in
            try await connection.send(Self.valid + "NOT HTTP AT ALL\r\n\r\n")
            _ = try await server.takeRequest()
            await server.shutdown()
            let text = await connection.receiveToTheEnd().text
            #expect(text.isEmpty)
        }
        #expect(server.takeFailures().map(\.code) == [.malformedRequest])
    }

    @Test(.bug(id: "F302")) func `an error in the body of a request that waits for its turn is answered in its turn`()
        async throws
    {
        let server = try await TestServer.start()
        let gate = Gate()
        server.enqueue(ScriptedResponse(body: "one", effect: .hold(.afterHead, until: gate)), ScriptedResponse())
        try await RawConnection.with(server) { connection in
            let broken = "POST /2 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nno number\r\n"
            try await connection.send(Self.valid + broken)
            _ = try await server.takeRequest()
            gate.open()
            let one = try await connection.receiveResponse()
            #expect(one.text == "one")
            let text = try await connection.receiveAllText()
            #expect(text.hasPrefix("HTTP/1.1 400 "))
        }
        let second = try await server.takeRequest()
        #expect(second.target == "/2")
        #expect(!second.isComplete)
        #expect(server.takeFailures().map(\.code) == [.malformedRequest])
        await server.shutdown()
    }

    @Test(
        .bug(id: "F303"),
        arguments: [
            "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "GET / HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n",
        ]
    )
    func `a request with a wrong number of Host fields is refused, and takes no scripted response`(
        _ request: String
    ) async throws {
        let server = try await TestServer.start()
        server.enqueue(ScriptedResponse())
        try await RawConnection.with(server) { connection in
            try await connection.send(request)
            let text = try await connection.receiveAllText()
            #expect(text.hasPrefix("HTTP/1.1 400 "))
            #expect(text.contains("\r\nConnection: close\r\n"))
        }
        #expect(server.enqueuedCount == 1)
        #expect(server.untakenRequestCount == 0)
        #expect(server.takeFailures().map(\.code) == [.malformedRequest])
        await server.shutdown()
    }

    @Test func `a request of HTTP 1.0 needs no Host field`() async throws {
        try await TestServer.withServer { server in
            try await RawConnection.with(server) { connection in
                try await connection.send("GET /status/204 HTTP/1.0\r\n\r\n")
                let text = try await connection.receiveAllText()
                #expect(text.hasPrefix("HTTP/1.1 204 "))
            }
        }
    }

    @Test(.bug(id: "F303")) func `the connection is closed after a request of HTTP 1.0 with a transfer coding`()
        async throws
    {
        try await TestServer.withServer { server in
            try await RawConnection.with(server) { connection in
                try await connection.send(
                    "POST /upload HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "3\r\nabc\r\n0\r\n\r\nGET /status/299 HTTP/1.0\r\n\r\n"
                )
                let text = try await connection.receiveAllText()
                #expect(text.hasPrefix("HTTP/1.1 200 "))
                #expect(text.contains(#""byteCount":3,"#))
                #expect(!text.contains("keep-alive"))
                #expect(!text.contains("HTTP/1.1 299"))
            }
            #expect(server.connections.requests == 1)
        }
    }

    @Test(
        .bug(id: "F435"),
        arguments: [
            ("FOO / HTTP/1.1\r\nHost: x\r\n\r\n", 501), ("delete /a?b HTTP/1.1\r\nHost: x\r\n\r\n", 501),
            ("\r\nGETX / HTTP/1.0\r\n\r\n", 501), ("DESCRIBE / HTTP/1.1\r\nHost: x\r\n\r\n", 501),
            ("F(O / HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("FOO  / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("FOO / HTTP/9.1\r\nHost: x\r\n\r\n", 400), ("FOO /\r\n\r\n", 400), ("\u{0}\r\n\r\n", 400),
        ]
    )
    func `a method that the server does not know is 501`(_ request: String, _ status: Int) async throws {
        let server = try await TestServer.start()
        server.respond { _ in ScriptedResponse(body: "one") }
        try await RawConnection.with(server) { connection in
            try await connection.send(Self.valid)
            let one = try await connection.receiveResponse()
            #expect(one.text == "one")
            try await connection.send(request)
            let refusal = try await connection.receiveResponse()
            #expect(refusal.status == status)
            #expect(refusal.text.isEmpty == (status == 400), "\(refusal.text)")
            #expect(refusal["connection"] == "close")
            let rest = try await connection.receiveAll()
            #expect(rest.isEmpty)
        }
        #expect(server.takeFailures().map(\.code) == [.malformedRequest])
        await server.shutdown()
    }
}
