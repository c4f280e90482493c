// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// Bodies that nobody wants: read to their end, or given up.
@Suite(.timeLimit(.minutes(1))) struct DiscardTests {
    /// Bodies are larger than what one turn of the loop reads, so that they are streams.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var size: Int64
        var framing = ScriptedResponse.Framing.length
        /// How many bytes are read before the rest is discarded; one buffer at least unless it is 0.
        var readsFirst = false
        var limit: Int
        var isKept: Bool
    }

    static let cases: [Case] = [
        Case(testDescription: "as many as allowed", size: 2_000_000, limit: 2_000_000, isKept: true),
        // What must not be kept has so many bytes that its end cannot have arrived when the rest is given up.
        Case(testDescription: "one more than allowed", size: 8_000_000, limit: 7_999_999, isKept: false),
        Case(
            testDescription: "as many as allowed, in chunks",
            size: 2_000_000,
            framing: .chunked(byteCount: 7_000),
            limit: 2_000_000,
            isKept: true
        ),
        Case(
            testDescription: "more than allowed, in chunks",
            size: 8_000_000,
            framing: .chunked(byteCount: 7_000),
            limit: 100_000,
            isKept: false
        ),
        Case(
            testDescription: "the rest of what was begun",
            size: 3_000_000,
            readsFirst: true,
            limit: 2_999_999,
            isKept: true
        ),
        Case(testDescription: "the rest is too long", size: 8_000_000, readsFirst: true, limit: 100_000, isKept: false),
        Case(testDescription: "nothing at all", size: 0, limit: 0, isKept: true),
    ]

    @Test(arguments: cases) func `what is left is read if it is little, and the connection serves the next request`(
        _ one: Case
    ) async throws {
        try await Engine.run { engine in
            var scripted = ScriptedResponse(body: .pattern(one.size))
            scripted.framing = one.framing
            engine.server.enqueue(scripted)
            let response = try await engine.transport.exchange(engine.request(.get, "/", streamed: true))
            if one.readsFirst {
                var iterator = response.body.makeAsyncIterator()
                _ = try await iterator.next()
            }
            #expect(await response.body.discard(upTo: one.limit) == one.isKept)
            let next = try await engine.send(engine.request(.get, "/status/200"))
            #expect(next.response.metrics.isConnectionReused == one.isKept)
            _ = engine.server.takeFailures()
        }
    }

    @Test func `a body whose length says too much is given up without a byte`() async throws {
        try await Engine.run { engine in
            engine.server.enqueue(ScriptedResponse(body: .pattern(1_000_000), effect: .stall(.afterHead)))
            let response = try await engine.transport.exchange(engine.request(.get, "/", streamed: true))
            #expect(await response.body.discard(upTo: 100_000) == false)
            try await engine.server.waitForConnections { $0.open == 0 }
            await #expect(throws: CancellationError.self) { try await response.body.collect(upTo: 1_000_000) }
            _ = engine.server.takeFailures()
        }
    }

    @Test func `a body that is cut short was not kept, and a cancelled task gives it up`() async throws {
        try await Engine.run { engine in
            engine.server.enqueue(ScriptedResponse(body: .pattern(2_000_000), effect: .close(.afterBody(1_500_000))))
            let cut = try await engine.transport.exchange(engine.request(.get, "/", streamed: true))
            #expect(await cut.body.discard(upTo: 2_000_000) == false)
            engine.server.enqueue(ScriptedResponse(body: .pattern(1_000), effect: .stall(.afterBody(500))))
            let stalled = try await engine.transport.exchange(engine.request(.get, "/", streamed: true))
            let discarding = Task { await stalled.body.discard(upTo: 1_000) }
            discarding.cancel()
            #expect(await discarding.value == false)
            try await engine.server.waitForConnections { $0.open == 0 }
            _ = engine.server.takeFailures()
        }
    }

    @Test func `a collected body has nothing to discard`() async throws {
        let body = ResponseBody(ByteBuffer(string: "hello"))
        #expect(await body.discard(upTo: 0))
        body.abandon()
        #expect(try await body.collect(upTo: 5) == ByteBuffer(string: "hello"))
    }
}
