// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct TeeTests {
    /// Writes down what it is told.
    final class Recorder: ResponseBodySink {
        struct Full: Error {}

        private let state = Mutex((calls: [String](), bytes: ByteBuffer(), trailers: HTTPFields?.none))
        /// The number of bytes after which it wants no more.
        let capacity: Int
        /// Holds up the first write until it ends.
        let gate: AsyncStream<Never>?

        init(capacity: Int = .max, gate: AsyncStream<Never>? = nil) {
            self.capacity = capacity
            self.gate = gate
        }

        /// What it was told, without repetitions.
        var calls: [String] {
            self.state.withLock { state in
                state.calls.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
            }
        }
        var bytes: ByteBuffer { self.state.withLock { $0.bytes } }
        var trailers: HTTPFields? { self.state.withLock { $0.trailers } }

        func write(_ bytes: ByteBuffer) async throws {
            if let gate { for await _ in gate {} }
            let isFull = self.state.withLock { state in
                state.calls.append("write")
                state.bytes.writeImmutableBuffer(bytes)
                return state.bytes.readableBytes > self.capacity
            }
            if isFull { throw Full() }
        }

        func finish(trailers: HTTPFields?, metrics: ExchangeMetrics?) async {
            self.state.withLock { state in
                state.calls.append(metrics?.responseBodyEnded == nil ? "finish" : "finish, measured")
                state.trailers = trailers
            }
        }

        func abort(_ error: any Error) {
            self.state.withLock { $0.calls.append(error is CancellationError ? "abort" : "abort, failed") }
        }
    }

    private static func chunked(_ size: Int64, effect: SocketEffect? = nil) -> ScriptedResponse {
        var scripted = ScriptedResponse(body: .pattern(size), effect: effect)
        scripted.framing = .chunked(byteCount: 50_000)
        scripted.trailers[.eTag] = "\"1\""
        return scripted
    }

    @Test func `consumer and sink get the same bytes, trailers and measurements`() async throws {
        try await Engine.run { engine in
            engine.server.enqueue(Self.chunked(3_000_000))
            let recorder = Recorder()
            let response = try await engine.transport.exchange(engine.request(.get, "/", streamed: true))
            let body = await response.body.tee(to: recorder)
            let bytes = try await body.collect(upTo: 3_000_000)
            #expect(bytes.readableBytes == 3_000_000)
            #expect(recorder.bytes == bytes)
            #expect(recorder.calls == ["write", "finish, measured"])
            #expect(recorder.trailers?[.eTag] == "\"1\"")
            #expect(body.trailers?[.eTag] == "\"1\"")
            #expect(body.metrics?.responseBodyEnded != nil)
            var again = body.makeAsyncIterator()
            #expect(try await again.next() == nil)
            #expect(recorder.calls == ["write", "finish, measured"], "the end is told once")
        }
    }

    @Test func `a collected body is written at once`() async throws {
        for text in ["", "hello"] {
            let recorder = Recorder()
            let body = await ResponseBody(ByteBuffer(string: text), trailers: [.eTag: "1"]).tee(to: recorder)
            #expect(recorder.bytes == ByteBuffer(string: text))
            #expect(recorder.calls == (text.isEmpty ? ["finish"] : ["write", "finish"]))
            #expect(recorder.trailers == [.eTag: "1"])
            #expect(body.collectedBytes == ByteBuffer(string: text))
        }
    }

    enum Ending: CaseIterable, Sendable {
        case cut, dropped, abandoned, sinkFull
    }

    @Test(arguments: Ending.allCases) func `the sink is told once how it ended`(_ ending: Ending) async throws {
        try await Engine.run { engine in
            engine.server.enqueue(Self.chunked(3_000_000, effect: ending == .cut ? .close(.afterBody(1_500_000)) : nil))
            let recorder = Recorder(capacity: ending == .sinkFull ? 100_000 : .max)
            let response = try await engine.transport.exchange(engine.request(.get, "/", streamed: true))
            switch ending {
            case .cut:
                let body = await response.body.tee(to: recorder)
                await #expect(throws: TransportError.self) { try await body.collect(upTo: 3_000_000) }
                #expect(recorder.calls == ["write", "abort, failed"])
            case .dropped:
                do {
                    let body = await response.body.tee(to: recorder)
                    var iterator = body.makeAsyncIterator()
                    _ = try await iterator.next()
                }
                #expect(recorder.calls == ["write", "abort"])
            case .abandoned:
                let body = await response.body.tee(to: recorder)
                body.abandon()
                body.abandon()
                #expect(recorder.calls == ["abort"])
            case .sinkFull:
                let body = await response.body.tee(to: recorder)
                #expect(try await body.collect(upTo: 3_000_000).readableBytes == 3_000_000)
                #expect(recorder.calls == ["write"])
                #expect(recorder.bytes.readableBytes < 3_000_000)
            }
            _ = engine.server.takeFailures()
        }
    }

    @Test func `a slow sink holds the server up`() async throws {
        try await Engine.run { engine in
            let (gate, opener) = AsyncStream<Never>.makeStream()
            let recorder = Recorder(gate: gate)
            engine.server.enqueue(ScriptedResponse(body: .pattern(64_000_000)))
            let response = try await engine.transport.exchange(engine.request(.get, "/", streamed: true))
            let body = await response.body.tee(to: recorder)
            let reading = Task { try await body.collect(upTo: 64_000_000).readableBytes }
            // The server cannot have sent everything while the first buffer is held up; another request shows that it lives.
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
            #expect(body.metrics == nil)
            opener.finish()
            #expect(try await reading.value == 64_000_000)
            #expect(recorder.bytes.readableBytes == 64_000_000)
        }
    }
}
