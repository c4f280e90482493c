// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// Uploads over HTTP/2 that fail on the way: what is known of them.
@Suite(.timeLimit(.minutes(1))) struct HTTP2UploadTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// What the peer does when it has the head.
        var steps: @Sendable (RawPeer.Request) -> [RawPeer.Step]
        /// All that its windows allow: 65,535 bytes at first (RFC 9113 section 6.9.2).
        var byteCount: Int64 = 65_535
        var isRequestSent = true
        var code = TransportError.Code.connectionClosed
    }

    static let cases: [Case] = [
        Case(testDescription: "a reset", steps: { [.afterBody(65_535), .send(Wire.reset($0.stream, 8))] }),
        Case(
            testDescription: "a refusal",
            steps: { [.afterBody(65_535), .send(Wire.reset($0.stream, 7))] },
            isRequestSent: false
        ),
        Case(testDescription: "a close", steps: { _ in [.afterBody(65_535), .close] }),
        Case(
            testDescription: "a wider window",
            steps: {
                let windows = Wire.windowUpdate(0, 10_000) + Wire.windowUpdate($0.stream, 10_000)
                return [.afterBody(65_535), .send(windows), .afterBody(75_535), .send(Wire.reset($0.stream, 2))]
            },
            byteCount: 75_535
        ),
        Case(
            testDescription: "another version, after a part of the body",
            steps: { [.afterBody(65_535), .send(Wire.reset($0.stream, 0xD))] },
            isRequestSent: false,
            code: .http11Required
        ),
    ]

    @Test(arguments: cases) func `the error says how much of the body has gone out`(_ one: Case) async throws {
        let observer = RecordingObserver()
        var engine = NIOTransport.Configuration()
        engine.observer = observer
        try await RawPeer.run(RawPeer.Behaviour(script: one.steps), engine: engine) {
            (_: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let body = TransportBody.reader(length: nil, isReplayable: false) { RepeatingReader(remaining: 1_000_000) }
            let request = TransportRequest(method: .post, origin: origin, target: "/", body: body)
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
            #expect(error?.code == one.code)
            #expect(error?.requestBodyByteCount == one.byteCount)
            #expect(error?.isRequestSent == one.isRequestSent)
            let told = observer.events.compactMap { if case .failed(let error) = $0 { error } else { nil } }
            #expect(told.map(\.requestBodyByteCount) == [one.byteCount])
            #expect(!observer.names.joined().contains("requestBodyEnded"))
        }
    }

    @Test(.bug(id: "F293"), arguments: ["200", "302", "413", "500"])
    func `a peer that responds early and reads the whole body gets it`(_ status: String) async throws {
        let behaviour = RawPeer.Behaviour { request in
            let head = Wire.headers(request.stream, [(":status", status)])
            let windows = Wire.windowUpdate(0, 100_000) + Wire.windowUpdate(request.stream, 100_000)
            return [
                .afterBody(65_535), .send(head + windows), .afterBody(100_000),
                .send(Wire.data(request.stream, [1, 2], isEnd: true)),
            ]
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let body = TransportBody.bytes(ByteBuffer(repeating: 0x78, count: 100_000))
            var request = TransportRequest(method: .post, origin: origin, target: "/", body: body)
            // Only a failure takes as long.
            request.timeouts.idle = .seconds(10)
            let response = try await transport.exchange(request)
            #expect(String(response.status.code) == status)
            #expect(try await response.body.collect(upTo: 10).readableBytes == 2)
            let frames = peer.state.withLock { $0.frames.filter { $0.stream == 1 } }
            #expect(frames.last?.kind == 0 && frames.last?.flags == 1, "the request was sent to its end")
        }
    }

    @Test(.bug(id: "F351")) func `uploads that wait for their turns do not count as stalled`() async throws {
        let (clock, ticker, ticks) = (ManualClock(), Ticker(), Counter())
        var engine = NIOTransport.Configuration()
        engine.clock = EngineClock(clock)
        engine.http2.pingInterval = nil
        engine.pool.maximumConnectionsPerOrigin = 1
        // The window of the connection has room for a frame a second, and each of eight streams has a turn every eight.
        let (count, size, start) = (8, 32_768, 65_535)
        let behaviour = RawPeer.Behaviour { request in
            if request.number == 0 { return [.onTick(ticker, [_](repeating: Wire.windowUpdate(0, 16_384), count: 13))] }
            guard request.number == count - 1 else { return [] }
            let responses: [RawPeer.Step] = (0..<count).map { .send(Wire.response(UInt32($0 * 2 + 1))) }
            return [.afterBody(count * size)] + responses
        }
        try await RawPeer.run(behaviour, engine: engine) { peer, transport, origin in
            let body = TransportBody.bytes(ByteBuffer(repeating: 0x78, count: size))
            var request = TransportRequest(method: .post, origin: origin, target: "/", body: body)
            request.timeouts.requestBody = .seconds(4)
            let outgoing = request
            let uploads = Task {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<count { group.addTask { try await transport.exchange(outgoing).status.code } }
                    return try await group.reduce(into: [Int]()) { $0.append($1) }
                }
            }
            @Sendable func waitForBody(_ byteCount: Int) async {
                try? await peer.until { state in
                    let sent = state.frames.reduce(0) { $0 + ($1.kind == 0 ? $1.payload.count : 0) }
                    return sent >= byteCount || state.frames.contains { $0.kind == 3 }
                }
            }
            try await peer.until { $0.requests == count }
            await waitForBody(start)
            let result = await clock.advance(by: .seconds(1), until: uploads) {
                await ticker.tick()
                let turns = ticks.value.add(1, ordering: .relaxed).newValue
                await waitForBody(min(start + turns * 16_384, count * size))
                // The clock stands while the responses to whole requests arrive.
                if start + turns * 16_384 >= count * size { _ = await uploads.result }
            }
            #expect(try result.get() == [Int](repeating: 200, count: count))
            #expect(clock.elapsed > .seconds(8))
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test(.bug(id: "F381")) func `a body that is refused for its trailers takes nothing from the window`() async throws
    {
        let behaviour = RawPeer.Behaviour { request in
            request.number == 10 ? [.afterBody(60_000), .send(Wire.response(request.stream))] : []
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            var request = TransportRequest(method: .post, origin: origin, target: "/")
            // Only a failure takes as long.
            request.timeouts.idle = .seconds(10)
            request.body = .bytes(ByteBuffer(repeating: 0x78, count: 10_000))
            request.trailers = { [.contentType: "text/plain"] }
            for _ in 0..<10 {
                let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
                #expect(error?.code == .invalidRequest)
                #expect(error?.requestBodyByteCount == 0)
            }
            request.body = .bytes(ByteBuffer(repeating: 0x78, count: 60_000))
            request.trailers = nil
            #expect(try await transport.exchange(request).status == .ok)
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test func `a peer that opens its windows and takes nothing is silent`() async throws {
        let clock = ManualClock()
        var engine = NIOTransport.Configuration()
        engine.clock = EngineClock(clock)
        engine.http2.pingInterval = nil
        let wide = Wire.settings([(4, 0x7FFF_FFFF)]) + Wire.windowUpdate(0, 0x7FFF_0000)
        let behaviour = RawPeer.Behaviour(greeting: [.send(wide)], receiveBufferSize: 4096) { _ in [.stopReading] }
        try await RawPeer.run(behaviour, engine: engine) {
            (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let reads = Counter()
            let body = TransportBody.reader(length: nil, isReplayable: false) {
                CountingReader(reader: RepeatingReader(remaining: 200_000_000), reads: reads)
            }
            var request = TransportRequest(method: .post, origin: origin, target: "/", body: body)
            (request.timeouts.idle, request.timeouts.total) = (nil, nil)
            request.timeouts.requestBody = .milliseconds(1_500)
            let outgoing = request
            let exchange = Task { try await transport.exchange(outgoing) }
            try await peer.until { $0.requests == 1 }
            // The body is being read; between two steps of the clock its first pieces can be handed to the connection.
            while reads.value.load(ordering: .relaxed) < 2 { await Task.yield() }
            let result = await clock.advance(by: .milliseconds(100), until: exchange) {
                for _ in 0..<500 { await Task.yield() }
            }
            let error = #expect(throws: TransportError.self) { _ = try result.get().status }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .requestBody)
            #expect(error?.requestBodyByteCount ?? 0 > 0)
            #expect(clock.elapsed >= .milliseconds(1_500))
        }
    }
}

/// Counts how often a reader is asked.
private struct CountingReader: TransportBodyReader {
    var reader: RepeatingReader
    let reads: Counter

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        self.reads.value.add(1, ordering: .relaxed)
        return try self.reader.read(into: buffer)
    }
}

/// How often something happened.
private final class Counter: Sendable {
    let value = Atomic(0)
}
