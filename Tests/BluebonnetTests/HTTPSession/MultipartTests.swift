// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import FoundationEssentials
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct MultipartTests {
    private struct Part: Decodable, Equatable, Sendable {
        var name: String?
        var filename: String?
        var byteCount: Int64
        var sha256: String
    }

    private struct Uploaded: Decodable, Sendable {
        var byteCount: Int64
        var parts: [Part]
    }

    private let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private func withAPI(_ body: (HTTPSession, TestServer) async throws -> Void) async throws {
        try await TestServer.withServer { server in
            let api = HTTPSession(baseURL: URL(string: server.url), transport: try server.makeTransport())
            try await body(api, server)
            await api.session.transport.shutdown()
            try await server.waitForConnections { $0.open == 0 }
        }
    }

    private func form(byteCount: Int) throws -> MultipartFormData {
        let file = self.directory.file("data.bin")
        try Data(PatternBytes.bytes(byteCount)).write(to: file)
        var form = MultipartFormData()
        form.append(Data("hello".utf8), name: "greeting")
        try form.append(file: file, name: "file")
        return form
    }

    @Test(arguments: [0, 1, 65_536, 3_000_001])
    func `sends forms with files, by every verb that takes one`(_ byteCount: Int) async throws {
        let form = try self.form(byteCount: byteCount)
        let digest = await PatternBytes.sha256(ofFirst: Int64(byteCount))
        try await self.withAPI { api, server in
            let monitor = TransferMonitor()
            var call = try api.prepare(.post, "upload", multipart: form)
            call.monitor = monitor
            let responses = [
                try await call.value(as: Uploaded.self),
                try await api.put("upload", parameters: ["a": 1], multipart: form, as: Uploaded.self),
                try await api.patch("upload", multipart: form, as: Uploaded.self),
            ]
            for response in responses {
                let part = try #require(response.parts.last)
                #expect(part.name == "file")
                #expect(part.filename == "data.bin")
                #expect(part.byteCount == Int64(byteCount))
                #expect(part.sha256 == digest)
            }
            #expect(responses.map(\.parts.count) == [2, 3, 2])
            #expect(responses[1].parts[0].name == "a")
            #expect(responses[0].byteCount == form.contentLength)
            #expect(
                monitor.upload.current == TransferProgress(completed: form.contentLength, total: form.contentLength)
            )

            let request = try await server.takeRequest()
            #expect(request.headers[values: .contentType] == [form.contentType])
            #expect(request.headers[values: .contentLength] == ["\(form.contentLength)"])
            #expect(try await api.post("upload", multipart: form, serializer: .data).isEmpty == false)
            #expect(try await api.put("upload", multipart: form).status == .ok)
            #expect(try await api.delete("upload", multipart: form).status == .ok)
        }
    }

    @Test func `a request with a form is sent twice, with the same bytes`() async throws {
        let form = try self.form(byteCount: 300_000)
        try await self.withAPI { api, server in
            let request = try api.prepare(.post, "upload", parameters: ["a": 1], multipart: form).request
            let digest = await PatternBytes.sha256(ofFirst: 300_000)
            var digests: Set<String> = []
            for _ in 0..<2 {
                let response = try await api.session.response(for: request)
                let uploaded = try JSONDecoder().decode(Uploaded.self, from: response.body)
                #expect(uploaded.parts.map(\.name) == ["a", "greeting", "file"])
                #expect(uploaded.parts.last?.sha256 == digest)
                digests.insert(try await server.takeRequest().bodySHA256)
            }
            #expect(digests.count == 1)
        }
    }

    @Test func `a form with a reader that can be read once is sent once`() async throws {
        var form = MultipartFormData()
        try form.append(reader: ThreeBytes(), length: 3, name: "once")
        #expect(!form.isReplayable)
        try await self.withAPI { api, server in
            let request = try api.prepare(.post, "upload", multipart: form).request
            #expect(try await api.session.response(for: request).status == .ok)
            let again = await #expect(throws: SessionError.self) { try await api.session.response(for: request) }
            #expect(again?.code == .bodyFailed)
            try await server.waitForConnections { $0.open == 0 }
            _ = server.takeFailures()
        }
    }

    @Test func `runs as a task that can be watched`() async throws {
        let form = try self.form(byteCount: 1_000_000)
        try await self.withAPI { api, server in
            let task = try api.prepare(.post, "upload", multipart: form).task(as: Uploaded.self)
            task.resume()
            var last: TransferProgress?
            for await progress in task.uploadProgress {
                if let last { #expect(progress.completed >= last.completed) }
                last = progress
            }
            #expect(last == TransferProgress(completed: form.contentLength, total: form.contentLength))
            #expect(try await task.value.parts.count == 2)
        }
    }

    @Test func `refuses a form where none can be`() throws {
        let api = HTTPSession(transport: StubTransport())
        for method in [HTTPRequest.Method.get, .head] {
            let error = #expect(throws: SessionError.self) {
                try api.prepare(method, "http://h/", multipart: self.form(byteCount: 1))
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func `fails when a file is gone or has changed meanwhile`() async throws {
        let form = try self.form(byteCount: 100)
        try await self.withAPI { api, server in
            try Data(PatternBytes.bytes(99)).write(to: self.directory.file("data.bin"))
            let changed = await #expect(throws: SessionError.self) { try await api.post("upload", multipart: form) }
            #expect(changed?.code == .bodyFailed)
            try FileManager.default.removeItem(at: self.directory.file("data.bin"))
            let gone = await #expect(throws: SessionError.self) { try await api.post("upload", multipart: form) }
            #expect(gone?.code == .bodyFailed)
            #expect(gone?.reason.isEmpty == false)
            // The server saw a request that was cut short, as it should have.
            try await server.waitForConnections { $0.open == 0 }
            _ = server.takeFailures()
        }
    }

    @Test func `sends a file as it is`() async throws {
        let file = self.directory.file("plain")
        try Data(PatternBytes.bytes(200_000)).write(to: file)
        try await self.withAPI { api, server in
            let request = Request(method: .put, url: try api.url(for: "upload"), body: .file(file))
            #expect(try await api.session.response(for: request).status == .ok)
            #expect(try await server.takeRequest().bodySHA256 == PatternBytes.sha256(ofFirst: 200_000))
            let missing = Request(
                method: .put,
                url: try api.url(for: "upload"),
                body: .file(self.directory.file("none"))
            )
            let error = await #expect(throws: SessionError.self) { try await api.session.response(for: missing) }
            #expect(error?.code == .bodyFailed)
        }
    }
}

/// Gives three bytes, and then the end.
private struct ThreeBytes: BodyReader {
    private var isAtEnd = false

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard !self.isAtEnd, buffer.count >= 3 else { return 0 }
        self.isAtEnd = true
        buffer.copyBytes(from: [1, 2, 3])
        return 3
    }
}
