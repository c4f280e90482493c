// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// How HTTP/2 connections and streams end whose peer says nothing: pings and time limits.
@Suite(.timeLimit(.minutes(2))) struct HTTP2SilenceTests {
    @Test func `a connection that does not answer a ping is dead`() async throws {
        var engine = NIOTransport.Configuration()
        engine.http2.pingInterval = .milliseconds(30)
        engine.http2.pingTimeout = .milliseconds(30)
        let behaviour = RawPeer.Behaviour(answersPings: false) { request in
            request.number == 0 ? [] : [.send(Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour, engine: engine) {
            (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let error = await #expect(throws: TransportError.self) {
                try await transport.exchange(HTTP2EndTests.post(origin))
            }
            #expect(error?.code == .timedOut)
            try await peer.until { $0.open == 0 }
            #expect(try await transport.exchange(HTTP2EndTests.post(origin)).status == .ok)
        }
    }

    @Test func `a connection whose peer owes an answer to a ping is not used for the next request`() async throws {
        let (clock, observer) = (ManualClock(), RecordingObserver())
        var engine = NIOTransport.Configuration()
        engine.clock = EngineClock(clock)
        engine.observer = observer
        engine.http2.pingInterval = .seconds(10)
        engine.http2.pingTimeout = .seconds(5)
        let behaviour = RawPeer.Behaviour(answersPings: false) { request in
            [.send(request.number == 0 ? Wire.headers(1, [(":status", "103")]) : Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour, engine: engine) {
            (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let first = Task { try await transport.exchange(HTTP2EndTests.post(origin)) }
            // All that the peer sends before it is silent has come: nothing is heard when the clock has been turned.
            await observer.wait(for: "informational")
            await clock.advance(by: .seconds(10))
            try await peer.until { $0.frames.contains { $0.kind == 6 } }
            first.cancel()
            _ = await first.result
            await clock.advance(by: .seconds(6))
            #expect(try await transport.exchange(HTTP2EndTests.post(origin)).status == .ok)
            #expect(transport.statistics.opened == 2)
            try await peer.until { $0.open == 1 }
        }
    }

    @Test func `a peer that answers pings may be silent as long as the limits say`() async throws {
        var engine = NIOTransport.Configuration()
        // The limit ends between two pings: with an answer outstanding the connection would end with its stream.
        engine.http2.pingInterval = .milliseconds(150)
        engine.http2.pingTimeout = .milliseconds(200)
        let behaviour = RawPeer.Behaviour { _ in [] }
        try await RawPeer.run(behaviour, engine: engine) {
            (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            var request = HTTP2EndTests.post(origin)
            request.timeouts.idle = .milliseconds(400)
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .responseHead)
            #expect(peer.state.withLock { $0.frames.count { $0.kind == 6 } } >= 2)
            #expect(peer.state.withLock { $0.open } == 1, "only the stream is gone")
        }
    }

    @Test func `frames without any part of the response are silence`() async throws {
        let frames = Wire.frame(6, [UInt8](repeating: 0, count: 8)) + Wire.windowUpdate(1, 1) + Wire.frame(0xFA)
        let behaviour = RawPeer.Behaviour { _ in [.repeating(frames, every: .milliseconds(10))] }
        try await RawPeer.run(behaviour) { (_: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            var request = HTTP2EndTests.post(origin)
            request.timeouts.idle = .milliseconds(200)
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .responseHead)
        }
    }

    @Test(arguments: [Wire.data(1, []), Wire.frame(0, flags: 8, stream: 1, [3, 0, 0, 0])])
    func `data without a byte of the body is silence`(_ frame: [UInt8]) async throws {
        let (ticker, clock) = (Ticker(), ManualClock())
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        configuration.http2.pingInterval = nil
        let behaviour = RawPeer.Behaviour { request in
            [.onTick(ticker, [_](repeating: frame, count: 100)), .send(Wire.head(request.stream))]
        }
        try await RawPeer.run(behaviour, engine: configuration) {
            (_: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            var request = HTTP2EndTests.post(origin)
            request.responseMode = .streamed
            request.timeouts.responseBody = .seconds(10)
            let response = try await transport.exchange(request)
            let reading = Task { try await response.body.collect(upTo: 100) }
            let result = await clock.advance(by: .seconds(1), until: reading) { await ticker.tick() }
            let error = #expect(throws: TransportError.self) { try result.get() }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .responseBody)
            #expect(clock.elapsed < .seconds(60), "there were frames for a hundred seconds")
        }
    }
}
