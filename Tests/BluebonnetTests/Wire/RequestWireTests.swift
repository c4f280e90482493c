// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// What a request looks like to a server.
@Suite(.timeLimit(.minutes(1))) struct RequestWireTests {
    private struct Echo: Decodable, Sendable {
        var method: String
        var target: String
    }

    // A server that is not healthy is in no state to notice that the client is gone.
    private func withAPI(
        isHealthy: Bool = true,
        _ body: (HTTPSession, TestServer) async throws -> Void
    ) async throws {
        try await TestServer.withServer { server in
            let api = HTTPSession(baseURL: URL(string: server.url), transport: try server.makeTransport())
            try await body(api, server)
            await api.session.transport.shutdown()
            if isHealthy { try await server.waitForConnections { $0.open == 0 } }
        }
    }

    @Test func `sends every verb`() async throws {
        try await self.withAPI { api, server in
            #expect(try await api.get("echo/a?b=c#d", as: Echo.self).target == "/echo/a?b=c")
            #expect(try await api.delete("echo", as: Echo.self).method == "DELETE")
            #expect(try await api.post("echo", as: Echo.self).method == "POST")
            #expect(try await api.put("echo", as: Echo.self).method == "PUT")
            #expect(try await api.patch("echo", as: Echo.self).method == "PATCH")
            let head = try await api.head("bytes/100")
            #expect(head.body.isEmpty)
            #expect(head.headers[.contentLength] == "100")
            var methods: [String] = []
            for _ in 0..<6 { methods.append(try await server.takeRequest().method.rawValue) }
            #expect(methods == ["GET", "DELETE", "POST", "PUT", "PATCH", "HEAD"])
            #expect(server.totalConnections == 1)
        }
    }

    @Test func `sends the credentials of the URL and nothing else of them`() async throws {
        try await self.withAPI { api, server in
            let url = server.url.replacing("http://", with: "http://us%40er:p%3Aw@")
            _ = try await api.get("\(url)/echo")
            let request = try await server.takeRequest()
            #expect(request.headers[values: .authorization] == ["Basic dXNAZXI6cDp3"])
            let host = try #require(HTTPField.Name("Host"))
            #expect(request.headers[values: host] == ["\(server.host):\(server.port)"])
            #expect(request.target == "/echo")
        }
    }

    /// Gives pattern bytes, in pieces as large as they are asked for.
    private struct Pattern: BodyReader {
        var position: Int64 = 0
        var end: Int64

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let next = min(self.position + Int64(buffer.count), self.end)
            buffer.copyBytes(from: PatternBytes.bytes(in: self.position..<next))
            defer { self.position = next }
            return Int(next - self.position)
        }
    }

    struct Upload: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var body: RequestBody
    }

    @Test(arguments: [
        Upload(testDescription: "data", body: .data(Data(PatternBytes.bytes(3_000_000)))),
        Upload(
            testDescription: "stream",
            body: .stream(length: 3_000_000, makeReader: { Pattern(end: 3_000_000) })
        ),
        Upload(
            testDescription: "stream of unknown length",
            body: .stream(length: nil, makeReader: { Pattern(end: 3_000_000) })
        ),
    ])
    func `sends every byte of a body and counts them`(_ upload: Upload) async throws {
        try await self.withAPI { api, server in
            let request = Request(method: .put, url: try api.url(for: "upload"), body: upload.body)
            let monitor = TransferMonitor()
            for monitor in [nil, monitor] {
                let response = try await api.session.response(for: request, monitor: monitor)
                #expect(response.status == .ok)
                let arrived = try await server.takeRequest()
                #expect(arrived.bodyByteCount == 3_000_000)
                #expect(await arrived.bodySHA256 == PatternBytes.sha256(ofFirst: 3_000_000))
            }
            #expect(monitor.upload.isFinished)
            #expect(monitor.upload.current == TransferProgress(completed: 3_000_000, total: 3_000_000))
        }
    }

    @Test(arguments: [(Int64(10), Int64(9)), (10, 11), (3_000_000, 2_999_999), (3_000_000, 3_000_001)])
    func `refuses a body that is not as long as it promised`(_ promised: Int64, _ given: Int64) async throws {
        try await self.withAPI { api, server in
            let body = RequestBody.stream(length: promised, makeReader: { Pattern(end: given) })
            let request = Request(method: .post, url: try api.url(for: "upload"), body: body)
            let error = await #expect(throws: SessionError.self) { try await api.session.response(for: request) }
            #expect(error?.code == .bodyFailed)
            #expect(error?.isRequestSent == true)
            // The server saw a request that was cut short, as it should have.
            try await server.waitForConnections { $0.open == 0 }
            #expect(server.takeFailures().count <= 1)
        }
    }

    @Test func `is cancelled while a peer does not read`() async throws {
        try await self.withAPI(isHealthy: false) { api, server in
            server.enqueue(ScriptedResponse(effect: .doNotRead))
            let body = RequestBody.stream(length: 100_000_000, makeReader: { Pattern(end: 100_000_000) })
            let request = Request(method: .post, url: try api.url(for: "upload"), body: body)
            let monitor = TransferMonitor()
            let task = Task { try await api.session.response(for: request, monitor: monitor) }
            for await progress in monitor.upload where progress.completed > 0 { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(monitor.upload.current.completed < 100_000_000)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 abc OK\r\n\r\n", SessionError.Code.protocolViolation),
        ("nonsense\r\n\r\n", .protocolViolation),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", .protocolViolation),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", .connectionClosed), ("", .connectionClosed),
    ])
    func `says what a bad peer did`(_ response: String, _ code: SessionError.Code) async throws {
        try await self.withAPI { api, server in
            // A peer that closes without a word may be asked twice.
            server.enqueue(.raw(response), .raw(response))
            let error = await #expect(throws: SessionError.self) { try await api.post("echo") }
            #expect(error?.code == code)
            #expect(error?.isRequestSent == true)
            #expect(error?.reason.isEmpty == false)
        }
    }

    @Test func `says that nobody is there`() async throws {
        let server = try await TestServer.start()
        await server.shutdown()
        let api = HTTPSession(transport: NIOTransport())
        let error = await #expect(throws: SessionError.self) { try await api.get("\(server.url)/?secret=1") }
        #expect(error?.code == .connectFailed)
        #expect(error?.isRequestSent == false)
        #expect(error?.description.contains("secret") == false)
        await api.session.transport.shutdown()
    }

    @Test func `does not trust a stranger`() async throws {
        try await TestServer.withServer(tls: TestServer.TLS()) { server in
            let api = HTTPSession(transport: NIOTransport())
            let error = await #expect(throws: SessionError.self) { try await api.get("\(server.url)/") }
            #expect(error?.code == .untrustedCertificate)
            #expect(error?.isRequestSent == false)
            await api.session.transport.shutdown()
        }
    }
}
