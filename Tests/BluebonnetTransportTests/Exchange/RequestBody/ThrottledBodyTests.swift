// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// Request bodies that are slow on purpose (`TransportBodyReader.delayBeforeNextRead`).
@Suite(.timeLimit(.minutes(1))) struct ThrottledBodyTests {
    /// Gives a few pieces with a delay between them.
    private struct Throttled: TransportBodyReader {
        static let piece = 100

        let reads: Counter
        var remaining = 3
        let delay: Duration
        var isDelayedAtEnd = false

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            guard self.remaining > 0 else { return 0 }
            self.remaining -= 1
            self.reads.value.add(1, ordering: .relaxed)
            buffer.prefix(Self.piece).initializeMemory(as: UInt8.self, repeating: 7)
            return Self.piece
        }

        var delayBeforeNextRead: Duration {
            self.remaining > 0 || self.isDelayedAtEnd ? self.delay : .zero
        }
    }

    private static func body(_ reads: Counter, delay: Duration, isLengthKnown: Bool = true) -> TransportBody {
        .reader(length: isLengthKnown ? Int64(3 * Throttled.piece) : nil, isReplayable: true) {
            Throttled(reads: reads, delay: delay)
        }
    }

    @Test func `throttled uploads do not stop the body of a file`() async throws {
        // More of them than the thread pool has threads, each waiting for ever on a clock that nobody turns.
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        configuration.pool.maximumConnectionsPerOrigin = 100
        let path = NSTemporaryDirectory() + "bluebonnet-\(UUID().uuidString)"
        try Data(repeating: 1, count: 100_000).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await Engine.run(engine: configuration) { engine async throws in
            let reads = Counter(0)
            let uploads = (0..<64).map { _ in
                Task {
                    let body = Self.body(reads, delay: .seconds(1))
                    return try await engine.send(engine.request(.post, "/upload", body: body)).status
                }
            }
            while reads.value.load(ordering: .relaxed) < 64 { await Task.yield() }
            let file = TransportBody.file(FileBody(path: path, byteCount: 100_000))
            #expect(try await engine.send(engine.request(.post, "/upload", body: file)).status == 200)
            #expect(reads.value.load(ordering: .relaxed) == 64)
            let all = Task { () async throws -> [Int] in
                var statuses = [Int]()
                for upload in uploads { statuses.append(try await upload.value) }
                return statuses
            }
            let statuses = try await clock.advance(by: .milliseconds(100), until: all).get()
            #expect(statuses == [_](repeating: 200, count: 64))
            #expect(clock.elapsed >= .seconds(2))
        }
    }

    @Test(arguments: [true, false]) func `the delay is no silence of the server, whatever its limit`(
        _ isLengthKnown: Bool
    ) async throws {
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        try await Engine.run(engine: configuration) { engine async throws in
            let reads = Counter(0)
            var request = engine.request(
                .post,
                "/upload",
                body: Self.body(reads, delay: .seconds(100), isLengthKnown: isLengthKnown)
            )
            request.timeouts.requestBody = .seconds(1)
            // The clock is turned faster than sockets can answer: no other limit may count it.
            (request.timeouts.queue, request.timeouts.resolve, request.timeouts.connect) = (nil, nil, nil)
            request.timeouts.responseHead = nil
            let outgoing = request
            let exchange = Task { try await engine.send(outgoing).body }
            let text = try await clock.advance(by: .milliseconds(500), until: exchange).get()
            #expect(text.contains("300"))
            #expect(clock.elapsed >= .seconds(200))
        }
    }

    @Test func `a throttled body goes over HTTP 2 at the same pace`() async throws {
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        configuration.http2.pingInterval = nil
        let behaviour = RawPeer.Behaviour { [.afterBody(300), .send(Wire.response($0.stream))] }
        try await RawPeer.run(behaviour, engine: configuration) { _, transport, origin in
            let reads = Counter(0)
            let body = Self.body(reads, delay: .seconds(5))
            var request = TransportRequest(method: .post, origin: origin, target: "/", body: body)
            (request.timeouts.queue, request.timeouts.resolve, request.timeouts.connect) = (nil, nil, nil)
            (request.timeouts.requestBody, request.timeouts.responseHead) = (nil, nil)
            let outgoing = request
            let exchange = Task { try await transport.exchange(outgoing).status.code }
            let status = try await clock.advance(by: .milliseconds(500), until: exchange).get()
            #expect(status == 200)
            #expect(clock.elapsed >= .seconds(10))
        }
    }

    @Test(.bug(id: "F450"), arguments: [false, true])
    func `a request is complete with its declared bytes, however long the reader wants to wait`(
        _ isHTTP2: Bool
    ) async throws {
        // A clock that nobody turns: a delay behind the last byte would never end.
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(ManualClock())
        var server = TestServer.Configuration()
        if isHTTP2 { server.http2 = .init() }
        let tls = isHTTP2 ? TestServer.TLS() : nil
        try await Engine.run(tls: tls, server: server, engine: configuration) { engine async throws in
            let body = TransportBody.reader(length: Int64(Throttled.piece), isReplayable: true) {
                Throttled(reads: Counter(0), remaining: 1, delay: .seconds(1_000_000), isDelayedAtEnd: true)
            }
            for _ in 0..<3 {
                #expect(try await engine.send(engine.request(.post, "/upload", body: body)).body.contains("100"))
            }
            #expect(engine.transport.statistics.opened == 1)
        }
    }

    @Test func `cancelling ends the wait`() async throws {
        try await Engine.run { engine in
            let reads = Counter(0)
            let request = engine.request(.post, "/upload", body: Self.body(reads, delay: .seconds(1_000_000)))
            let exchange = Task { try await engine.send(request).status }
            while reads.value.load(ordering: .relaxed) < 1 { await Task.yield() }
            exchange.cancel()
            await #expect(throws: CancellationError.self) { try await exchange.value }
            try await engine.server.waitForConnections { $0.open == 0 }
            _ = engine.server.takeFailures()
        }
    }
}

/// A number that several closures can hold.
private final class Counter: Sendable {
    let value: Atomic<Int>

    init(_ value: Int) {
        self.value = Atomic(value)
    }
}
