// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

struct StubTransportTests {
    static let origin = Origin(scheme: .http, host: "example.test")

    struct Failure: Error, Equatable {}

    @Test func `answers from code and remembers what it was asked`() async throws {
        let transport = StubTransport { request in
            request.target == "/me" ? .json(#"{"a":1}"#) : TransportResponse(status: .notFound)
        }
        let response = try await transport.exchange(TransportRequest(origin: Self.origin, target: "/me"))
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "application/json")
        #expect(response.body.collectedBytes.map { String(buffer: $0) } == #"{"a":1}"#)
        #expect(
            try await transport.exchange(TransportRequest(method: .put, origin: Self.origin, target: "/x")).status
                == .notFound
        )
        #expect(transport.requests.map(\.target) == ["/me", "/x"])
    }

    @Test func `answers from a list until it is used up`() async throws {
        let transport = StubTransport(responses: [.failure(Failure()), .success(.text("two"))])
        let request = TransportRequest(origin: Self.origin, target: "/")
        await #expect(throws: Failure()) { try await transport.exchange(request) }
        #expect(try await transport.exchange(request).status == .ok)
        let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
        #expect(error?.code == .connectionClosed)
        #expect(transport.requests.count == 3)
    }

    @Test func `responds by method and path, the last rule that matches`() async throws {
        let transport = StubTransport(rules: [
            .on(.get, "/users/*") { request in .json("\"\(request.target)\"") },
            .on(.get, "/users/7") { _ in TransportResponse(status: .gone) },
        ])
        transport.add(.on(.delete, "/users/*") { _ in TransportResponse(status: .noContent) })
        func status(_ method: HTTPRequest.Method, _ target: String) async throws -> Int {
            let request = TransportRequest(method: method, origin: Self.origin, target: target)
            return try await transport.exchange(request).status.code
        }
        #expect(try await status(.get, "/users/1?full=yes") == 200)
        #expect(try await status(.get, "/users/7") == 410)
        #expect(try await status(.delete, "/users/7") == 204)
        #expect(transport.unmatchedRequests.isEmpty)
        for (method, target) in [
            (HTTPRequest.Method.post, "/users/1"), (.get, "/users"), (.get, "/users/1/name"), (.get, "/"),
        ] {
            let error = await #expect(throws: TransportError.self) { _ = try await status(method, target) }
            #expect(error?.code == .invalidRequest)
            let expected = "it has GET /users/*, GET /users/7, DELETE /users/*"
            #expect(error?.reason == "the stub has no rule for \(method.rawValue) \(target); \(expected)")
        }
        #expect(transport.unmatchedRequests.map(\.target) == ["/users/1", "/users", "/users/1/name", "/"])
        let none = await #expect(throws: TransportError.self) {
            try await StubTransport(rules: []).exchange(TransportRequest(origin: Self.origin, target: "/?secret"))
        }
        #expect(none?.reason == "the stub has no rule for GET /; it has none at all")
    }

    @Test func `rules go before the code for everything else`() async throws {
        let transport = StubTransport { _ in TransportResponse(status: .notFound) }
        transport.add(.on(.get, "/me") { _ in .json("{}") })
        for (target, status) in [("/me", 200), ("/you", 404)] {
            let request = TransportRequest(origin: Self.origin, target: target)
            #expect(try await transport.exchange(request).status.code == status)
        }
        #expect(transport.unmatchedRequests.isEmpty)
    }

    @Test func `refuses after a shutdown`() async throws {
        let transport = StubTransport { _ in TransportResponse(status: .ok) }
        await transport.shutdown()
        #expect(transport.isShutDown)
        let error = await #expect(throws: TransportError.self) {
            try await transport.exchange(TransportRequest(origin: Self.origin, target: "/"))
        }
        #expect(error?.code == .shutDown)
    }

    @Test(.bug(id: "F570"), .timeLimit(.minutes(1)), arguments: [ExchangePhase.total, .responseHead])
    func `an answer that is later than the limit of its request is timed out, and cancelled`(
        _ phase: ExchangePhase
    ) async {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let transport = StubTransport { _ in
            defer { end.finish() }
            for await _ in AsyncStream<Never>.makeStream().stream {}
            try Task.checkCancellation()
            return .text("late")
        }
        var request = TransportRequest(origin: Self.origin, target: "/")
        request.timeouts[phase] = .milliseconds(20)
        let limited = request
        let error = await #expect(throws: TransportError.self) { try await transport.exchange(limited) }
        #expect(error?.code == .timedOut)
        #expect(error?.phase == phase)
        #expect(error?.isRequestSent == true)
        for await _ in ended {}
    }

    @Test func `notices that its task is cancelled`() async {
        let transport = StubTransport { _ in
            withUnsafeCurrentTask { $0?.cancel() }
            return TransportResponse(status: .ok)
        }
        let task = Task { try await transport.exchange(TransportRequest(origin: Self.origin, target: "/")) }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

struct RecordingTransportTests {
    @Test func `passes everything on and remembers how it ended`() async throws {
        let stub = StubTransport(responses: [
            .success(.json("[]", status: .created)), .failure(StubTransportTests.Failure()),
        ])
        let transport = RecordingTransport(wrapping: stub)
        let request = TransportRequest(origin: StubTransportTests.origin, target: "/a")
        let response = try await transport.exchange(request)
        #expect(response.status == .created)
        await #expect(throws: StubTransportTests.Failure()) { try await transport.exchange(request) }
        #expect(transport.requests.count == 2)
        #expect(try transport.entries[0].outcome.get().status == .created)
        #expect(throws: StubTransportTests.Failure()) { try transport.entries[1].outcome.get() }
        await transport.shutdown()
        #expect(stub.isShutDown)
    }
}

struct FakeBodyTests {
    @Test(arguments: [(0, 1), (1, 1), (1000, 7), (300_000, 65536), (1_200_000, 1 << 22)])
    func `gives the pattern's bytes`(count: Int, pieceByteCount: Int) throws {
        let body = FakeBody(byteCount: Int64(count), pieceByteCount: pieceByteCount).body
        #expect(body.isReplayable)
        for _ in 0..<2 {
            #expect(Array(buffer: try body.collect()) == PatternBytes.bytes(count))
        }
    }

    @Test func `can fail, be slow, and promise another length`() throws {
        let failing = FakeBody(byteCount: 10, failure: StubTransportTests.Failure())
        #expect(throws: StubTransportTests.Failure()) { try failing.body.collect() }
        let start = ContinuousClock.now
        _ = try FakeBody(byteCount: 10, pieceByteCount: 5, pause: .milliseconds(3)).body.collect()
        #expect(ContinuousClock.now - start >= .milliseconds(9))
        var liar = FakeBody(byteCount: 10)
        liar.promisedByteCount = 11
        guard case .reader(11, _, _) = liar.body else {
            Issue.record("the length is not the promised one")
            return
        }
    }

    /// Claims a number of bytes beyond those of its buffer, or one that is negative.
    private struct Liar: TransportBodyReader {
        let excess: Int

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            self.excess > 0 ? buffer.count + self.excess : self.excess
        }
    }

    @Test(.bug(id: "F189"), arguments: [-1, 1, Int.min])
    func `a reader that claims an impossible number of bytes is an error`(_ excess: Int) async {
        let body = TransportBody.reader(length: nil, isReplayable: true) { Liar(excess: excess) }
        let error = #expect(throws: TransportError.self) { try body.collect() }
        #expect(error?.code == .bodyFailed)
        let recorder = RecordingTransport(
            wrapping: StubTransport { request in
                _ = try request.body.collect()
                return TransportResponse(status: .ok)
            }
        )
        var request = TransportRequest(method: .post, origin: StubTransportTests.origin, target: "/")
        request.body = body
        let sent = request
        let recorded = await #expect(throws: TransportError.self) { try await recorder.exchange(sent) }
        #expect(recorded?.code == .bodyFailed)
    }

    @Test(.bug(id: "F189"), arguments: [0, -1]) func `a body has pieces of a byte at least`(_ byteCount: Int) throws {
        var body = FakeBody(byteCount: 10)
        body.pieceByteCount = byteCount
        #expect(Array(buffer: try body.body.collect()) == PatternBytes.bytes(10))
    }

    @Test(.bug(id: "F189")) func `a body in memory that is too long is refused`() {
        let body = TransportBody.bytes(ByteBuffer(repeating: 1, count: 1001))
        let error = #expect(throws: TransportError.self) { try body.collect(upTo: 1000) }
        #expect(error?.code == .bodyFailed)
    }

    @Test func `a body that is too long is refused`() {
        #expect(throws: TransportError.self) { try FakeBody(byteCount: 200_000).body.collect(upTo: 1000) }
    }
}
