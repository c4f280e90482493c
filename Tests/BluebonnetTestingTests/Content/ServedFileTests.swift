// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// Files as bodies of responses.
@Suite(.timeLimit(.minutes(1))) struct ServedFileTests {
    /// A file that is removed at the end.
    private final class TestFile: Sendable {
        let url = FileManager.default.temporaryDirectory.appending(path: "served-\(UUID().uuidString)")

        init(byteCount: Int64, changed: TimeInterval = 1_700_000_000) throws {
            try Data(PatternBytes.bytes(in: 0..<byteCount)).write(to: self.url)
            let date = Date(timeIntervalSince1970: changed)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: self.path)
        }

        deinit { try? FileManager.default.removeItem(at: self.url) }

        var path: String { self.url.path(percentEncoded: false) }
    }

    private static let byteCount: Int64 = 3_000_000

    @Test(
        arguments: [
            ("GET", [:], 200, 0..<Self.byteCount), ("GET", ["Range": "bytes=1-2000000"], 206, 1..<2_000_001),
            ("GET", ["Range": "bytes=3000000-"], 416, 0..<0), ("POST", [:], 405, 0..<0),
            ("GET", ["If-Modified-Since": "Tue, 14 Nov 2023 22:13:20 GMT"], 304, 0..<0), ("HEAD", [:], 200, 0..<0),
        ] as [(String, [String: String], Int, Range<Int64>)]
    )
    func `what was asked for is sent`(
        _ method: String,
        _ headers: [String: String],
        _ status: Int,
        _ range: Range<Int64>
    ) async throws {
        let file = try TestFile(byteCount: Self.byteCount)
        let served = try ServedFile(path: file.path)
        try await TestServer.withServer { server in
            server.respond { served.response(to: $0) }
            try await RawConnection.with(server) { connection in
                let fields = headers.map { "\($0.key): \($0.value)" }
                let response = try await connection.exchange(method, "/x", headers: fields)
                #expect(response.status == status)
                #expect(response.body == PatternBytes.bytes(in: range))
                if method == "HEAD" { #expect(response["content-length"] == "\(Self.byteCount)") }
                // The connection goes on.
                #expect(try await connection.exchange("GET", "/x").status == 200)
            }
        }
    }

    @Test func `a version has one tag, another one another, and one that could still change a weak one`() async throws {
        let file = try TestFile(byteCount: 10)
        try await TestServer.withServer { server in
            let path = file.path
            server.respond { try ServedFile(path: path).response(to: $0) }
            try await RawConnection.with(server) { connection in
                let first = try #require(try await connection.exchange("HEAD", "/")["etag"])
                #expect(first.hasPrefix("\""))
                #expect(try await connection.exchange("GET", "/")["etag"] == first)
                try Data(PatternBytes.bytes(in: 0..<10)).write(to: file.url)
                let fresh = try #require(try await connection.exchange("GET", "/")["etag"])
                #expect(fresh.hasPrefix("W/\""))
                #expect(fresh.dropFirst(2) != first[...])
                let part = try await connection.exchange(
                    "GET",
                    "/",
                    headers: ["Range: bytes=1-", "If-Range: \(fresh)"]
                )
                #expect(part.status == 200)
            }
        }
    }

    @Test func `a file that becomes shorter while it is sent does not look complete`() async throws {
        let file = try TestFile(byteCount: 50_000_000)
        let served = try ServedFile(path: file.path)
        try await TestServer.withServer { server in
            let gate = Gate()
            server.respond { request in
                var response = served.response(to: request)
                response.effect = .hold(.afterBody(1000), until: gate)
                return response
            }
            try await RawConnection.with(server) { connection in
                try await connection.send("GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try await connection.receiveHead()["content-length"] == "50000000")
                let handle = try FileHandle(forWritingTo: file.url)
                try handle.truncate(atOffset: 2_000_000)
                gate.open()
                // The server does not wait for more: the connection ends.
                #expect(await connection.receiveToTheEnd().text.utf8.count < 40_000_000)
            }
        }
    }

    @Test(arguments: ["", "/none", "/dev/null", "/"])
    func `what is no file is refused`(_ path: String) {
        let error = #expect(throws: TestServerError.self) { try ServedFile(path: path) }
        #expect(error?.code == .unreadableFile)
    }

    @Test(.bug(id: "F662")) func `a time of change in the future is sent as the current time`() async throws {
        // 2 October 2096.
        let file = try TestFile(byteCount: 10, changed: 4_000_000_000)
        let served = try ServedFile(path: file.path)
        try await TestServer.withServer { server in
            server.respond { served.response(to: $0) }
            try await RawConnection.with(server) { connection in
                let modified = try #require(try await connection.exchange("GET", "/")["last-modified"])
                #expect(!modified.contains("2096"), "\(modified)")
                // The content could have changed since.
                let since = ["If-Modified-Since: Tue, 14 Nov 2023 22:13:20 GMT"]
                #expect(try await connection.exchange("GET", "/", headers: since).status == 200)
            }
        }
    }
}
