// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

struct RecordingTests {
    @Test func `records whole exchanges over sockets, streams in both directions included`() async throws {
        try await TestServer.withServer { server in
            let recorder = RecordingTransport(wrapping: NIOTransport.shared)
            let origin = Origin(scheme: .http, host: server.host, port: server.port)
            var request = TransportRequest(
                method: .post,
                origin: origin,
                target: "/echo?a=b",
                responseMode: .streamed
            )
            request.body = FakeBody(byteCount: 200_000).body
            let response = try await recorder.exchange(request)
            let received = try await response.body.collect(upTo: 1 << 20)
            let entry = try #require(recorder.archive.entries.first)
            #expect(entry.request.url == "\(server.url)/echo?a=b")
            #expect(entry.request.body.byteCount == 200_000)
            #expect(entry.request.body.isComplete)
            #expect(entry.response?.status == .ok)
            #expect(entry.response?.body.bytes == received)
            #expect(entry.duration > .zero)
        }
    }

    @Test func `records nothing before the last byte has been read`() async throws {
        try await TestServer.withServer { server in
            let recorder = RecordingTransport(wrapping: NIOTransport.shared)
            let origin = Origin(scheme: .http, host: server.host, port: server.port)
            var request = TransportRequest(origin: origin, target: "/bytes/20000000")
            request.responseMode = .streamed
            let response = try await recorder.exchange(request)
            #expect(recorder.archive.entries.isEmpty)
            _ = try await response.body.collect(upTo: 1 << 25)
            // Too long to be kept, and counted all the same.
            #expect(recorder.archive.entries.map(\.response?.body) == [HTTPArchive.Body(ByteBuffer(), of: 20_000_000)])
        }
    }

    @Test func `keeps of a body beyond the limit only its length`() async throws {
        let transport = StubTransport { _ in .text(String(repeating: "x", count: 101)) }
        let recorder = RecordingTransport(wrapping: transport, bodyLimit: 100)
        let origin = Origin(scheme: .http, host: "h.test")
        var request = TransportRequest(method: .put, origin: origin, target: "/")
        request.body = .bytes(ByteBuffer(repeating: 1, count: 100))
        _ = try await recorder.exchange(request)
        let archive = try HTTPArchive(parsing: recorder.archive.serialized())
        let entry = try #require(archive.entries.first)
        #expect(entry.request.body == HTTPArchive.Body(ByteBuffer(repeating: 1, count: 100)))
        #expect(entry.response?.body == HTTPArchive.Body(ByteBuffer(), of: 101))
    }

    @Test(.bug(id: "F301"), arguments: [HTTPFields(), [.contentEncoding: "gzip"]] as [HTTPFields])
    func `a request body beyond the limit is matched by its length after it was written and read`(
        _ headers: HTTPFields
    ) async throws {
        let recorder = RecordingTransport(wrapping: StubTransport { _ in .text("ok") }, bodyLimit: 100)
        let origin = Origin(scheme: .http, host: "h.test")
        var request = TransportRequest(method: .put, origin: origin, target: "/", headers: headers)
        request.body = .bytes(ByteBuffer(repeating: 1, count: 101))
        _ = try await recorder.exchange(request)
        let archive = try HTTPArchive(parsing: recorder.archive.serialized())
        #expect(archive.entries.map(\.request.body) == [HTTPArchive.Body(ByteBuffer(), of: 101)])
        let replay = ReplayTransport(archive)
        for body in [TransportBody.none, .bytes(ByteBuffer(repeating: 1, count: 100))] {
            var other = request
            other.body = body
            let refused = other
            let error = await #expect(throws: TransportError.self) { try await replay.exchange(refused) }
            #expect(error?.code == .invalidRequest)
        }
        #expect(try await replay.exchange(request).status == .ok)
    }

    /// An upload of 500 bytes, of which so many are read before it is answered, or fails if that is nil.
    struct Upload: Sendable {
        var readByteCount: Int?
        var hasLength: Bool
        var readsFile = false
    }

