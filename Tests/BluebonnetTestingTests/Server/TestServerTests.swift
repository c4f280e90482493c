// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TestServerTests {
    @Test func `answers several requests on one connection, in their order`() async throws {
        try await TestServer.withServer { server in
            try await RawConnection.with(server) { connection in
                for path in ["/status/204", "/bytes/10", "/echo?a=1", "/status/418"] {
                    let response = try await connection.exchange("GET", path)
                    #expect(response.status == (path == "/status/204" ? 204 : path == "/status/418" ? 418 : 200))
                }
            }
            #expect(server.totalConnections == 1)
            #expect(server.connections.requests == 4)
            try await server.waitForConnections { $0.open == 0 }
        }
    }

    @Test func `answers pipelined requests one after the other, also when the first response is slow`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(body: "one"),
                ScriptedResponse(body: "two"),
                ScriptedResponse(body: "three")
            )
            server.enqueue(ScriptedResponse(body: "four", effect: .throttle(byteCount: 1, every: .milliseconds(1))))
            try await RawConnection.with(server) { connection in
                var text = ""
                for path in ["/1", "/2", "/3", "/4"] {
                    text += "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"
                }
                try await connection.send(text)
                for body in ["one", "two", "three", "four"] {
                    let response = try await connection.receiveResponse()
                    #expect(response.text == body)
                }
            }
            for number in 1...4 {
                let request = try await server.takeRequest()
                #expect(request.target == "/\(number)")
                #expect(request.sequenceNumber == number)
                #expect(request.connectionID == 1)
                #expect(request.bodyText == "ab")
            }
        }
    }

    @Test func `says continue to a client that asks before it sends its body`() async throws {
        try await TestServer.withServer { server in
            try await RawConnection.with(server) { connection in
                try await connection.send(
                    "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
                )
                let response1 = try await connection.receiveHead()
                #expect(response1.status == 100)
                try await connection.send("abc")
                let response = try await connection.receiveResponse()
                #expect(response.status == 200)
                #expect(response.text.contains(#""text":"abc""#))
            }
        }
    }

    @Test func `refuses bytes that are not HTTP, and tells the test`() async throws {
        let server = try await TestServer.start()
        try await RawConnection.with(server) { connection in
            try await connection.send("NOT HTTP AT ALL\r\n\r\n")
            let response = try await connection.receiveAllText()
            #expect(response.hasPrefix("HTTP/1.1 400 "))
        }
        #expect(server.takeFailures().first?.code == .malformedRequest)
        #expect(server.takeFailures().isEmpty)
        await server.shutdown()
    }

    @Test func `a scope throws what went wrong on the server's side`() async throws {
        await #expect(throws: TestServerError.self) {
            try await TestServer.withServer { server in
                server.respond(to: "/broken") { _ in throw EndOfStream() }
                try await RawConnection.with(server) { connection in
                    let response = try await connection.exchange("GET", "/broken")
                    #expect(response.status == 500)
                }
            }
        }
    }

    @Test func `a handler may wait, and other connections are served meanwhile`() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        try await TestServer.withServer { server in
            server.respond(to: "/late") { request in
                for await _ in gate { break }
                return ScriptedResponse(body: .bytes(request.body))
            }
            try await RawConnection.with(server) { connection in
                try await connection.send("POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi")
                try await connection.send("GET /status/204 HTTP/1.1\r\nHost: a\r\n\r\n")
                try await RawConnection.with(server) { other in
                    let response = try await other.exchange("GET", "/status/418")
                    #expect(response.status == 418)
                }
                open.yield()
                let response = try await connection.receiveResponse()
                #expect(response.status == 200 && response.body == Array("hi".utf8))
                #expect(try await connection.receiveResponse().status == 204)
            }
        }
    }

    @Test func `a handler is cancelled when its connection ends, which is no failure`() async throws {
        let (started, start) = AsyncStream<Void>.makeStream()
        let (cancelled, cancel) = AsyncStream<Void>.makeStream()
        try await TestServer.withServer { server in
            server.respond(to: "/never") { _ in
                start.yield()
                defer { if Task.isCancelled { cancel.yield() } }
                // Ends with the task.
                for await _ in AsyncStream<Void>.makeStream().stream {}
                try Task.checkCancellation()
                return ScriptedResponse()
            }
            try await RawConnection.with(server) { connection in
                try await connection.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n")
                for await _ in started { break }
            }
            for await _ in cancelled { break }
        }
    }

    private struct ClientFailure: Error {}

    @Test(.bug(id: "F572")) func `a scope throws the failure of the server if the client has thrown because of it`()
        async throws
    {
        let error = await #expect(throws: TestServerError.self) {
            try await TestServer.withServer { server in
                server.respond(to: "/broken") { _ in throw EndOfStream() }
                try await RawConnection.with(server) { connection in
                    _ = try await connection.exchange("GET", "/broken")
                }
                throw ClientFailure()
            }
        }
        #expect(error?.code == .handlerFailed)
        #expect(error?.underlying is EndOfStream)
        #expect(error?.reason == "a handler threw: EndOfStream(); after that the test threw ClientFailure()")
    }

    @Test(.bug(id: "F572"), arguments: [true, false])
    func `a scope throws the error of its closure if the server has no failure, or was cancelled`(
        _ isCancelled: Bool
    ) async throws {
        let thrown: any Error = isCancelled ? CancellationError() : ClientFailure()
        let error = await #expect(throws: (any Error).self) {
            try await TestServer.withServer { server in
                server.respond(to: "/broken") { _ in throw EndOfStream() }
                try await RawConnection.with(server) { connection in
                    _ = try await connection.exchange("GET", isCancelled ? "/broken" : "/status/200")
                }
                throw thrown
            }
        }
        #expect(isCancelled ? error is CancellationError : error is ClientFailure)
    }

    @Test func `can be dropped without being shut down, and then closes its sockets`() async throws {
        weak var dropped: TestServer?
        let (dropping, drop) = AsyncStream<Void>.makeStream()
        let client: Task<[UInt8], any Error>
        do {
            let server = try await TestServer.start()
            dropped = server
            let port = server.port
            client = Task {
                try await RawConnection.with("127.0.0.1", port) { connection in
                    let response = try await connection.exchange("GET", "/status/200")
                    #expect(response.status == 200)
                    drop.yield()
                    return try await connection.receiveAll()
                }
            }
            for await _ in dropping { break }
            try await server.waitForConnections { $0.open == 1 }
        }
        #expect(dropped == nil)
        #expect(try await client.value.isEmpty)
    }

    @Test(arguments: [-1, 65536, Int.max])
    func `refuses a port that is none`(port: Int) async {
        var configuration = TestServer.Configuration()
        configuration.port = port
        let error = await #expect(throws: TestServerError.self) {
            try await TestServer.start(configuration: configuration)
        }
        #expect(error?.code == .cannotListen)
    }

    @Test(.bug(id: "F573")) func `says which port is taken`() async throws {
        try await TestServer.withServer { server in
            var configuration = TestServer.Configuration()
            configuration.port = server.port
            let error = await #expect(throws: TestServerError.self) {
                try await TestServer.start(configuration: configuration)
            }
            #expect(error?.code == .cannotListen)
            let address = "127.0.0.1:\(server.port)"
            #expect(error?.reason == "no socket could be opened on \(address): Address already in use")
        }
    }

    static let ipv6 = {
        var configuration = TestServer.Configuration()
        configuration.address = .ipv6
        return configuration
    }()

    // Containers are often started without IPv6.
    @Test(.enabled("the system has the address ::1") { (try? await TestServer.start(configuration: Self.ipv6)) != nil })
    func `listens on the loopback address of IPv6`() async throws {
        try await TestServer.withServer(configuration: Self.ipv6) { server in
            #expect(server.url == "http://[::1]:\(server.port)")
            try await RawConnection.with(server) { connection in
                let response = try await connection.exchange("GET", "/")
                #expect(response.text.contains("/bytes/N"))
            }
        }
    }

    @Test func `shutting down ends connections that wait for an answer`() async throws {
        let server = try await TestServer.start()
        server.enqueue(ScriptedResponse(effect: .stall(.beforeResponse)))
        try await RawConnection.with(server) { connection in
            try await connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try await server.takeRequest()
            await server.shutdown()
            let response = try await connection.receiveAll()
            #expect(response.isEmpty)
        }
        #expect(server.openConnections == 0)
        await server.shutdown()
    }
}
