// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RecordedRequestTests {
    @Test func `holds what was sent, as it was sent`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse())
            try await RawConnection.with(server) { connection in
                try await connection.send(
                    "PUT /a%20b?x=1%202&x=3 HTTP/1.1\r\nHost: h\r\nX-ODD-case: \u{E9}\r\nx-odd-case: 2\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\nX-Trailer: t\r\n\r\n"
                )
                _ = try await connection.receiveResponse()
            }
            let request = try await server.takeRequest()
            #expect(request.method == .put)
            #expect(request.target == "/a%20b?x=1%202&x=3")
            #expect(request.path == "/a%20b")
            #expect(request.query("x") == "1 2")
            #expect(request.query("y") == nil)
            #expect(request.headers.map(\.name.rawName) == ["Host", "X-ODD-case", "x-odd-case", "Transfer-Encoding"])
            #expect(request.bodyText == "abcde")
            #expect(request.bodyByteCount == 5)
            #expect(request.bodySHA256 == "36bbe50ed96841d10443bcb670d6554f0a34b761be67ec9c4a8ad2c0c44ca42c")
            #expect(request.trailers.map(\.value) == ["t"])
            #expect(request.isComplete)
        }
    }

    @Test(.bug(id: "F392"), arguments: [HTTPRequest.Method.post, .delete, HTTPRequest.Method("M-SEARCH")])
    func `a method is one of HTTPTypes`(_ method: HTTPRequest.Method?) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse())
            try await RawConnection.with(server) { connection in
                try await connection.send("\(method?.rawValue ?? "") / HTTP/1.1\r\nHost: h\r\n\r\n")
                _ = try await connection.receiveResponse()
            }
            #expect(try await server.takeRequest().method == method)
        }
    }

    @Test func `keeps the beginning of a long body and the digest of all of it`() async throws {
        var configuration = TestServer.Configuration()
        configuration.recordedBodyLimit = 10
        try await TestServer.withServer(configuration: configuration) { server in
            server.enqueue(ScriptedResponse())
            try await RawConnection.with(server) { connection in
                let bytes = PatternBytes.bytes(500_000)
                try await connection.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(bytes.count)\r\n\r\n")
                try await connection.send(bytes)
                _ = try await connection.receiveResponse()
            }
            let request = try await server.takeRequest()
            #expect(request.body == PatternBytes.bytes(10))
            #expect(request.bodyByteCount == 500_000)
            #expect(request.bodySHA256 == (await PatternBytes.sha256(ofFirst: 500_000)))
        }
    }

    @Test func `holds what had come when the client broke off`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse())
            try await RawConnection.with(server) { connection in
                try await connection.send("POST /cut HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
                try await server.waitForConnections { $0.requests == 1 }
            }
            let request = try await server.takeRequest()
            #expect(request.path == "/cut")
            #expect(!request.isComplete)
        }
    }

    @Test func `waiting for a request ends with the deadline or with the task`() async throws {
        try await TestServer.withServer { server in
            let error = await #expect(throws: TestServerError.self) {
                try await server.takeRequest(within: .milliseconds(5))
            }
            #expect(error?.code == .timedOut)
            let task = Task { try await server.takeRequest() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test(.bug(id: "F309")) func `waiting for a request ends with the shutdown, after the requests that are left`()
        async throws
    {
        let server = try await TestServer.start()
        let waiting = Task { try await server.takeRequest() }
        await server.shutdown()
        let error = await #expect(throws: TestServerError.self) { try await waiting.value }
        #expect(error?.code == .shutDown)

        let other = try await TestServer.start()
        try await RawConnection.with(other) { connection in
            _ = try await connection.exchange("GET", "/status/200")
        }
        await other.shutdown()
        #expect(try await other.takeRequest().target == "/status/200")
        let late = await #expect(throws: TestServerError.self) { try await other.takeRequest() }
        #expect(late?.code == .shutDown)
    }

    @Test func `requests that nobody takes do not pile up`() async throws {
        var configuration = TestServer.Configuration()
        configuration.untakenRequestLimit = 3
        try await TestServer.withServer(configuration: configuration) { server in
            try await RawConnection.with(server) { connection in
                for number in 1...10 { _ = try await connection.exchange("GET", "/status/20\(number % 10)") }
            }
            #expect(server.untakenRequestCount == 3)
            #expect(server.droppedRequestCount == 7)
            #expect(try await server.takeRequest().target == "/status/208")
        }
    }

    @Test func `a handler answers its path from the request`() async throws {
        try await TestServer.withServer { server in
            server.respond(to: "/greet") { request in
                .json(#"{"hello":"\#(request.query("name") ?? "nobody")","body":"\#(request.bodyText)"}"#)
            }
            server.enqueue(ScriptedResponse(status: .imATeapot))
            try await RawConnection.with(server) { connection in
                let response1 = try await connection.exchange("POST", "/greet?name=Ada", body: "x")
                #expect(response1.status == 418)
                let response2 = try await connection.exchange("POST", "/greet?name=Ada", body: "x")
                #expect(response2.text == #"{"hello":"Ada","body":"x"}"#)
                let response3 = try await connection.exchange("GET", "/greet/")
                #expect(response3.status == 404)
            }
        }
    }
}

extension HTTPResponse.Status {
    fileprivate static var imATeapot: Self { Self(code: 418) }
}
