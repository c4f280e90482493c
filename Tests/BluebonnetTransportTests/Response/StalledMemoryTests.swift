// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import TestSupport
import Testing

/// What a consumer that does not read costs, as the system counts it, whatever the server sends.
///
/// Serialized, because memory is that of the whole process.
@Suite(.timeLimit(.minutes(2)), .serialized) struct StalledMemoryTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// What is sent again and again.
        var unit: [UInt8]
        /// The bytes of a write.
        var writeSize = 1 << 16
        /// The bytes that are sent: more than any consumer takes, unless said otherwise.
        var limit = 64 << 20
        /// Whether all of them, and the end of the body, are read before memory is measured.
        var isReadWhole = false
        /// The number of consumers that do not read.
        var consumers = 4

        /// What is written at a time.
        var pattern: [UInt8] {
            Array(repeatElement(self.unit, count: max(1, self.writeSize / self.unit.count)).joined())
        }
    }

    static let http1: [Case] = [
        // 175,000 chunks each, which is a sixth of what a consumer is ahead at most: a debug build takes 10 µs for one. Kept one by one they
        // would cost 7 MiB.
        Case(
            testDescription: "chunks of one byte",
            unit: Self.chunk(1),
            limit: 1 << 20,
            isReadWhole: true,
            consumers: 2
        ),
        Case(testDescription: "chunks of 700 bytes", unit: Self.chunk(700)),
        Case(testDescription: "chunks of 1,500 bytes", unit: Self.chunk(1_500)),
        Case(testDescription: "chunks of 20,000 bytes", unit: Self.chunk(20_000)),
        // 20,000 segments: few of them come together, and none may keep the receive buffer alive that it came in.
        Case(
            testDescription: "one chunk of a byte a write",
            unit: Self.chunk(1),
            writeSize: 1,
            limit: 120_000,
            isReadWhole: true,
            consumers: 2
        ),
    ]

    private static func chunk(_ count: Int) -> [UInt8] {
        Array("\(String(count, radix: 16))\r\n\(String(repeating: "a", count: count))\r\n".utf8)
    }

    static let http2: [Case] = [
        Case(
            testDescription: "a byte of data between unknown frames of 4,000",
            unit: Wire.data(1, [1]) + Wire.frame(0xFA, [UInt8](repeating: 0, count: 4_000)),
            limit: 32 << 20
        ),
        Case(
            testDescription: "1,200 bytes of data between unknown frames of 16,000",
            unit: Wire.data(1, [UInt8](repeating: 1, count: 1_200))
                + Wire.frame(0xFA, [UInt8](repeating: 0, count: 16_000)),
            limit: 12 << 20
        ),
    ]

    /// The most memory that was taken beyond some bytes while other exchanges took place.
    private static func growth(
        since before: Int,
        _ engine: Engine,
        until isEnough: () -> Bool = { true }
    ) async throws -> Int {
        var largest = 0
        var count = 0
        while count < 200 || !isEnough() {
            _ = try await engine.send(engine.request(.get, "/status/200"))
            largest = max(largest, ResidentMemory.byteCount() - before)
            count += 1
        }
        return largest
    }

    private static func streamed(_ port: Int) -> TransportRequest {
        var request = TransportRequest(origin: Origin(scheme: .http, host: "127.0.0.1", port: port), target: "/")
        request.responseMode = .streamed
        return request
    }

    @Test(arguments: http1) func `a stalled consumer costs at most 4 MiB on HTTP 1 1`(_ one: Case) async throws {
        let head = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n".utf8)
        let end = Array("0\r\n\r\n".utf8)
        let flood = FloodPeer.Flood(head: head, pattern: one.pattern, limit: one.limit, end: end)
        let observer = RecordingObserver()
        try await Engine.run { engine in
            try await FloodPeer.run(flood) { peer in
                func stall() async throws -> TransportResponse {
                    var request = Self.streamed(peer.port)
                    if one.isReadWhole { request.observer = observer }
                    return try await engine.transport.exchange(request)
                }
                func grow(since before: Int, reading count: Int) async throws -> Int {
                    try await Self.growth(since: before, engine) {
                        !one.isReadWhole || observer.events.count { $0.name == "responseBodyEnded" } >= count
                    }
                }
                // What the process keeps for later anyway is there before it is measured.
                let first = try await stall()
                _ = try await grow(since: 0, reading: 1)
                first.body.abandon()
                let before = ResidentMemory.byteCount()
                var responses = [TransportResponse]()
                for _ in 0..<one.consumers { responses.append(try await stall()) }
                let growth = try await grow(since: before, reading: 1 + responses.count)
                #expect(growth / responses.count < 4 << 20, "\(growth >> 10) KiB for \(responses.count)")
                for response in responses { response.body.abandon() }
            }
        }
    }

    @Test(arguments: http2) func `a stalled consumer costs at most the window and 1 MiB on HTTP 2`(
        _ one: Case
    ) async throws {
        let head = Wire.settings() + Wire.frame(4, flags: 1) + Wire.head(1)
        let flood = FloodPeer.Flood(head: head, isHTTP2: true, pattern: one.pattern, limit: one.limit)
        var configuration = NIOTransport.Configuration()
        configuration.httpVersions = .http2
        configuration.proxy = .direct
        try await NIOTransport.running(configuration) { transport in
            try await Engine.run { engine in
                try await FloodPeer.run(flood) { peer in
                    func stall() async throws -> TransportResponse {
                        // Each has a connection of its own: the peer answers the first request on each.
                        var request = Self.streamed(peer.port)
                        request.localAddress = "127.0.0.\(2 + transport.statistics.opened)"
                        return try await transport.exchange(request)
                    }
                    let first = try await stall()
                    _ = try await Self.growth(since: 0, engine) { peer.sentByteCount >= one.limit }
                    first.body.abandon()
                    let before = ResidentMemory.byteCount()
                    var responses = [TransportResponse]()
                    for _ in 0..<2 { responses.append(try await stall()) }
                    // The connection reads on, whatever the stream does.
                    let growth = try await Self.growth(since: before, engine) { peer.sentByteCount >= 3 * one.limit }
                    let limit = configuration.http2.windowSize + (1 << 20)
                    #expect(growth / responses.count < limit, "\(growth >> 10) KiB for \(responses.count)")
                    for response in responses { response.body.abandon() }
                }
            }
        }
    }
}
