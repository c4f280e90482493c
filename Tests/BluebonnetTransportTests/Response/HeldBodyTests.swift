// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// Responses whose status a caller looks at before it reads the body (`TransportRequest.heldByteCount`).
@Suite(.timeLimit(.minutes(1))) struct HeldBodyTests {
    /// A response to be cut into pieces.
    struct Case: CustomTestStringConvertible, Sendable {
        var status: Int
        var size: Int
        /// Whether the head tells the length.
        var hasLength: Bool

        var isHeld: Bool { [302, 401, 407, 408, 425, 429, 500, 503].contains(self.status) }
        var testDescription: String { "\(self.status), \(self.size) bytes\(self.hasLength ? "" : " in chunks")" }

        var bytes: [UInt8] { (0..<self.size).map { UInt8(truncatingIfNeeded: $0 &* 31) } }
    }

    /// Whatever the environment of the tests says of proxies.
    static var direct: NIOTransport.Configuration {
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        return configuration
    }

    static let held = 1_000
    static let limit = 3_000

    static let cases: [Case] = [200, 302, 401, 407, 408, 425, 429, 500, 503].flatMap { status in
        [0, 1, held, held + 1, limit, limit + 1, 70_000].flatMap { size in
            [true, false].map { Case(status: status, size: size, hasLength: $0) }
        }
    }

    /// What has to come of a case, whatever carried it and however it was cut.
    private static func check(_ one: Case, _ transport: NIOTransport, _ origin: Origin) async throws {
        var request = TransportRequest(origin: origin, target: "/", responseMode: .collected(upTo: Self.limit))
        request.heldByteCount = Self.held
        let outgoing = request
        guard one.isHeld || one.size <= Self.limit else {
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(outgoing) }
            #expect(error?.code == .responseTooLarge)
            return
        }
        let response = try await transport.exchange(outgoing)
        #expect(response.status.code == one.status)
        #expect((response.body.collectedBytes == nil) == (one.isHeld && one.size > Self.held))
        #expect(Array(try await response.body.collect(upTo: one.size).readableBytesView) == one.bytes)
    }

    /// Cuts bytes at random places.
    private static func pieces(_ bytes: [UInt8], _ random: inout SplitMix) -> [[UInt8]] {
        var pieces = [[UInt8]]()
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...max(1, rest.count / 2 + 1), using: &random)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    @Test(arguments: cases.indices)
    func `a held response is collected up to the limit and a stream beyond, over HTTP 1 1`(
        _ index: Int
    ) async throws {
        let one = Self.cases[index]
        var random = SplitMix(state: UInt64(index))
        for round in 0..<4 {
            var head = "HTTP/1.1 \(one.status) X\r\n"
            var body = one.bytes
            if one.hasLength {
                head += "Content-Length: \(one.size)\r\n"
            } else {
                head += "Transfer-Encoding: chunked\r\n"
                let chunks = round == 0 ? [body].filter { !$0.isEmpty } : Self.pieces(body, &random)
                body = chunks.flatMap { Array("\(String($0.count, radix: 16))\r\n".utf8) + $0 + Array("\r\n".utf8) }
                body += Array("0\r\n\r\n".utf8)
            }
            let wire = Array(head.utf8) + Array("\r\n".utf8) + body
            let steps = (round < 2 ? [wire] : Self.pieces(wire, &random)).map { ScriptedPeer.Step.send($0) }
            try await ScriptedPeer.run([.readHead] + steps) { peer in
                try await NIOTransport.running(Self.direct) { transport in
                    try await Self.check(one, transport, Origin(scheme: .http, host: "127.0.0.1", port: peer.port))
                }
            }
        }
    }

    @Test(arguments: cases.indices)
    func `a held response is collected up to the limit and a stream beyond, over HTTP 2`(
        _ index: Int
    ) async throws {
        let one = Self.cases[index]
        let behaviour = RawPeer.Behaviour { request in
            var random = SplitMix(state: UInt64(index &+ request.number))
            let fields = one.hasLength ? [("content-length", String(one.size))] : []
            let head = [(":status", String(one.status))] + fields
            var wire = Wire.headers(request.stream, head, isEnd: one.size == 0)
            var rest = one.bytes[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(Int.random(in: 1...16_384, using: &random)))
                rest = rest.dropFirst(piece.count)
                wire += Wire.data(request.stream, piece, isEnd: rest.isEmpty)
            }
            return (request.number == 0 ? [wire] : Self.pieces(wire, &random)).map { .send($0) }
        }
        try await RawPeer.run(behaviour) { _, transport, origin in
            for _ in 0..<4 { try await Self.check(one, transport, origin) }
        }
    }

    @Test func `a redirect of any size is looked at before its body has come`() async throws {
        // The server never sends the rest.
        try await Engine.run { engine in
            for framing in [ScriptedResponse.Framing.length, .chunked(byteCount: 10_000)] {
                var scripted = ScriptedResponse(
                    status: .found,
                    body: .pattern(100_000_000),
                    effect: .stall(.afterBody(100_000))
                )
                scripted.framing = framing
                engine.server.enqueue(scripted)
                var request = engine.request(.get, "/")
                request.heldByteCount = 64 * 1024
                let response = try await engine.transport.exchange(request)
                #expect(response.status == .found)
                #expect(response.body.collectedBytes == nil)
                response.body.abandon()
                try await engine.server.waitForConnections { $0.open == 0 }
                _ = engine.server.takeFailures()
            }
        }
    }
}
