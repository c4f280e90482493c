// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ByteRoutesTests {
    struct Case: CustomTestStringConvertible {
        var method = "GET"
        var target = "/bytes/1000"
        var headers: [String] = []
        var status = 200
        var range: Range<Int64>? = 0..<1000
        var contentRange: String?
        var testDescription: String { "\(self.method) \(self.target) \(self.headers)" }
    }

    static let modified = "Fri, 01 Mar 2024 12:00:00 GMT"

    @Test(arguments: [
        Case(),
        Case(target: "/bytes/0", range: 0..<0),
        Case(target: "/bytes/3000000", range: 0..<3_000_000),
        Case(headers: ["Range: bytes=10-19"], status: 206, range: 10..<20, contentRange: "bytes 10-19/1000"),
        Case(headers: ["Range: bytes=-1"], status: 206, range: 999..<1000, contentRange: "bytes 999-999/1000"),
        Case(headers: ["Range: bytes=1000-"], status: 416, range: 0..<0, contentRange: "bytes */1000"),
        Case(headers: ["Range: bytes=0-1,5-6"]),
        Case(
            headers: ["Range: bytes=5-", "If-Range: \"bytes-1000\""],
            status: 206,
            range: 5..<1000,
            contentRange: "bytes 5-999/1000"
        ),
        Case(
            headers: ["Range: bytes=5-", "If-Range: \(Self.modified)"],
            status: 206,
            range: 5..<1000,
            contentRange: "bytes 5-999/1000"
        ),
        Case(headers: ["Range: bytes=5-", "If-Range: \"other\""]),
        Case(headers: ["Range: bytes=5-", "If-Range: W/\"bytes-1000\""]),
        Case(target: "/bytes/1000?etag=v2", headers: ["Range: bytes=5-", "If-Range: \"bytes-1000\""]),
        Case(headers: ["If-None-Match: \"x\", \"bytes-1000\""], status: 304, range: nil),
        Case(headers: ["If-None-Match: \"x\""]),
        Case(headers: ["If-None-Match: W/\"bytes-1000\""], status: 304, range: nil),
        Case(headers: ["If-Modified-Since: \(Self.modified)"], status: 304, range: nil),
        Case(headers: ["If-Modified-Since: Fri, 01 Mar 2024 11:59:59 GMT"]),
        Case(headers: ["If-Modified-Since: yesterday"]),
        // RFC 9110 section 13.1.3: ignored beside If-None-Match.
        Case(headers: ["If-Modified-Since: \(Self.modified)", "If-None-Match: \"x\""]),
        Case(headers: ["If-Match: \"bytes-1000\""]),
        Case(headers: ["If-Match: *"]),
        Case(headers: ["If-Match: \"x\""], status: 412, range: 0..<0),
        Case(headers: ["If-Match: W/\"bytes-1000\""], status: 412, range: 0..<0),
        Case(headers: ["If-Unmodified-Since: \(Self.modified)"]),
        Case(headers: ["If-Unmodified-Since: Friday, 01-Mar-24 11:59:59 GMT"], status: 412, range: 0..<0),
        Case(headers: ["Range: bytes=0-9", "If-Match: \"x\""], status: 412, range: 0..<0),
        Case(method: "HEAD", headers: ["Range: bytes=0-9"], range: nil),
        Case(method: "HEAD", range: nil),
    ])
    func `gives the bytes that were asked for`(example: Case) async throws {
        try await TestServer.withServer { server in
            try await RawConnection.with(server) { connection in
                let response = try await connection.exchange(example.method, example.target, headers: example.headers)
                #expect(response.status == example.status)
                #expect(response["content-range"] == example.contentRange)
                #expect(
                    response["etag"]
                        == (example.target.contains("v2")
                            ? "\"v2\"" : "\"\(example.target.dropFirst().replacing("/", with: "-"))\"")
                )
                #expect(response["accept-ranges"] == "bytes")
                #expect(response["last-modified"] == Self.modified)
                #expect(response.body == example.range.map { PatternBytes.bytes(in: $0) } ?? [])
                if example.status != 304 { #expect(response["content-length"] == "\(example.range?.count ?? 1000)") }
            }
        }
    }

    @Test(arguments: [
        "/bytes/-1", "/bytes/x", "/bytes/99999999999999999999", "/stream-bytes/5?chunk=0", "/bytes/5?etag=a%0d%0ab",
        "/bytes/5?etag=%22",
    ])
    func `refuses what makes no sense`(target: String) async throws {
        let response = try await EchoRouteTests.exchange("GET", target)
        #expect(response.status == 400)
    }

    @Test func `announces more bytes than there is memory, and stops when the client has enough`() async throws {
        try await TestServer.withServer { server in
            try await RawConnection.with(server) { connection in
                try await connection.send("GET /bytes/\(Int64.max) HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try await connection.receiveHead()["content-length"] == "\(Int64.max)")
                let bytes = try await connection.receive(100_000)
                #expect(bytes == PatternBytes.bytes(100_000))
            }
            try await server.waitForConnections { $0.open == 0 }
        }
    }

    @Test func `streams in chunks, and to a client of HTTP 1.0 until it closes`() async throws {
        let response = try await EchoRouteTests.exchange("GET", "/stream-bytes/1000?chunk=300")
        #expect(response.chunkSizes == [300, 300, 300, 100])
        #expect(response.body == PatternBytes.bytes(1000))
        try await TestServer.withServer { server in
            try await RawConnection.with(server) { connection in
                try await connection.send("GET /stream-bytes/1000?chunk=300 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                let response = try await connection.receiveResponse()
                #expect(response["connection"] == "close")
                #expect(response.body == PatternBytes.bytes(1000))
            }
        }
    }
}
