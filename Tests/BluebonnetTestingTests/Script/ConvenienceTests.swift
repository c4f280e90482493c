// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

/// The short forms of scripts and handlers.
@Suite(.timeLimit(.minutes(1)))
struct ConvenienceTests {
    @Test func `responses have texts with interpolations, and header fields with names as text`() throws {
        let name = "Ada"
        let limit = try #require(HTTPField.Name("X-RateLimit-Limit"))
        #expect(ScriptedResponse(body: "hello \(name)").body == .text("hello Ada"))
        let fields = ScriptedResponse(headers: ["Retry-After": "1", "X-RateLimit-Limit": "5", "Retry-After": "2"])
        #expect(fields.headers == [.retryAfter: "1", limit: "5", .retryAfter: "2"])
        #expect(ScriptedResponse(headers: [:]).headers.isEmpty)
        let json = ScriptedResponse.json("{}", headers: [.eTag: "1"], effect: .close(.afterHead))
        #expect(json.headers == [.contentType: "application/json", .eTag: "1"] && json.effect == .close(.afterHead))
        #expect(ScriptedResponse.json("{}", headers: [.contentType: "a/b"]).headers == [.contentType: "a/b"])
    }

    @Test(.bug(id: "F840")) func `a script and a stub have texts and bytes, each with its type`() async throws {
        let text = ScriptedResponse.text("hello", status: .created, headers: [.eTag: "1"])
        #expect(text.status == .created && text.body == "hello")
        #expect(text.headers == [.contentType: "text/plain; charset=utf-8", .eTag: "1"])
        #expect(ScriptedResponse.text("a", type: "text/csv").headers == [.contentType: "text/csv"])
        let picture = ScriptedResponse.data(Data([0xFF, 0xD8]), type: "image/jpeg", effect: .close(.afterHead))
        #expect(picture.body == .bytes([0xFF, 0xD8]) && picture.effect == .close(.afterHead))
        #expect(picture.headers == [.contentType: "image/jpeg"])
        let stub = StubTransport { _ in .data(Data([0xFF, 0xD8]), headers: [.contentType: "image/jpeg"]) }
        let origin = Origin(scheme: .https, host: "h.test")
        let response = try await stub.exchange(TransportRequest(origin: origin, target: "/"))
        #expect(response.headers == [.contentType: "image/jpeg"])
        #expect(Array(buffer: try await response.body.collect(upTo: 10)) == [0xFF, 0xD8])
    }

    @Test func `a handler may have a pattern, which gives way to the path itself and to later patterns`() async throws {
        try await TestServer.withServer { server in
            server.respond(to: "/users/*") { .json("\"pattern \($0.path)\"") }
            server.respond(to: "/users/7") { _ in ScriptedResponse(body: "path") }
            server.respond(to: "/*/9") { _ in ScriptedResponse(body: "first") }
            server.respond(to: "/*/9") { _ in ScriptedResponse(body: "later") }
            server.respond { _ in ScriptedResponse(body: "any") }
            let expected = [
                "/users/1?a=b": "\"pattern /users/1\"", "/users/7": "path", "/users/9": "later", "/users/1/2": "any",
                "/users": "any",
            ]
            try await RawConnection.with(server) { connection in
                for (target, text) in expected {
                    let response = try await connection.exchange("GET", target)
                    #expect(response.text == text, "\(target)")
                }
            }
        }
    }

    @Test func `a handler waits for a gate, and not after its cancellation`() async throws {
        let gate = Gate()
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await gate.wait()
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let waiting = Task { try await gate.wait() }
        gate.open()
        try await waiting.value
        try await gate.wait()
    }

    @Test func `a server has a URL, and a recorded request has data`() async throws {
        try await TestServer.withServer { server in
            #expect(server.baseURL.absoluteString == server.url)
            server.respond(to: "/") { request in
                let fields = try JSONDecoder().decode([String: Int].self, from: request.bodyData)
                return ScriptedResponse(body: "\(fields["a"] ?? 0)")
            }
            try await RawConnection.with(server) { connection in
                try await connection.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n{\"a\":3}")
                let response = try await connection.receiveResponse()
                #expect(response.text == "3")
            }
        }
    }
}
