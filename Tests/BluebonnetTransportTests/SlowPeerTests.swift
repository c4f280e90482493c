// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// A peer that sends a byte every second: it is never silent for as long as a limit, and never done.
@Suite(.timeLimit(.minutes(1))) struct SlowPeerTests {
    enum Version: CaseIterable, Sendable {
        case http1, http2
    }

    /// Runs a test against a peer that sends some bytes at once and the rest one by one, on a clock that the test turns.
    static func run(
        _ version: Version,
        atOnce: (_ isHTTP2: Bool) -> [UInt8],
        slowly: (_ isHTTP2: Bool) -> [[UInt8]],
        _ body: (Ticker, ManualClock, NIOTransport, TransportRequest) async throws -> Void
    ) async throws {
        let (ticker, clock) = (Ticker(), ManualClock())
        var engine = NIOTransport.Configuration()
        engine.clock = EngineClock(clock)
        engine.proxy = .direct
        let (first, rest) = (atOnce(version == .http2), slowly(version == .http2))
        switch version {
        case .http1:
            try await ScriptedPeer.run([.readHead, .onTick(ticker, rest), .send(first)]) { peer in
                let origin = Origin(scheme: .http, host: "127.0.0.1", port: peer.port)
                let transport = NIOTransport(configuration: engine)
                try await body(ticker, clock, transport, TransportRequest(method: .post, origin: origin, target: "/"))
                try await peer.waitUntilClosed()
                await transport.shutdown()
            }
        case .http2:
            // Nothing but the limits is to end this.
            engine.http2.pingInterval = nil
            let behaviour = RawPeer.Behaviour { _ in [.onTick(ticker, rest), .send(first)] }
            try await RawPeer.run(behaviour, engine: engine) {
                (_: RawPeer, transport: NIOTransport, origin: Origin) async throws in
                try await body(ticker, clock, transport, TransportRequest(method: .post, origin: origin, target: "/"))
                #expect(transport.statistics.inFlight == 0)
            }
        }
    }

    @Test(arguments: Version.allCases, [nil, Duration.seconds(30)])
    func `a body at a byte a second is no silence, and the limit on everything ends it`(
        _ version: Version,
        total: Duration?
    ) async throws {
        try await Self.run(version) { isHTTP2 in
            isHTTP2
                ? Wire.head(1, [("content-length", "100")])
                : Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\n".utf8)
        } slowly: { isHTTP2 in
            (1...100).map { isHTTP2 ? Wire.data(1, [0x78], isEnd: $0 == 100) : [0x78] }
        } _: {
            (ticker: Ticker, clock: ManualClock, transport: NIOTransport, request: TransportRequest) async throws in
            var request = request
            request.responseMode = .streamed
            request.timeouts.total = total
            var pieces = try await transport.exchange(request).body.makeAsyncIterator()
            var count = 0
            do {
                while count < 100 {
                    await ticker.tick()
                    guard let piece = try await pieces.next() else { break }
                    count += piece.readableBytes
                    await clock.advance(by: .seconds(1))
                }
                #expect(try await pieces.next() == nil)
                #expect(total == nil && count == 100)
            } catch let error as TransportError {
                #expect(error.code == .timedOut)
                #expect(error.phase == .total)
                #expect(total != nil && count == 30)
            }
        }
    }

    @Test(arguments: Version.allCases) func `a head at a byte a second has to be there in time`(
        _ version: Version
    ) async throws {
        try await Self.run(version) { _ in
            []
        } slowly: { isHTTP2 in
            let name = String(repeating: "a", count: 500)
            let head = isHTTP2 ? Wire.head(1, [(name, "b")]) : Array("HTTP/1.1 200 OK\r\n\(name): b\r\n".utf8)
            return head.map { [$0] }
        } _: {
            (ticker: Ticker, clock: ManualClock, transport: NIOTransport, request: TransportRequest) async throws in
            let exchange = Task { try await transport.exchange(request).status }
            try await ticker.waitForPeer()
            let result = await clock.advance(by: .seconds(1), until: exchange) { await ticker.tick() }
            let error = #expect(throws: TransportError.self) { _ = try result.get() }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .responseHead)
            #expect(clock.elapsed >= .seconds(60))
        }
    }
}
