// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EchoRouteTests {
    struct Echo: Decodable {
        struct Body: Decodable {
            var byteCount: Int
            var sha256: String
            var text: String?
            var base64: String?
        }

        struct Part: Decodable {
            var name: String?
            var filename: String?
            var contentType: String?
            var headers: [[String]]
            var byteCount: Int64
            var sha256: String
            var text: String?
        }

        var method: String
        var target: String
        var path: String
        var query: [[String]]
        var headers: [[String]]
        var connection: Int
        var sequence: Int
        var body: Body
        var form: [[String]]?
        var parts: [Part]?
        var json: [String: Int]?
    }

    static func echo(
        _ method: String,
        _ target: String,
        headers: [String] = [],
        body: String? = nil
    ) async throws -> Echo {
        let response = try await Self.exchange(method, target, headers: headers, body: body)
        #expect(response.status == 200)
        return try JSONDecoder().decode(Echo.self, from: Data(response.body))
    }

    static func exchange(
        _ method: String,
        _ target: String,
        headers: [String] = [],
        body: String? = nil
    ) async throws -> RawResponse {
        try await TestServer.withServer { server in
            try await RawConnection.with(server) { connection in
                try await connection.exchange(method, target, headers: headers, body: body)
            }
        }
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "M-SEARCH"])
    func `shows the method, the target and the fields in their order`(method: String) async throws {
        let echo = try await Self.echo(
            method,
            "/anything/a%20b/c?x=1&x=%C3%A9+e&y",
            headers: ["B: 2", "a: 1", "b: 3, \"4\""]
        )
        #expect(echo.method == method)
        #expect(echo.target == "/anything/a%20b/c?x=1&x=%C3%A9+e&y")
        #expect(echo.path == "/anything/a%20b/c")
        #expect(echo.query == [["x", "1"], ["x", "é e"], ["y", ""]])
        #expect(echo.headers == [["Host", "localhost"], ["B", "2"], ["a", "1"], ["b", "3, \"4\""]])
        #expect(echo.body.byteCount == 0)
        #expect(echo.body.text?.isEmpty == true)
        #expect(echo.connection == 1)
        #expect(echo.sequence == 1)
    }

    @Test func `shows a text as text and other bytes in base64`() async throws {
        #expect(try await Self.echo("POST", "/post", body: "\"é\"\n").body.text == "\"é\"\n")
        try await TestServer.withServer { server in
            try await RawConnection.with(server) { connection in
                try await connection.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n")
                try await connection.send([0xFF, 0, 0x41])
                let response = try await connection.receiveResponse()
                let echo = try JSONDecoder().decode(Echo.self, from: Data(response.body))
                #expect(echo.body.base64 == "/wBB")
                #expect(echo.body.text == nil)
            }
        }
    }

    @Test func `shows the fields of a form`() async throws {
        let type = "Content-Type: application/x-www-form-urlencoded; charset=utf-8"
        let echo = try await Self.echo("POST", "/echo", headers: [type], body: "a=1&b%5B%5D=2+3&c")
        #expect(echo.form == [["a", "1"], ["b[]", "2 3"], ["c", ""]])
    }

    @Test(.bug(id: "F305"), arguments: [100_000, 100_001])
    func `a form has 100,000 fields at most, and one with more is refused`(_ count: Int) async throws {
        let type = "Content-Type: application/x-www-form-urlencoded"
        let body = String(repeating: "a&", count: count - 1) + "b"
        let response = try await Self.exchange("POST", "/echo", headers: [type], body: body)
        if count > 100_000 {
            #expect(response.status == 400)
            #expect(response.text == "{\"error\":\"the form has more than 100000 fields\"}\n")
        } else {
            #expect(response.status == 200)
            let echo = try JSONDecoder().decode(Echo.self, from: Data(response.body))
            #expect(echo.form?.count == count)
        }
    }

    @Test(.bug(id: "F305")) func `shows every item of a long query`() async throws {
        let echo = try await Self.echo("GET", "/echo?" + String(repeating: "a&", count: 10_000) + "b=1")
        #expect(echo.query.count == 10_001)
        #expect(echo.query.last == ["b", "1"])
    }

    @Test func `shows JSON as it was sent, and null if it is none`() async throws {
        let type = ["Content-Type: application/problem+json"]
        let response = try await Self.exchange(
            "POST",
            "/echo",
            headers: type,
            body: #"{ "n": 123456789012345678901234567890.10 }"#
        )
        #expect(response.text.contains(#""json":{ "n": 123456789012345678901234567890.10 }"#))
        let broken = try await Self.exchange("POST", "/echo", headers: type, body: #"{"n":}"#)
        #expect(broken.text.contains(#""json":null"#))
    }

    @Test func `shows the parts of a multipart body`() async throws {
        let body =
            "--x y\r\nContent-Disposition: form-data; name=\"a b\"\r\n\r\none\r\n"
            + "--x y\r\nContent-Disposition: form-data; name=\"f\"; filename=\"%22.txt\"\r\nContent-Type: text/plain\r\n\r\ntwo\r\n--x y--\r\n"
        let parts = try #require(
            try await Self.echo(
                "POST",
                "/echo",
                headers: ["Content-Type: multipart/form-data; boundary=\"x y\""],
                body: body
            ).parts
        )
        #expect(parts.map(\.name) == ["a b", "f"])
        #expect(parts.map(\.filename) == [nil, "%22.txt"])
        #expect(parts.map(\.contentType) == [nil, "text/plain"])
        #expect(parts.map(\.byteCount) == [3, 3])
        #expect(parts.map(\.text) == ["one", nil])
        #expect(parts[1].headers.map { $0[0] } == ["Content-Disposition", "Content-Type"])
        #expect(parts[1].sha256 == "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3")
    }

    @Test(arguments: ["multipart/form-data", "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=x"])
    func `refuses a multipart body that is none`(type: String) async throws {
        for path in ["/echo", "/upload"] {
            let response = try await Self.exchange(
                "POST",
                path,
                headers: ["Content-Type: \(type)"],
                body: "--y\r\n\r\n--y--"
            )
            #expect(response.status == 400)
            #expect(response.text.hasPrefix("{\"error\":\"the multipart"))
        }
    }

    @Test func `an upload is counted and digested, and its parts too`() async throws {
        let count = 5_000_000
        let digest = await PatternBytes.sha256(ofFirst: Int64(count))
        try await TestServer.withServer { server in
            try await RawConnection.with(server) { connection in
                let start = Array("--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n".utf8)
                let bytes = start + PatternBytes.bytes(count) + Array("\r\n--b--\r\n".utf8)
                try await connection.send(
                    "POST /upload HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: \(bytes.count)\r\n\r\n"
                )
                try await connection.send(bytes)
                let response = try await connection.receiveResponse()
                #expect(response.text.contains("\"byteCount\":\(bytes.count),"))
                #expect(response.text.contains("\"byteCount\":\(count),\"sha256\":\"\(digest)\""))
            }
            let request = try await server.takeRequest()
            #expect(request.body.isEmpty)
            #expect(request.bodyByteCount > count)
        }
    }
}
