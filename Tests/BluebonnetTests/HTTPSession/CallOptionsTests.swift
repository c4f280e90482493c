// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import FoundationEssentials
import Testing

/// The options of calls besides the verbs: downloads, uploads, event streams and callbacks.
@Suite(.timeLimit(.minutes(1))) struct CallOptionsTests {
    /// Records the options of each request.
    private struct Recording: Interceptor {
        let options = Recorder<RequestOptions>()

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            self.options.record(request.options)
            return try await next(request)
        }
    }

    private let recording = Recording()
    private let options = RequestOptions(timeoutInterval: .seconds(50), totalTimeout: .seconds(60))

    private func api(_ text: String = "hello", _ type: String = "text/plain") throws -> HTTPSession {
        var configuration = Session.Configuration()
        configuration.interceptors = [self.recording]
        let transport = StubTransport { _ in .plain(text, headers: [.contentType: type]) }
        return try HTTPSession("http://h", session: Session(configuration: configuration, transport: transport))
    }

    @Test func `a client with an existing session has a base URL from a text or a URL`() throws {
        let api = try self.api()
        let url = try Peer.url("http://h")
        #expect(api.baseURL == HTTPSession(url, session: api.session).baseURL)
        #expect(api.session === HTTPSession(url, session: api.session).session)
        #expect(throws: SessionError.self) { try HTTPSession("ftp://h", session: api.session) }
    }

    @Test func `a download has options and a time limit, and may decide its destination`() async throws {
        let (api, directory) = (try self.api(), try TemporaryDirectory())
        let first = directory.file("a")
        _ = try await api.download("p", to: first, options: self.options, timeout: .seconds(9))
        #expect(self.recording.options.elements.last?.timeoutInterval == .seconds(50))
        #expect(self.recording.options.elements.last?.totalTimeout == .seconds(9))
        let second = directory.file("b")
        let file = try await api.download("p", to: .decided { _, _ in second }, options: self.options)
        #expect(file.url == second && file.byteCount == 5)
        #expect(self.recording.options.elements.last?.totalTimeout == .seconds(60))
        let destination = DownloadDestination.decided { _, _ in second }
        let task = try api.prepare(.get, "p").downloadTask(to: destination, destinationOptions: .overwrite)
        task.resume()
        #expect(try await task.value.url == second)
    }

    @Test func `a stream of events has options`() async throws {
        let api = try self.api("data: a\n\n", "text/event-stream")
        let events = try await api.events(
            "p",
            options: RequestOptions(handlesCookies: false),
            reconnecting: EventSource.Options(reconnects: false)
        )
        #expect(try await events.all().map(\.data) == ["a"])
        #expect(self.recording.options.elements.map(\.handlesCookies) == [false])
    }

    @Test func `an upload has a time limit for each request, and a task`() async throws {
        try await UploadTestScene.run { scene in
            let recording = self.recording
            var configuration = scene.session.configuration
            configuration.interceptors = [recording]
            let session = Session(configuration: configuration, transport: scene.session.transport)
            let api = try HTTPSession(scene.server.url, session: session)
            let uploaded = try await api.upload(
                scene.file,
                to: "files",
                options: self.options,
                timeout: .seconds(9),
                resuming: scene.upload
            )
            #expect(uploaded.byteCount == 1000)
            #expect(Set(recording.options.elements.map(\.totalTimeout)) == [.seconds(9)])
            let steps = Recorder<TransferProgress>()
            let task = try api.prepare(.post, "files") { steps.record($0) }
                .uploadTask(scene.file, resuming: scene.upload)
            #expect(task.kind == .upload)
            task.resume()
            #expect(try await task.value.byteCount == 1000)
            #expect(steps.elements.last?.completed == 1000)
            #expect(scene.origin.files == [scene.bytes, scene.bytes])
        }
    }

    @Test func `a callback gets what a serializer makes of the response`() async throws {
        let api = try self.api()
        let results = AsyncStream.makeStream(of: Result<String, any Error>.self)
        let record: @Sendable (Result<String, any Error>) -> Void = { results.continuation.yield($0) }
        var iterator = results.stream.makeAsyncIterator()
        api.start(.get, "p", query: ["page": 1], options: self.options, serializer: .string, completion: record)
        #expect(try await iterator.next()?.get() == "hello")
        api.start(.post, "p", parameters: ["a": [1]], serializer: .string) { record($0) }
        #expect(try await iterator.next()?.get() == "hello")
        let none = api.start(.get, "//other/x", serializer: .string, completion: record)
        #expect(none == nil)
        let refused = await iterator.next()
        #expect(throws: SessionError.self) { try refused?.get() }
        let whole = api.session.dataTask(with: Request(url: try Peer.url("http://h/p")))
        whole.resume()
        #expect(try await whole.value.body == Data("hello".utf8))
    }

    @Test func `the options of downloads and event streams are made with their values`() throws {
        let digest = try ContentDigest(.sha256, bytes: [UInt8](repeating: 1, count: 32))
        let policy = DownloadPolicy(
            resume: .always,
            digest: digest,
            verifiesResponseDigests: false,
            durability: .none,
            maximumByteCount: 9,
            validation: .none,
            parallelism: 99,
            smallestRangeByteCount: -1
        )
        #expect(policy.resume == .always && policy.digest == digest && !policy.verifiesResponseDigests)
        #expect(policy.durability == .none && policy.maximumByteCount == 9 && policy.validation == .none)
        #expect(policy.parallelism == 16 && policy.smallestRangeByteCount == 1)
        let made = EventSource.Options(
            lastEventID: "7",
            reconnects: false,
            reconnectionTime: .seconds(1),
            delays: .seconds(1) ... .seconds(2),
            jitter: 0,
            maximumAttempts: 3,
            idleLimit: .seconds(4),
            limits: EventLimits(eventByteCount: 10)
        )
        var changed = EventSource.Options()
        changed.lastEventID = "7"
        changed.reconnects = false
        changed.reconnectionTime = .seconds(1)
        changed.delays = .seconds(1) ... .seconds(2)
        changed.jitter = 0
        changed.maximumAttempts = 3
        changed.idleLimit = .seconds(4)
        changed.limits = EventLimits(eventByteCount: 10)
        #expect(made == changed)
        let options = EventSource.Options()
        #expect(options.reconnectionTime == .seconds(3) && options.jitter == 0.5)
        #expect(options.delays == .milliseconds(100) ... .seconds(60))
    }
}
