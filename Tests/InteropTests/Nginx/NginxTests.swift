// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import Foundation
import HTTPTypes
import Testing

/// What nginx sends, and what it makes of what we send.
@Suite(.timeLimit(.minutes(1)))
struct NginxTests {
    static let connection = HTTPField.Name("X-Connection")

    @Test(arguments: [0, 1, 200, 65_536, 1_000_003])
    func `gets a static file`(_ count: Int) async throws {
        try await ExternalServer.withSession(.nginx) { http, server in
            let data = patternedData(count: count)
            try server.write(data, as: "file.bin")
            let response = try await http.get("file.bin")
            #expect(response.status == .ok)
            #expect(response.headers[.server]?.hasPrefix("nginx") == true)
            #expect(response.headers[.contentLength] == "\(count)")
            #expect(response.body == data)
        }
    }

    @Test
    func `streams a file of 64 MiB`() async throws {
        try await ExternalServer.withSession(.nginx) { http, server in
            let data = patternedData(count: 64 << 20)
            let file = try server.write(data, as: "large.bin")
            let target = server.files.appending(path: "received.bin")
            let downloaded = try await http.download("large.bin", to: target)
            #expect(downloaded.byteCount == 64 << 20)
            #expect(FileManager.default.contentsEqual(atPath: file.path(), andPath: target.path()))
        }
    }

    @Test
    func `asks for the head alone`() async throws {
        try await ExternalServer.withSession(.nginx) { http, server in
            try server.write(Data(repeating: 7, count: 12_345), as: "file.bin")
            let first = try await http.head("file.bin")
            #expect(first.headers[.contentLength] == "12345")
            #expect(first.body.isEmpty)
            // The length is not that of a body to wait for: the connection is free at once, and stays in step.
            let second = try await http.get("file.bin")
            #expect(second.body.count == 12_345)
            let name = try #require(Self.connection)
            #expect(first.headers[name] == second.headers[name])
        }
    }

    @Test
    func `asks for a part of a file`() async throws {
        try await ExternalServer.withSession(.nginx) { http, server in
            let data = patternedData(count: 10_000)
            try server.write(data, as: "file.bin")
            let response = try await http.get("file.bin", headers: [.range: "bytes=1000-1999"])
            #expect(response.status == .partialContent)
            #expect(response.headers[.contentRange] == "bytes 1000-1999/10000")
            #expect(response.body == data[1000..<2000])
        }
    }

    @Test(arguments: [("status/403", 403), ("status/500", 500), ("status/503", 503), ("nothing-here", 404)])
    func `refuses an error status, and keeps what the server said`(_ path: String, _ code: Int) async throws {
        try await ExternalServer.withSession(.nginx) { http, _ in
            let error = await #expect(throws: SessionError.self) { try await http.get(path) }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.response?.status.code == code)
            #expect(error?.response?.body.isEmpty == false)
        }
    }

    @Test
    func `takes a response that has no body`() async throws {
        try await ExternalServer.withSession(.nginx) { http, _ in
            let response = try await http.get("status/204")
            #expect(response.status == .noContent)
            #expect(response.body.isEmpty)
        }
    }

    @Test
    func `sends a hundred requests over one connection`() async throws {
        try await ExternalServer.withSession(.nginx, connections: 1) { http, server in
            try server.write(Data("hello".utf8), as: "hello.txt")
            let name = try #require(Self.connection)
            let count = try #require(HTTPField.Name("X-Connection-Requests"))
            var connections: Set<String> = []
            for number in 1...100 {
                let response = try await http.get("hello.txt")
                connections.insert(response.headers[name] ?? "none")
                #expect(response.headers[count] == "\(number)")
            }
            #expect(connections.count == 1)
        }
    }

    @Test
    func `keeps going when the server ends every connection after three responses`() async throws {
        try await ExternalServer.withSession(.nginx) { http, server in
            try server.write(Data("hello".utf8), as: "hello.txt")
            let limited = HTTPSession(baseURL: server.limited, session: http.session)
            let name = try #require(Self.connection)
            var connections: Set<String> = []
            for _ in 0..<10 {
                let response = try await limited.get("hello.txt")
                #expect(response.body == Data("hello".utf8))
                connections.insert(response.headers[name] ?? "none")
            }
            #expect(connections.count == 4)
        }
    }

    @Test
    func `shares a few connections among many requests`() async throws {
        try await ExternalServer.withSession(.nginx, connections: 4) { http, server in
            try server.write(Data("hello".utf8), as: "hello.txt")
            let name = try #require(Self.connection)
            let connections = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<200 {
                    group.addTask { try await http.get("hello.txt").headers[name] ?? "none" }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect((1...4).contains(connections.count))
        }
    }

    @Test
    func `decodes a response that the server compressed, and saves a file as the server has it`() async throws {
        try await ExternalServer.withSession(.nginx) { http, server in
            let text = Data(String(repeating: "bluebonnets in spring, ", count: 5_000).utf8)
            try server.write(text, as: "text.txt")
            let decoded = try await http.get("gzip/text.txt")
            #expect(decoded.headers[.transferEncoding] == "chunked")
            #expect(decoded.headers[.contentEncoding] == nil)
            #expect(decoded.body == text)
            let url = try #require(URL(string: "gzip/text.txt", relativeTo: http.baseURL)).absoluteURL
            let request = Request(url: url, headers: [.acceptEncoding: "gzip"])
            let place = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: place) }
            let file = try await http.session.download(request, to: place)
            #expect(file.response.headers[.contentEncoding] == "gzip")
            let saved = try Data(contentsOf: place)
            #expect(saved.starts(with: [0x1f, 0x8b]))
            #expect(saved.count < text.count)
        }
    }

    @Test(arguments: [0, 10, 3_000_000])
    func `puts a file`(_ count: Int) async throws {
        try await ExternalServer.withSession(.nginx) { http, server in
            let data = patternedData(count: count)
            let file = try server.write(data, as: "source.bin")
            let url = server.http.appending(path: "upload/target.bin")
            let response = try await http.session.response(for: Request(method: .put, url: url, body: .file(file)))
            #expect(response.status == .created)
            let stored = try Data(contentsOf: server.files.appending(path: "upload/target.bin"))
            #expect(stored == data)
        }
    }

    @Test
    func `says that the server closed the connection`() async throws {
        try await ExternalServer.withSession(.nginx) { http, _ in
            let error = await #expect(throws: SessionError.self) { try await http.get("closed") }
            #expect(error?.code == .connectionClosed)
        }
    }

    @Test
    func `leaves no file behind when a download is refused`() async throws {
        try await ExternalServer.withSession(.nginx) { http, server in
            let folder = server.files.appending(path: "empty")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            let error = await #expect(throws: SessionError.self) {
                try await http.download("nothing-here", to: folder.appending(path: "file.bin"))
            }
            #expect(error?.code == .unacceptableStatus)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path())
            #expect(left.isEmpty)
        }
    }
}
