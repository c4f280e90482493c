// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct RateLimitTests {
    @Test func `a bucket gives a quarter of a second at once, and makes the rest wait`() {
        let bucket = TokenBucket(rate: 1_000_000)
        let start = SessionClock.Instant.now
        #expect(bucket.take(250_000, now: start) == .zero)
        #expect(bucket.take(100_000, now: start) == .seconds(0.1))
        #expect(bucket.take(100_000, now: start.advanced(by: .seconds(0.1))) == .seconds(0.1))
        // A long pause is not made up for.
        #expect(bucket.take(250_000, now: start.advanced(by: .seconds(60))) == .zero)
        #expect(bucket.take(1_000_000, now: start.advanced(by: .seconds(60))) == .seconds(1))
    }

    @Test(arguments: [Int64.min, -1, 0, 1])
    func `the smallest rate is a byte a second`(_ rate: Int64) {
        #expect(RateLimit(download: rate).download == 1)
        let bucket = TokenBucket(rate: max(rate, 1))
        #expect(bucket.take(.max, now: .now) == .seconds(86_400))
    }

    /// Runs a piece of code on a clock that goes on in small steps whenever somebody sleeps.
    ///
    /// - Returns: How much time it has taken on that clock.
    private func elapsed(
        _ clock: ManualSessionClock,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> Duration {
        let isDone = Recorder<Bool>()
        let start = clock.clock.now
        let task = Task {
            let result: Result<Void, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            isDone.record(true)
            // The last sleep, which has no length, is what the loop below waits for.
            try await clock.clock.sleep(until: start)
            try result.get()
        }
        var sleepCount = 0
        repeat {
            sleepCount += 1
            await clock.waitForSleeps(sleepCount)
            while clock.sleeperCount > 0, isDone.elements.isEmpty { clock.advance(by: .milliseconds(10)) }
        } while isDone.elements.isEmpty
        let time = start.duration(to: clock.clock.now)
        try await task.value
        return time
    }

    @Test(arguments: [true, false])
    func `a response is received as fast as its limit allows`(_ isSessions: Bool) async throws {
        let clock = ManualSessionClock()
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        let limit = RateLimit(download: 1_000_000)
        if isSessions { configuration.rateLimit = limit }
        try await DownloadScene.run(configuration) { scene in
            var request = try scene.request("/bytes/4000000")
            if !isSessions { request.rateLimit = limit }
            let (session, sent) = (scene.session, request)
            let time = try await self.elapsed(clock) {
                let response = try await session.response(for: sent)
                #expect(Array(response.body) == PatternBytes.bytes(4_000_000))
            }
            // The first quarter of a second is free, and the last buffer is not waited for: it has what one turn of the loop received.
            #expect((Duration.seconds(3.2)...(.seconds(3.9))).contains(time))
        }
    }

    @Test func `downloads of one session share its limit`() async throws {
        let clock = ManualSessionClock()
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        configuration.rateLimit = RateLimit(download: 1_000_000)
        try await DownloadScene.run(configuration) { scene in
            let (session, request, directory) = (scene.session, try scene.request("/bytes/4000000"), scene.directory)
            let time = try await self.elapsed(clock) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for name in ["a", "b", "c"] {
                        group.addTask { _ = try await session.download(request, to: directory.file(name)) }
                    }
                    try await group.waitForAll()
                }
            }
            // None of the three waits for its last buffer. The clock goes on while one of them works and the others sleep.
            #expect((Duration.seconds(10)...(.seconds(20))).contains(time))
        }
    }

    @Test func `the parts of a parallel download share the limit of their request`() async throws {
        let clock = ManualSessionClock()
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        try await DownloadScene.run(configuration) { scene in
            var request = try scene.request("/bytes/4000000")
            request.rateLimit = RateLimit(download: 1_000_000)
            let (session, sent, file) = (scene.session, request, scene.directory.file("a"))
            let time = try await self.elapsed(clock) {
                let policy = ParallelDownloadTests.policy(3, smallest: 100_000)
                let downloaded = try await session.download(sent, to: file, policy: policy)
                #expect(downloaded.byteCount == 4_000_000)
            }
            #expect((Duration.seconds(2)...(.seconds(8))).contains(time))
        }
    }

    @Test func `a limit holds the server back, not only the reader`() async throws {
        let clock = ManualSessionClock()
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        configuration.rateLimit = RateLimit(download: 1_000)
        try await DownloadScene.run(configuration) { scene in
            let monitor = TransferMonitor()
            let (session, request, file) = (
                scene.session, try scene.request("/bytes/500000000"), scene.directory.file("a")
            )
            let task = Task { try await session.download(request, to: file, monitor: monitor) }
            await clock.waitForSleeps(1)
            // One buffer has come, and nothing more is read while the clock stands still.
            #expect(monitor.download.current.completed < 1 << 20)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try scene.directory.names.isEmpty)
        }
    }

    @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
    func `a response is read as it comes where the session or the request limits its rate`(
        _ isSessions: Bool,
        _ isRequests: Bool
    ) async throws {
        let transport = StubTransport()
        var configuration = Session.Configuration()
        // Each of them limits one direction, and neither replaces the other.
        configuration.rateLimit = isSessions ? RateLimit(download: 1_000) : RateLimit(upload: 1_000)
        var request = Request(url: try Peer.url("http://h/"))
        request.rateLimit = isRequests ? RateLimit(download: 1_000) : RateLimit(upload: 1_000)
        _ = try await Session(configuration: configuration, transport: transport).response(for: request)
        let sent = try #require(transport.requests.first)
        #expect((sent.responseMode == .streamed) == (isSessions || isRequests))
    }

    @Test(arguments: [true, false])
    func `a body is read as fast as its limit allows`(_ isFile: Bool) async throws {
        let clock = ManualSessionClock()
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        configuration.rateLimit = RateLimit(upload: 100_000)
        let transport = StubTransport()
        let session = Session(configuration: configuration, transport: transport)
        let directory = try TemporaryDirectory()
        let bytes = Data(PatternBytes.bytes(200_000))
        try bytes.write(to: directory.file("f"))
        var request = Request(method: .post, url: try Peer.url("http://localhost/"))
        request.body = isFile ? .file(directory.file("f")) : .data(bytes)
        _ = try await session.response(for: request)
        let sent = try #require(transport.requests.first)
        guard case .reader(let length, let isReplayable, let makeReader) = sent.body else {
            Issue.record("the body is not read piece by piece")
            return
        }
        #expect(length == 200_000)
        #expect(isReplayable)
        var reader = try makeReader()
        var (received, delay) = ([UInt8](), Duration.zero)
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
            if count == 0 { break }
            received += buffer[..<count]
            clock.advance(by: reader.delayBeforeNextRead)
            delay += reader.delayBeforeNextRead
        }
        #expect(Data(received) == bytes)
        // 64 KiB at once, and the rest at 100,000 bytes a second.
        #expect(abs(delay / .seconds(1) - Double(200_000 - 65_536) / 100_000) < 0.01)
    }

    /// Claims more bytes than the pieces of a limited body have.
    private struct Liar: BodyReader {
        mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { 20_000 }
    }

    @Test(.bug(id: "F187")) func `a reader that claims more bytes than it has room for sends none of them`()
        async throws
    {
        try await DownloadScene.run { scene in
            var request = Request(method: .post, url: try Peer.url("\(scene.server.url)/upload"))
            request.body = .stream(length: nil) { Liar() }
            request.rateLimit = RateLimit(upload: .max)
            let sent = request
            let error = await #expect(throws: SessionError.self) { try await scene.session.response(for: sent) }
            #expect(error?.code == .bodyFailed)
            #expect(error?.requestBodyByteCount == 0)
        }
    }

    @Test(.bug(id: "F198"), arguments: [true, false])
    func `a limited body ends at the total limit of its call, however long its pause is`(
        _ isStreamed: Bool
    ) async throws {
        try await DownloadScene.run { scene in
            var request = try scene.request("/bytes/4000000")
            request.rateLimit = RateLimit(download: 1)
            request.options.totalTimeout = .milliseconds(300)
            let sent = request
            let error = await #expect(throws: SessionError.self) {
                if isStreamed {
                    for try await _ in try await scene.session.send(sent).body {}
                } else {
                    _ = try await scene.session.response(for: sent)
                }
            }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .total)
        }
    }

    @Test(.bug(id: "F197")) func `a file that cannot be read is refused before anything is sent`() async throws {
        let directory = try TemporaryDirectory()
        try await DownloadScene.run { scene in
            var request = Request(method: .post, url: try Peer.url("\(scene.server.url)/upload"))
            request.body = .file(directory.file("none"))
            for limit in [nil, RateLimit(upload: 1_000_000)] {
                request.rateLimit = limit
                let sent = request
                let error = await #expect(throws: SessionError.self) { try await scene.session.response(for: sent) }
                #expect(error?.code == .bodyFailed)
                #expect(error?.isRequestSent == false)
            }
            #expect(scene.server.connections.requests == 0)
        }
    }

    /// A session whose clock a test sets, and whose transport reads each body and answers with 1,000 bytes.
    private static func session(
        _ clock: ManualSessionClock,
        _ limit: RateLimit?
    ) -> (session: Session, transport: StubTransport) {
        let transport = StubTransport { request in
            _ = try request.body.collect()
            return .plain(String(repeating: "x", count: 1_000))
        }
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        configuration.rateLimit = limit
        return (Session(configuration: configuration, transport: transport), transport)
    }

    @Test(.bug(id: "F279"), arguments: [RateLimit(download: 1_000), RateLimit(upload: 1_000)])
    func `small bodies are as slow as one body of their size`(_ limit: RateLimit) async throws {
        let clock = ManualSessionClock()
        let (session, _) = Self.session(clock, limit)
        let body = RequestBody.data(Data(repeating: 0x61, count: 1_000))
        let request = Request(method: .post, url: try Peer.url("http://h/"), body: body)
        let time = try await self.elapsed(clock) {
            for _ in 0..<6 { _ = try await session.response(for: request) }
        }
        // The first is free, and the last is not waited for.
        #expect((Duration.seconds(3.9)...(.seconds(4.5))).contains(time))
    }

    @Test(.bug(id: "F279")) func `one limit of both the session and the request counts a byte once`() async throws {
        let clock = ManualSessionClock()
        let limit = RateLimit(download: 1_000)
        let (session, _) = Self.session(clock, limit)
        var request = Request(url: try Peer.url("http://h/"))
        request.rateLimit = limit
        let sent = request
        let time = try await self.elapsed(clock) {
            for _ in 0..<4 { _ = try await session.response(for: sent) }
        }
        #expect((Duration.seconds(1.9)...(.seconds(2.5))).contains(time))
    }

    private struct Limiting: Interceptor {
        var limit: RateLimit

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            var request = request
            request.rateLimit = self.limit
            return try await next(request)
        }
    }

    @Test(.bug(id: "F514"), arguments: [false, true], [DeduplicationPolicy.none, .identical])
    func `an interceptor can limit the rate of a request`(
        _ isNetwork: Bool,
        _ deduplication: DeduplicationPolicy
    ) async throws {
        let clock = ManualSessionClock()
        let transport = StubTransport { _ in
            let body = ScriptedBody([.bytes(1_000)])
            return TransportResponse(status: .ok, body: ResponseBody(source: body, expectedLength: 1_000))
        }
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        configuration.deduplication = deduplication
        let limiting = Limiting(limit: RateLimit(download: 1_000))
        if isNetwork {
            configuration.networkInterceptors = [limiting]
        } else {
            configuration.interceptors = [limiting]
        }
        let session = Session(configuration: configuration, transport: transport)
        let request = Request(url: try Peer.url("http://h/"))
        let time = try await self.elapsed(clock) {
            for _ in 0..<4 {
                let response = try await session.response(for: request)
                #expect(response.body.count == 1_000)
            }
        }
        #expect((Duration.seconds(1.9)...(.seconds(3.5))).contains(time))
        // What arrives whole could not be held back.
        #expect(transport.requests.allSatisfy { $0.responseMode == .streamed })
    }

    @Test(.bug(id: "F514")) func `without a limit the stage has nothing to do`() throws {
        let (stage, limit) = (RateLimitStage(limit: nil), RateLimit(upload: 1_000))
        var request = Request(url: try Peer.url("http://h/"))
        let call = Call(request)
        #expect(stage.isIdle(for: request, of: call))
        #expect(!RateLimitStage(limit: limit).isIdle(for: request, of: call))
        request.rateLimit = limit
        #expect(!stage.isIdle(for: request, of: call))
    }

    @Test(.bug(id: "F279")) func `the wait for earlier bodies ends at the total limit of the call`() async throws {
        let clock = ManualSessionClock()
        let (session, transport) = Self.session(clock, RateLimit(download: 1_000))
        var request = Request(url: try Peer.url("http://h/"))
        request.options.totalTimeout = .milliseconds(500)
        let sent = request
        for _ in 0..<2 { _ = try await session.response(for: sent) }
        let task = Task { try await session.response(for: sent) }
        await clock.waitForSleeps(1)
        clock.advance(by: .milliseconds(500))
        let error = await #expect(throws: SessionError.self) { try await task.value }
        #expect(error?.code == .timedOut)
        #expect(error?.phase == .total)
        #expect(transport.requests.count == 2)
    }

    @Test(.bug(id: "F279")) func `the first bytes of a body wait for those of other bodies`() async throws {
        let clock = ManualSessionClock()
        let limit = RateLimit(download: 1_000)
        let transport = StubTransport { _ in
            // Another body, which arrives during this exchange.
            _ = limit.downloadBucket?.take(3_000, now: clock.clock.now)
            return TransportResponse(
                status: .ok,
                body: ResponseBody(source: ScriptedBody([.text("body")]), expectedLength: nil)
            )
        }
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        configuration.rateLimit = limit
        let session = Session(configuration: configuration, transport: transport)
        let request = Request(url: try Peer.url("http://h/"))
        let time = try await self.elapsed(clock) { _ = try await session.response(for: request) }
        #expect(time >= .seconds(2))
    }

    @Test(.bug(id: "F279"), arguments: [(1, 1), (100, 100), (1_000_000, 16 * 1024)] as [(Int64, Int)])
    func `a piece of an upload has no more bytes than one second allows`(_ rate: Int64, _ largest: Int) async throws {
        let transport = StubTransport()
        let session = Session(transport: transport)
        let body = RequestBody.data(Data(repeating: 0x61, count: 100_000))
        var request = Request(method: .post, url: try Peer.url("http://h/"), body: body)
        request.rateLimit = RateLimit(upload: rate)
        _ = try await session.response(for: request)
        var reader = try #require(try transport.requests.first?.body.makeReader())
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
        #expect(count == largest)
    }

    @Test func `an upload takes the time that its limit wants`() async throws {
        try await DownloadScene.run { scene in
            var request = Request(method: .post, url: try Peer.url("\(scene.server.url)/echo"))
            request.body = .data(Data(PatternBytes.bytes(400_000)))
            request.rateLimit = RateLimit(upload: 2_000_000)
            // A quarter of a second is free: 500,000 bytes. The second request has to wait for what the first one took.
            let start = ContinuousClock.now
            for _ in 0..<2 {
                let response = try await scene.session.response(for: request)
                #expect(response.status == .ok)
            }
            #expect(start.duration(to: .now) >= .milliseconds(100))
        }
    }
}
