// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

struct ReplayTransportTests {
    static let origin = Origin(scheme: .https, host: "h.test")

    static func request(_ method: HTTPRequest.Method = .get, _ target: String, _ body: String = "") -> TransportRequest
    {
        var request = TransportRequest(method: method, origin: Self.origin, target: target)
        if !body.isEmpty { request.body = .bytes(ByteBuffer(string: body)) }
        return request
    }

    static func entry(
        _ method: HTTPRequest.Method = .get,
        _ target: String,
        _ body: String = "",
        answer: String
    ) -> HTTPArchive.Entry {
        HTTPArchive.Entry(
            started: Date(timeIntervalSince1970: 0),
            request: HTTPArchive.Request(
                method: method,
                url: "https://h.test\(target)",
                body: HTTPArchive.Body(ByteBuffer(string: body))
            ),
            response: HTTPArchive.Response(status: .ok, body: HTTPArchive.Body(ByteBuffer(string: answer)))
        )
    }

    static func text(_ transport: ReplayTransport, _ request: TransportRequest) async throws -> String {
        let response = try await transport.exchange(request)
        return String(buffer: try await response.body.collect(upTo: 1000))
    }

    @Test func `a client sees the same after record, file and replay`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: file) }
        let targets = ["/bytes/1000", "/gzip", "/status/404", "/bytes/1000"]
        func fetch(_ transport: any Transport, _ origin: Origin) async throws -> [(Int, ByteBuffer)] {
            var seen: [(Int, ByteBuffer)] = []
            for target in targets {
                var request = TransportRequest(origin: origin, target: target, headers: [.acceptEncoding: "gzip"])
                request.decodesContent = true
                let response = try await transport.exchange(request)
                #expect(response.headers[.contentEncoding] == nil)
                seen.append((response.status.code, try await response.body.collect(upTo: 1 << 20)))
            }
            return seen
        }
        let (recorded, origin) = try await TestServer.withServer { server in
            let recorder = RecordingTransport(wrapping: NIOTransport.shared)
            let origin = Origin(scheme: .http, host: server.host, port: server.port)
            let seen = try await fetch(recorder, origin)
            try recorder.archive.write(to: file)
            return (seen, origin)
        }
        let replay = ReplayTransport(try HTTPArchive(contentsOf: file))
        let replayed = try await fetch(replay, origin)
        #expect(replayed.map(\.0) == recorded.map(\.0))
        #expect(replayed.map(\.1) == recorded.map(\.1))
        #expect(replay.unusedEntries.isEmpty)
    }

    @Test(.bug(id: "F251"), arguments: [true, false])
    func `a body that was recorded encoded is replayed with its coding`(_ isDecoded: Bool) async throws {
        try await TestServer.withServer { server in
            let recorder = RecordingTransport(wrapping: NIOTransport.shared, redaction: .none)
            let origin = Origin(scheme: .http, host: server.host, port: server.port)
            var request = TransportRequest(origin: origin, target: "/gzip", headers: [.acceptEncoding: "gzip"])
            request.decodesContent = isDecoded
            let recorded = try await recorder.exchange(request)
            let bytes = try await recorded.body.collect(upTo: 1 << 20)
            let archive = try HTTPArchive(parsing: recorder.archive.serialized())
            #expect(archive.entries.map(\.response?.isBodyEncoded) == [!isDecoded])
            let replayed = try await ReplayTransport(archive, redaction: .none).exchange(request)
            #expect(replayed.headers[.contentEncoding] == (isDecoded ? nil : "gzip"))
            #expect(replayed.headers[.contentEncoding] == recorded.headers[.contentEncoding])
            #expect(try await replayed.body.collect(upTo: 1 << 20) == bytes)
        }
    }

    @Test(
        .bug(id: "F251"),
        arguments: [
            ("image/png", #"{"token":"hidden"}"#, true), ("application/json", "{}", true),
            ("application/json", #"{"token":"hidden"}"#, false),
        ]
    )
    func `a body that was recorded encoded is replayed without a coding if a secret of it was replaced`(
        _ type: String,
        _ content: String,
        _ isKept: Bool
    ) async throws {
        let bytes = ByteBuffer(bytes: Compression.gzip(Array(content.utf8)))
        let recorder = RecordingTransport(
            wrapping: StubTransport { _ in
                TransportResponse(
                    status: .ok,
                    headers: [.contentType: type, .contentEncoding: "gzip"],
                    body: ResponseBody(bytes)
                )
            }
        )
        _ = try await recorder.exchange(Self.request(.get, "/a"))
        let replayed = try await ReplayTransport(recorder.archive).exchange(Self.request(.get, "/a"))
        #expect(replayed.headers[.contentEncoding] == (isKept ? "gzip" : nil))
        let body = try await replayed.body.collect(upTo: 1000)
        #expect(isKept ? body == bytes : String(buffer: body) == #"{"token":"REDACTED"}"#)
    }

    @Test(.bug(id: "F251")) func `the decoded body of a browser's archive is replayed without its coding`()
        async throws
    {
        let archive = try HTTPArchive(parsing: Data(HTTPArchiveTests.browser.utf8))
        var request = TransportRequest(
            method: .post,
            origin: Origin(scheme: .https, host: "api.example.test"),
            target: "/v1/users?page=2",
            headers: [.contentType: "application/json"]
        )
        request.body = .bytes(ByteBuffer(string: #"{"name":"Ada"}"#))
        let response = try await ReplayTransport(archive).exchange(request)
        #expect(archive.entries.first?.response?.isBodyEncoded == false)
        #expect(response.headers[.contentEncoding] == nil)
    }

    @Test func `strictly in order, each once`() async throws {
        let transport = ReplayTransport(
            HTTPArchive(entries: [
                Self.entry(.get, "/a", answer: "1"), Self.entry(.put, "/b", "x", answer: "2"),
                Self.entry(.get, "/a", answer: "3"),
            ])
        )
        #expect(try await Self.text(transport, Self.request(.get, "/a")) == "1")
        for (request, hint) in [
            (Self.request(.get, "/a"), "it expects PUT https://h.test/b next (entry 1)"),
            (Self.request(.put, "/b", "y"), "it expects PUT https://h.test/b with another body next (entry 1)"),
        ] {
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.reason.hasSuffix(hint) == true, "\(error?.reason ?? "")")
        }
        #expect(try await Self.text(transport, Self.request(.put, "/b", "x")) == "2")
        #expect(transport.unusedEntries.count == 1)
        #expect(try await Self.text(transport, Self.request(.get, "/a")) == "3")
        let error = await #expect(throws: TransportError.self) {
            try await transport.exchange(Self.request(.get, "/a"))
        }
        #expect(error?.reason.hasSuffix("all its entries are used up") == true)
    }

    @Test func `in any order, the last one again when all are used up`() async throws {
        let entries = [
            Self.entry(.get, "/a", answer: "1"), Self.entry(.get, "/b", answer: "2"),
            Self.entry(.get, "/a", answer: "3"),
        ]
        let transport = ReplayTransport(HTTPArchive(entries: entries), matching: .anyOrder)
        var answers: [String] = []
        for target in ["/b", "/a", "/a", "/a"] {
            answers.append(try await Self.text(transport, Self.request(.get, target)))
        }
        #expect(answers == ["2", "1", "3", "3"])
        await #expect(throws: TransportError.self) { try await transport.exchange(Self.request(.get, "/c")) }
    }

    @Test func `by a rule of the program`() async throws {
        let entries = [Self.entry(.get, "/a?time=1", answer: "1")]
        let transport = ReplayTransport(
            HTTPArchive(entries: entries),
            matching: .rule { request, entry in
                entry.request.url.utf8.starts(with: "https://h.test\(request.target.prefix { $0 != "?" })".utf8)
            }
        )
        #expect(try await Self.text(transport, Self.request(.get, "/a?time=2")) == "1")
    }

    @Test func `secrets that were left out do not count`() async throws {
        var entry = Self.entry(.post, "/?token=REDACTED&a=b", "password=REDACTED", answer: "1")
        entry.request.headers[.contentType] = "application/x-www-form-urlencoded"
        let transport = ReplayTransport(HTTPArchive(entries: [entry]))
        var request = Self.request(.post, "/?token=other&a=b", "password=other")
        request.headers[.contentType] = "application/x-www-form-urlencoded"
        #expect(try await Self.text(transport, request) == "1")
    }

    @Test func `fails as the recorded exchange did, and where the archive has no body`() async throws {
        var failed = Self.entry(.get, "/a", answer: "")
        (failed.response, failed.failure) = (nil, "connection reset")
        var cut = Self.entry(.get, "/b", answer: "")
        cut.response?.body = HTTPArchive.Body(ByteBuffer(), of: 10)
        let transport = ReplayTransport(HTTPArchive(entries: [failed, cut, Self.entry(.get, "/c", answer: "12345")]))
        let first = await #expect(throws: TransportError.self) {
            try await transport.exchange(Self.request(.get, "/a"))
        }
        #expect(first?.code == .connectionClosed)
        #expect(first?.reason == "the recorded exchange failed: connection reset")
        let second = await #expect(throws: TransportError.self) {
            try await transport.exchange(Self.request(.get, "/b"))
        }
        #expect(second?.reason.hasPrefix("the archive has not the body of this response, which had 10 bytes") == true)
        var small = Self.request(.get, "/c")
        small.responseMode = .collected(upTo: 4)
        let third = await #expect(throws: TransportError.self) { try await transport.exchange(small) }
        #expect(third?.code == .responseTooLarge)
    }

    @Test(
        .bug(id: "F391"),
        arguments: [
            TransportError(.connectFailed, phase: .connect, reason: "refused"),
            TransportError(.timedOut, phase: .responseHead, reason: "late", isRequestSent: true),
            TransportError(.untrustedCertificate, phase: .tlsHandshake, reason: "expired"),
            TransportError(.connectionClosed, phase: .responseBody, reason: "cut", isRequestSent: true),
        ]
    )
    func `a recorded failure has its code and whether the request was sent`(_ failure: TransportError) async throws {
        let recorder = RecordingTransport(wrapping: StubTransport { _ in throw failure })
        await #expect(throws: TransportError.self) { try await recorder.exchange(Self.request(.get, "/a")) }
        let archive = try HTTPArchive(parsing: recorder.archive.serialized())
        for archive in [recorder.archive, archive] {
            let error = await #expect(throws: TransportError.self) {
                try await ReplayTransport(archive).exchange(Self.request(.get, "/a"))
            }
            #expect(error?.code == failure.code && error?.phase == failure.phase)
            #expect(error?.isRequestSent == failure.isRequestSent)
            #expect(error?.reason.contains(failure.reason) == true)
        }
    }

    /// The kind of a failure in words of another version is not known.
    @Test(.bug(id: "F391"), arguments: ["\"_failureCode\"", "connectFailed", "\"connect\"", "\"_isRequestSent\""])
    func `a failure of which the archive does not say everything is the loss of the connection`(
        _ word: String
    ) async throws {
        let failure = TransportError(.connectFailed, phase: .connect, reason: "refused")
        let recorder = RecordingTransport(wrapping: StubTransport { _ in throw failure })
        await #expect(throws: TransportError.self) { try await recorder.exchange(Self.request(.get, "/a")) }
        let text = String(decoding: recorder.archive.serialized(), as: UTF8.self)
        let other = text.replacing(word, with: word.hasPrefix("\"") ? "\"other\"" : "other")
        #expect(other != text)
        let archive = try HTTPArchive(parsing: Data(other.utf8))
        let error = await #expect(throws: TransportError.self) {
            try await ReplayTransport(archive).exchange(Self.request(.get, "/a"))
        }
        #expect(error?.code == .connectionClosed && error?.isRequestSent == true)
    }

    @Test func `keeps the contract of a transport`() async throws {
        let transport = ReplayTransport(HTTPArchive(entries: [Self.entry(.get, "/", answer: "1")]))
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.exchange(Self.request(.get, "/"))
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await transport.shutdown()
        let error = await #expect(throws: TransportError.self) { try await transport.exchange(Self.request(.get, "/")) }
        #expect(error?.code == .shutDown)
    }

    /// Reads a body of a request as the session does.
    private struct SessionReader: TransportBodyReader {
        var reader: any BodyReader

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            try self.reader.read(into: buffer)
        }

        var isReadable: Bool { self.reader.isReadable }

        func whenReadable(_ notify: @escaping @Sendable () -> Void) { self.reader.whenReadable(notify) }
    }

    private static func upload(_ stream: AsyncStream<Data>) -> TransportRequest {
        var request = Self.request(.post, "/")
        let body = RequestBody.stream(stream)
        request.body = .reader(length: nil, isReplayable: false) { SessionReader(reader: try body.makeReader()) }
        return request
    }

    @Test(.bug(id: "F372"), .timeLimit(.minutes(1))) @MainActor
    func `a sequence that is fed from the main actor is replayed`() async throws {
        let transport = ReplayTransport(HTTPArchive(entries: [Self.entry(.post, "/", "hello", answer: "1")]))
        let (stream, writer) = AsyncStream.makeStream(of: Data.self)
        Task { @MainActor in
            writer.yield(Data("hello".utf8))
            writer.finish()
        }
        #expect(try await Self.text(transport, Self.upload(stream)) == "1")
    }

    @Test(.bug(id: "F372"), .timeLimit(.minutes(1))) func `a cancelled upload of a sequence ends`() async throws {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        // Only the task has the sequence, which ends with it also if it was cancelled before it read anything.
        let upload = Self.uploading { $0.onTermination = { _ in end.finish() } }
        for _ in 0..<100 { await Task.yield() }
        upload.cancel()
        await #expect(throws: CancellationError.self) { try await upload.value }
        for await _ in ended {}
    }

    @Test(.bug(id: "F570"), .timeLimit(.minutes(1))) func `an upload that is not read within its limit is timed out`()
        async throws
    {
        let transport = ReplayTransport(HTTPArchive(entries: [Self.entry(.post, "/", "hello", answer: "1")]))
        let (stream, writer) = AsyncStream.makeStream(of: Data.self)
        var upload = Self.upload(stream)
        upload.timeouts.total = .milliseconds(20)
        let limited = upload
        let error = await #expect(throws: TransportError.self) { try await transport.exchange(limited) }
        #expect(error?.code == .timedOut && error?.phase == .total)
        writer.finish()
    }

    private static func uploading(
        _ prepare: (AsyncStream<Data>.Continuation) -> Void
    ) -> Task<TransportResponse, any Error> {
        let transport = ReplayTransport(HTTPArchive(entries: [Self.entry(.post, "/", "hello", answer: "1")]))
        let (stream, writer) = AsyncStream.makeStream(of: Data.self)
        prepare(writer)
        let request = Self.upload(stream)
        return Task { try await transport.exchange(request) }
    }
}
