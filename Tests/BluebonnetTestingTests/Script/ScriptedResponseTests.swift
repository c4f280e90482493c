// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ScriptedResponseTests {
    static func exchange(_ response: ScriptedResponse, method: String = "GET") async throws -> RawResponse {
        try await TestServer.withServer { server in
            server.enqueue(response)
            return try await RawConnection.with(server) { connection in
                let first = try await connection.exchange(method, "/any/path?q=1")
                // Whatever came before, the connection must still be in step.
                if first["connection"] == nil {
                    let response = try await connection.exchange("GET", "/status/299")
                    #expect(response.status == 299)
                }
                return first
            }
        }
    }

    @Test func `sends status, fields and body`() async throws {
        let response = try await Self.exchange(
            ScriptedResponse(
                status: .init(code: 222, reasonPhrase: "Fine"),
                headers: [.eTag: "\"a\"", .server: "x"],
                body: "abc"
            )
        )
        #expect(response.status == 222)
        #expect(response.headers.map(\.name) == ["ETag", "Server", "Content-Length"])
        #expect(response.text == "abc")
    }

    @Test func `sends no body to HEAD, and its length all the same`() async throws {
        let response = try await Self.exchange(ScriptedResponse(body: "abc"), method: "HEAD")
        #expect(response["content-length"] == "3")
        #expect(response.body.isEmpty)
    }

    @Test(arguments: [204, 304])
    func `sends no body with a status that has none`(code: Int) async throws {
        let response = try await Self.exchange(ScriptedResponse(status: .init(code: code), body: "abc"))
        #expect(response.status == code)
        #expect(response["content-length"] == nil)
    }

    @Test func `sends chunks and trailers`() async throws {
        var script = ScriptedResponse(body: "0123456789")
        script.framing = .chunked(byteCount: 4)
        script.trailers = [.eTag: "42"]
        let response = try await Self.exchange(script)
        #expect(response.chunkSizes == [4, 4, 2])
        #expect(response.text == "0123456789")
        #expect(response.trailers == ["ETag: 42"])
    }

    @Test func `ends a body without a length by closing`() async throws {
        var script = ScriptedResponse(body: "0123456789")
        script.framing = .untilClose
        let response = try await Self.exchange(script)
        #expect(response["connection"] == "close")
        #expect(response["content-length"] == nil)
        #expect(response.text == "0123456789")
    }

    @Test func `leaves the framing alone when it is told to`() async throws {
        var script = ScriptedResponse(headers: [.connection: "close"], body: "abc")
        script.framing = .asGiven
        let response = try await Self.exchange(script)
        #expect(response.headers.map(\.name) == ["Connection"])
        #expect(response.text == "abc")
    }

    @Test func `sends informational responses first`() async throws {
        try await TestServer.withServer { server in
            var script = ScriptedResponse(body: "abc")
            script.informational = [
                .init(status: .init(code: 102)), .init(status: .init(code: 103), headers: [.location: "/a"]),
            ]
            server.enqueue(script)
            try await RawConnection.with(server) { connection in
                try await connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                let response1 = try await connection.receiveHead()
                #expect(response1.status == 102)
                let response2 = try await connection.receiveHead()
                #expect(response2["location"] == "/a")
                let response3 = try await connection.receiveResponse()
                #expect(response3.text == "abc")
            }
        }
    }

    @Test func `answers before the body has come, and reads it to its end`() async throws {
        try await TestServer.withServer { server in
            var script = ScriptedResponse(status: .contentTooLarge, body: "no")
            script.isEarly = true
            server.enqueue(script)
            try await RawConnection.with(server) { connection in
                try await connection.send(
                    "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
                )
                let response1 = try await connection.receiveResponse()
                #expect(response1.status == 413)
                try await connection.send("12345GET /status/299 HTTP/1.1\r\nHost: x\r\n\r\n")
                let response2 = try await connection.receiveResponse()
                #expect(response2.status == 299)
                #expect(try await server.takeRequest().bodyText == "12345")
            }
        }
    }

    @Test func `keeps a client waiting that asks whether to go on, when it is told to`() async throws {
        try await TestServer.withServer { server in
            var script = ScriptedResponse(body: "late")
            script.sendsContinue = false
            server.enqueue(script)
            try await RawConnection.with(server) { connection in
                try await connection.send(
                    "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"
                )
                try await connection.send("x")
                let response = try await connection.receiveResponse()
                #expect(response.status == 200)
            }
        }
    }

    @Test func `makes a long body while it is sent`() async throws {
        let count = 3_000_000
        let response = try await Self.exchange(ScriptedResponse(body: .pattern(Int64(count))))
        #expect(response.body == PatternBytes.bytes(count))
    }

    @Test func `waits before the head when it is told to`() async throws {
        var script = ScriptedResponse()
        script.delay = .milliseconds(30)
        let start = ContinuousClock.now
        #expect(try await Self.exchange(script).status == 200)
        #expect(ContinuousClock.now - start >= .milliseconds(30))
    }
}
