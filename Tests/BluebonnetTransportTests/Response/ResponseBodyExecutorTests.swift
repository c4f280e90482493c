// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// Consumers on the event loop that receives their body.
@Suite(.timeLimit(.minutes(1))) struct ResponseBodyExecutorTests {
    private static let byteCount = 5_000_000

    /// Notes the thread of the event loop, on which observers are called.
    private final class Loop: TransportObserver {
        private let thread = Mutex<pthread_t?>(nil)

        var isHere: Bool { self.thread.withLock { $0 == pthread_self() } }

        func observe(_ event: TransportEvent, of exchange: ExchangeID) {
            guard case .responseHeadEnded = event else { return }
            self.thread.withLock { $0 = pthread_self() }
        }
    }

    /// Sends a request whose response is a stream.
    private static func send(
        _ engine: Engine,
        _ loop: Loop,
        effect: SocketEffect? = nil
    ) async throws -> TransportResponse {
        engine.server.enqueue(ScriptedResponse(body: .pattern(Int64(Self.byteCount)), effect: effect))
        var request = engine.request(.get, "/", streamed: true)
        request.observer = loop
        return try await engine.transport.exchange(request)
    }

    @Test(arguments: [nil, TestServer.TLS()])
    func `a consumer that prefers the executor runs on the event loop, and gets every byte`(
        tls: TestServer.TLS?
    ) async throws {
        let loop = Loop()
        try await Engine.run(tls: tls) { engine in
            let response = try await Self.send(engine, loop)
            #expect(response.body.executor != nil)
            let (count, strays) = try await withTaskExecutorPreference(response.body.executor) {
                try await Self.consume(response.body, loop)
            }
            #expect(count == Self.byteCount)
            #expect(strays == 0)
        }
    }

    @Test func `a consumer without a preference runs elsewhere`() async throws {
        let loop = Loop()
        try await Engine.run { engine in
            let response = try await Self.send(engine, loop)
            let (count, strays) = try await Self.consume(response.body, loop)
            #expect(count == Self.byteCount)
            #expect(strays > 0)
        }
    }

    @Test func `a cancelled consumer on the event loop ends, and the connection with it`() async throws {
        let loop = Loop()
        try await Engine.run { engine in
            let response = try await Self.send(engine, loop, effect: .hold(.afterBody(1_000_000), until: Gate()))
            let (arrived, arrival) = AsyncStream<Void>.makeStream()
            let consumer = Task(executorPreference: response.body.executor) {
                for try await _ in response.body { arrival.yield() }
            }
            for await _ in arrived { break }
            consumer.cancel()
            await #expect(throws: CancellationError.self) { try await consumer.value }
        }
    }

    @Test func `what has arrived has no executor`() async throws {
        try await Engine.run { engine in
            engine.server.enqueue(ScriptedResponse(body: .pattern(10)))
            let response = try await engine.transport.exchange(engine.request(.get, "/"))
            #expect(response.body.executor == nil)
        }
    }

    /// Reads a body.
    ///
    /// - Returns: The number of bytes, and how often a buffer was taken on another thread than the event loop's.
    @concurrent
    private static func consume(_ body: ResponseBody, _ loop: Loop) async throws -> (count: Int, strays: Int) {
        var (count, strays) = (0, 0)
        for try await buffer in body {
            count += buffer.readableBytes
            if !loop.isHere { strays += 1 }
        }
        return (count, strays)
    }
}