    @Test(
        .bug(id: "F330"),
        arguments: [
            Upload(readByteCount: nil, hasLength: true), Upload(readByteCount: nil, hasLength: false),
            Upload(readByteCount: 0, hasLength: true), Upload(readByteCount: 100, hasLength: true),
            Upload(readByteCount: 100, hasLength: false), Upload(readByteCount: 500, hasLength: true),
            Upload(readByteCount: 500, hasLength: false), Upload(readByteCount: 501, hasLength: false),
            Upload(readByteCount: 100, hasLength: true, readsFile: true),
        ]
    )
    func `an upload that failed, or was answered, before its body was read is replayed`(_ upload: Upload) async throws {
        let transport = StubTransport { request in
            guard let count = upload.readByteCount else {
                throw TransportError(.connectFailed, phase: .connect, reason: "refused")
            }
            var reader = try request.body.makeReader()
            var bytes = [UInt8](repeating: 0, count: 50)
            for _ in 0..<(count + 49) / 50 { _ = try bytes.withUnsafeMutableBytes { try reader?.read(into: $0) } }
            return .text("too large", status: .init(code: 413))
        }
        let recorder = RecordingTransport(wrapping: transport)
        var request = TransportRequest(method: .put, origin: Origin(scheme: .http, host: "h.test"), target: "/")
        var body = FakeBody(byteCount: 500)
        if !upload.hasLength { body.promisedByteCount = nil }
        request.body = body.body
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        if upload.readsFile {
            try Data(repeating: 1, count: 500).write(to: file)
            request.body = .file(FileBody(path: file.path(percentEncoded: false), byteCount: 500))
        }
        defer { try? FileManager.default.removeItem(at: file) }
        let status = try? await recorder.exchange(request).status
        let archive = try HTTPArchive(parsing: recorder.archive.serialized())
        let recorded = try #require(archive.entries.first?.request.body)
        let isWhole = upload.readByteCount.map { $0 > 500 || (upload.hasLength && $0 == 500) } ?? false
        #expect(recorded.isComplete == isWhole)
        #expect(recorded.byteCount == (upload.hasLength || isWhole ? 500 : -1))
        let replay = ReplayTransport(archive)
        do {
            #expect(try await replay.exchange(request).status == status)
        } catch let error as TransportError {
            #expect(status == nil && error.code == .connectFailed)
        }
        #expect(replay.unusedEntries.isEmpty)
        var other = request
        other.body = .bytes(ByteBuffer(repeating: 1, count: 499))
        let refused = other
        let isRefused = upload.hasLength || isWhole
        let again = ReplayTransport(archive)
        _ = try? await again.exchange(refused)
        #expect(again.unusedEntries.isEmpty != isRefused)
    }

    @Test(.bug(id: "F330"), arguments: [nil, -1, 0] as [Int?])
    func `a request of another program without a body has none, whatever its size`(_ size: Int?) throws {
        let size = size.map { #","bodySize":\#($0)"# } ?? ""
        let request = #"{"method":"GET","url":"http://h/","headers":[]\#(size)}"#
        let entry = #"{"request":\#(request),"response":{"status":200,"headers":[]}}"#
        let archive = try HTTPArchive(parsing: Data(#"{"log":{"version":"1.2","entries":[\#(entry)]}}"#.utf8))
        #expect(archive.entries.map(\.request.body) == [HTTPArchive.Body()])
    }

    @Test func `records why there was no response`() async throws {
        struct Failure: Error {}
        let recorder = RecordingTransport(wrapping: StubTransport { _ in throw Failure() })
        let request = TransportRequest(origin: Origin(scheme: .http, host: "h.test"), target: "/")
        await #expect(throws: Failure.self) { try await recorder.exchange(request) }
        #expect(recorder.archive.entries.map(\.failure) == ["Failure()"])
        #expect(recorder.archive.entries.map(\.response) == [nil])
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", "user=ada&password=hidden-1&api_key=hidden-2", "user=ada"),
        (
            "application/json", #"{"name":"Ada","access_token":"hidden-1","nested":{"client-secret":"hidden-2"}}"#,
            #""Ada""#
        ),
        ("application/vnd.x+json; charset=utf-8", #"[{"sessionId":"hidden-1"},"kept"]"#, "kept"),
        (
            "application/x-www-form-urlencoded",
            "grant_type=authorization_code&code=hidden-1&pin=hidden-2&assertion=hidden-9&user=ada", "user=ada"
        ),
        ("application/json", #"{"private_key":"hidden-1","pwd":"hidden-2","code":7,"pin":"4711"}"#, "4711"),
        (
            "multipart/form-data; boundary=b",
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhidden-1\r\n"
                + "--b\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Type: application/json\r\n\r\n"
                + "{\"token\":\"hidden-2\",\"b\":\"kept\"}\r\n--b--\r\n",
            "kept"
        ),
    ])
    func `no secret gets into the archive`(type: String, body: String, kept: String) async throws {
        let transport = StubTransport { _ in
            var response = TransportResponse.text(body, type: type)
            response.headers[.setCookie] = "id=hidden-3"
            response.headers[.location] = "https://user:hidden-4@h.test/?token=hidden-5"
            return response
        }
        let recorder = RecordingTransport(wrapping: transport)
        var request = TransportRequest(
            method: .post,
            origin: Origin(scheme: .https, host: "h.test"),
            target: "/?token=hidden-6&page=2",
            headers: [.authorization: "Bearer hidden-7", .cookie: "a=hidden-8", .contentType: type]
        )
        request.body = .bytes(ByteBuffer(string: body))
        _ = try await recorder.exchange(request)
        let text = String(decoding: recorder.archive.serialized(), as: UTF8.self)
        #expect(!text.contains("hidden"))
        #expect(text.contains("page=2"))
        #expect(recorder.archive.entries.first.map { String(buffer: $0.request.body.bytes).contains(kept) } == true)
        #expect(recorder.archive.entries.first?.response.map { String(buffer: $0.body.bytes).contains(kept) } == true)
        let open = RecordingTransport(wrapping: transport, redaction: .none)
        _ = try await open.exchange(request)
        #expect(String(decoding: open.archive.serialized(), as: UTF8.self).contains("hidden-7"))
    }
}
