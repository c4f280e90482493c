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

    @Test func `refuses after a shutdown`() async throws {
        let transport = StubTransport { _ in TransportResponse(status: .ok) }
        await transport.shutdown()
        #expect(transport.isShutDown)
        let error = await #expect(throws: TransportError.self) {
            try await transport.exchange(TransportRequest(origin: Self.origin, target: "/"))
        }
        #expect(error?.code == .shutDown)
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

    @Test func `a body that is too long is refused`() {
        #expect(throws: TransportError.self) { try FakeBody(byteCount: 200_000).body.collect(upTo: 1000) }
    }
}
