// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import NIOCore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct PreparedCallTests {
    private struct Event: Codable, Equatable, Sendable {
        var createdAt: Date
        var firstName: String?
    }

    /// Answers with the body of the request, or with a document.
    private static func echo(_ document: String? = nil) -> StubTransport {
        StubTransport { request in
            var bytes = try request.body.collect()
            if let document { bytes = ByteBuffer(string: document) }
            return .plain(String(buffer: bytes), headers: [.contentType: "application/json"])
        }
    }

    // MARK: The codec

    @Test func `what is sent as JSON is read back, by every kind of call`() async throws {
        var api = try HTTPSession("http://h", transport: Self.echo())
        api.requestSerializer = .json
        let event = Event(createdAt: Date(timeIntervalSinceReferenceDate: 785_000_000.123_456_7))
        try await self.check(api, event)
        api.encoder.keys = .snakeCase
        api.decoder.keys = .snakeCase
        api.encoder.dates = .millisecondsSince1970
        api.decoder.dates = .millisecondsSince1970
        let whole = Event(createdAt: Date(timeIntervalSince1970: 1_000.5), firstName: "Ada")
        try await self.check(api, whole)
        let sent = try api.prepare(.post, "p", parameters: whole).request.body.data
        #expect(sent == Data(#"{"created_at":1000500,"first_name":"Ada"}"#.utf8))
    }

    private func check(_ api: HTTPSession, _ event: Event) async throws {
        #expect(try await api.post("p", parameters: event, as: Event.self) == event)
        #expect(try await api.post("p", parameters: event, serializer: .decodable(Event.self)) == event)
        let mapped = DecodableResponseSerializer(Event.self).map { [$0] }
        #expect(try await api.post("p", parameters: event, serializer: mapped) == [event])
        let call = try api.prepare(.post, "p", parameters: event)
        #expect(try await call.value(as: Event.self) == event)
        let task = call.task(as: Event.self)
        task.resume()
        #expect(try await task.value == event)
        let serialized = call.task(serializer: .decodable(Event.self))
        serialized.resume()
        #expect(try await serialized.value == event)
        let streamed = try await call.stream().response()
        #expect(try api.decoder.decode(Event.self, from: streamed.body) == event)
    }

    @Test func `a serializer with a decoder of its own keeps it`() async throws {
        var api = try HTTPSession("http://h", transport: Self.echo(#"{"first_name":"Ada","created_at":0}"#))
        var decoder = ResponseDecoder()
        decoder.keys = .snakeCase
        decoder.dates = .secondsSince1970
        let expected = Event(createdAt: Date(timeIntervalSince1970: 0), firstName: "Ada")
        #expect(try await api.get("p", serializer: .decodable(Event.self, decoder: decoder)) == expected)
        await #expect(throws: SessionError.self) { try await api.get("p", as: Event.self) }
        api.decoder = decoder
        #expect(try await api.get("p", as: Event.self) == expected)
    }

    @Test func `a whole response decodes its body with the decoder of the session`() async throws {
        var api = try HTTPSession("http://h", transport: Self.echo(#"{"first_name":"Ada","created_at":0}"#))
        api.decoder.keys = .snakeCase
        api.decoder.dates = .secondsSince1970
        let expected = Event(createdAt: Date(timeIntervalSince1970: 0), firstName: "Ada")
        let call = try api.prepare(.get, "p")
        #expect(try await api.get("p").decode(Event.self) == expected)
        #expect(try await call.response().decode() == expected)
        #expect(try await call.stream().response().decode(Event.self) == expected)
        let task = call.task()
        task.resume()
        #expect(try await task.value.decode(Event.self) == expected)
        // A response that is not of an HTTPSession has a decoder with its defaults.
        let bare = try await api.session.response(for: call.request)
        let error = #expect(throws: SessionError.self) { try bare.decode(Event.self) }
        #expect(error?.code == .serializationFailed)
        #expect(try bare.decode(Event.self, decoder: api.decoder) == expected)
        #expect(try Response(status: .noContent).decode(EmptyBody?.self) == nil)
    }

    @Test(arguments: [("é", nil, "é"), ("\u{E9}", "charset=iso-8859-1", "é"), ("", "charset=none", "")])
    func `a whole response is text in its charset`(_ body: String, _ parameter: String?, _ text: String) throws {
        let isLatin = parameter == "charset=iso-8859-1"
        let bytes = isLatin ? Data(body.unicodeScalars.map { UInt8($0.value) }) : Data(body.utf8)
        let type = ["text/plain", parameter].compactMap { $0 }.joined(separator: "; ")
        // Neither the status nor the type is checked.
        let response = Response(status: .notFound, headers: [.contentType: type], body: bytes)
        #expect(try response.text() == text)
    }

    @Test func `a body that is not text of its charset is an error, and another charset can be given`() throws {
        let invalid = Response(status: .ok, body: Data([0xE9]))
        let error = #expect(throws: SessionError.self) { try invalid.text() }
        #expect(error?.code == .serializationFailed)
        #expect(try invalid.text(in: .iso8859Part1) == "é")
        let unknown = Response(status: .ok, headers: [.contentType: "text/plain; charset=none"], body: Data([0xE9]))
        #expect(throws: SessionError.self) { try unknown.text() }
        #expect(try unknown.text(in: .iso8859Part1) == "é")
    }

    /// How a call is made whose response is refused.
    enum Way: String, CaseIterable, Sendable {
        case verb, value, stream, download, task, downloadTask, verbEvents, events
    }

    @Test(.bug(id: "F328"), arguments: Way.allCases)
    func `an error decodes its body with the decoder of the session`(_ way: Way) async throws {
        let document = #"{"created_at":0,"first_name":"Ada"}"#
        let transport = StubTransport { _ in
            .plain(document, status: 422, headers: [.contentType: "application/json"])
        }
        var api = try HTTPSession("http://h", transport: transport)
        api.decoder.keys = .snakeCase
        api.decoder.dates = .secondsSince1970
        let directory = try TemporaryDirectory()
        let call = try api.prepare(.get, "p")
        let error = await #expect(throws: SessionError.self) {
            switch way {
            case .verb: _ = try await api.get("p", as: Event.self)
            case .value: _ = try await call.response()
            case .stream: _ = try await call.stream()
            case .download: _ = try await call.download(to: directory.file("file"))
            case .task:
                let task = call.task(as: Event.self)
                task.resume()
                _ = try await task.value
            case .downloadTask:
                let task = call.downloadTask(to: directory.file("file"))
                task.resume()
                _ = try await task.value
            case .verbEvents: _ = try await api.events("p")
            case .events: _ = try await call.events().all()
            }
        }
        let expected = Event(createdAt: Date(timeIntervalSince1970: 0), firstName: "Ada")
        #expect(try error?.decode(Event.self) == expected)
        // A decoder that is given goes before that of the session.
        #expect(throws: SessionError.self) { try error?.decode(Event.self, decoder: ResponseDecoder()) }
    }

    // MARK: Monitors

    @Test(.bug(id: "F331"), arguments: Way.allCases.filter { $0 != .verb && $0 != .verbEvents })
    func `the monitor of a prepared call counts its bytes and ends with it, whatever its form`(_ way: Way) async throws
    {
        let transport = StubTransport { _ in
            .plain("data: a\n\n", headers: [.contentType: "text/event-stream"])
        }
        let steps = Recorder<TransferProgress>()
        let api = try HTTPSession("http://h", transport: transport)
        var call = try api.prepare(.get, "p") { steps.record($0) }
        let monitor = TransferMonitor()
        call.monitor = monitor
        let directory = try TemporaryDirectory()
        switch way {
        case .verb, .verbEvents: break
        case .value: _ = try await call.response()
        case .stream: _ = try await call.stream().response()
        case .download: _ = try await call.download(to: directory.file("file"))
        case .task:
            let task = call.task()
            #expect(task.downloadProgress === monitor.download)
            task.resume()
            _ = try await task.value
        case .downloadTask:
            let task = call.downloadTask(to: directory.file("file"))
            #expect(task.downloadProgress === monitor.download)
            task.resume()
            _ = try await task.value
        case .events:
            var options = EventSource.Options()
            options.reconnects = false
            #expect(try await call.events(reconnecting: options).all().map(\.data) == ["a"])
        }
        #expect(monitor.download.current.completed == 9)
        #expect(monitor.download.isFinished && monitor.upload.isFinished)
        let isReported = way != .stream && way != .events
        #expect(steps.elements.last?.completed == (isReported ? 9 : nil))
    }

    @Test(.bug(id: "F331"), arguments: [true, false])
    func `the monitor of a prepared call ends with a task that is cancelled or released before it began`(
        _ isCancelled: Bool
    ) async throws {
        let api = try HTTPSession("http://h", transport: Self.echo(""))
        var call = try api.prepare(.get, "p")
        let monitor = TransferMonitor()
        call.monitor = monitor
        var task: SessionTask<Response>? = call.task()
        if isCancelled { task?.cancel() }
        task = nil
        #expect(monitor.download.isFinished && monitor.upload.isFinished)
    }

    // MARK: Streams

    @Test(arguments: [
        (404, "text/plain", ResponseValidation()), (200, "text/plain", ResponseValidation(contentTypes: ["a/b"])),
        (302, "a/b", ResponseValidation(contentTypes: ["a/b"])),
    ])
    func `a stream that is refused is refused before its first byte`(
        _ status: Int,
        _ type: String,
        _ validation: ResponseValidation
    ) async throws {
        let transport = StubTransport { _ in .plain("why", status: status, headers: [.contentType: type]) }
        let api = try HTTPSession("http://h", transport: transport)
        let error = await #expect(throws: SessionError.self) {
            _ = try await api.stream("rows", validation: validation)
        }
        #expect(error?.code == (status == 200 ? .unacceptableContentType : .unacceptableStatus))
        #expect(error?.response?.status.code == status)
        #expect(error?.response?.body == Data("why".utf8))
        #expect(error?.request?.redactedURL == "http://h/rows")
    }

    @Test func `a refused stream holds no more than 64 KiB`() async throws {
        let transport = StubTransport { _ in .plain(String(repeating: "x", count: 65_537), status: 500) }
        let api = try HTTPSession("http://h", transport: transport)
        let error = await #expect(throws: SessionError.self) { _ = try await api.stream("rows") }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.response?.body.isEmpty == true)
    }

    @Test(
        arguments: [
            (200, ["Content-Type": "a/b; charset=utf-8"], "rows"), (204, [:], ""), (200, ["Content-Length": "0"], ""),
        ] as [(Int, [String: String], String)]
    )
    func `a stream that is accepted gives its bytes`(
        _ status: Int,
        _ headers: [String: String],
        _ body: String
    ) async throws {
        let fields = try headers.makeHeaderFields()
        let transport = StubTransport { _ in .plain(body, status: status, headers: fields) }
        let api = try HTTPSession("http://h", transport: transport)
        let response = try await api.stream("rows", validation: ResponseValidation(contentTypes: ["a/b"]))
        var text = ""
        for try await bytes in response.body { text += String(buffer: bytes) }
        #expect(text == body)
    }

    // MARK: Progress

    @Test func `progress is that of the request's body, else that of the response's, to the last step`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("data.bin")
        try Data(PatternBytes.bytes(300_000)).write(to: file)
        try await TestServer.withServer { server in
            let api = try HTTPSession(server.url, transport: server.makeTransport())
            let steps = Mutex<[TransferProgress]>([])
            @Sendable func note(_ progress: TransferProgress) { steps.withLock { $0.append(progress) } }
            func take() -> [TransferProgress] {
                steps.withLock { steps in
                    defer { steps = [] }
                    return steps
                }
            }

            try await api.put("upload", body: .file(file), progress: note)
            var seen = take()
            #expect(seen.last == TransferProgress(completed: 300_000, total: 300_000))
            #expect(seen.map(\.completed) == seen.map(\.completed).sorted())

            _ = try await api.get("bytes/200000", progress: note)
            seen = take()
            #expect(seen.last == TransferProgress(completed: 200_000, total: 200_000))

            let target = directory.file("saved.bin")
            _ = try await api.download("bytes/100000", to: target, progress: note)
            #expect(take().last == TransferProgress(completed: 100_000, total: 100_000))

            await #expect(throws: SessionError.self) { try await api.get("status/500", progress: note) }

            var call = try api.prepare(.put, "upload", body: .file(file), progress: note)
            let monitor = TransferMonitor()
            call.monitor = monitor
            _ = try await call.response()
            #expect(take().last == TransferProgress(completed: 300_000, total: 300_000))
            #expect(monitor.upload.current == TransferProgress(completed: 300_000, total: 300_000))
            #expect(monitor.download.isFinished)
            await api.session.shutdown()
        }
    }

    // MARK: Other forms

    @Test func `can be changed, downloaded and sent again`() async throws {
        let transport = Self.echo()
        let api = try HTTPSession("http://h/v1", transport: transport)
        var call = try api.prepare(.post, "p", parameters: ["a": 1])
        call.request.headers[.userAgent] = "mine"
        #expect(try await call.value(serializer: .string) == "a=1")
        #expect(try await call.response().body == Data("a=1".utf8))
        #expect(transport.requests.map { $0.headers[.userAgent] } == ["mine", "mine"])
        let directory = try TemporaryDirectory()
        #expect(try await call.download(to: directory.file("a")).byteCount == 3)
        let task = call.downloadTask(to: directory.file("b"))
        task.resume()
        #expect(try await task.value.byteCount == 3)
        #expect(try Data(contentsOf: directory.file("b")) == Data("a=1".utf8))
        let whole = call.task()
        whole.resume()
        #expect(try await whole.value.body == Data("a=1".utf8))
        #expect(call.request.cURL().hasPrefix("curl http://h/v1/p -H "))
    }
}
