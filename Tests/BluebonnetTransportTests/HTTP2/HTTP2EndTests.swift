// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// How HTTP/2 connections and streams end: GOAWAY, cuts, resets and floods.
@Suite(.timeLimit(.minutes(2))) struct HTTP2EndTests {
    static func post(_ origin: Origin, _ target: String = "/") -> TransportRequest {
        TransportRequest(method: .post, origin: origin, target: target)
    }

    // MARK: The first frame

    struct Greeting: CustomTestStringConvertible, Sendable {
        var name: String
        var steps: [RawPeer.Step]
        var code = TransportError.Code.protocolViolation
        var testDescription: String { self.name }
    }

    static let greetings: [Greeting] = [
        Greeting(
            name: "HTTP/1",
            steps: [.send(Array("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".utf8))]
        ),
        Greeting(name: "SSH", steps: [.send(Array("SSH-2.0-OpenSSH_9.2p1\r\n".utf8))]),
        Greeting(name: "nothing but zeros", steps: [.send([UInt8](repeating: 0, count: 64))]),
        Greeting(name: "a ping first", steps: [.send(Wire.frame(6, [UInt8](repeating: 0, count: 8)))]),
        Greeting(name: "a head first", steps: [.send(Wire.head(1, isEnd: true))]),
        Greeting(name: "an acknowledgement first", steps: [.send(Wire.frame(4, flags: 1))]),
        Greeting(name: "settings that are too large", steps: [.send([0x7F, 0xFF, 0xFF, 4, 0, 0, 0, 0, 0])]),
        Greeting(name: "a closed door", steps: [.close], code: .connectionClosed),
        Greeting(name: "half a frame", steps: [.send([0, 0, 6, 4, 0]), .close], code: .connectionClosed),
        Greeting(name: "a reset", steps: [.reset], code: .connectionClosed),
        Greeting(name: "half a close", steps: [.halfClose], code: .connectionClosed),
    ]

    @Test(arguments: greetings) func `a peer that does not speak HTTP2 is told apart`(_ one: Greeting) async throws {
        let behaviour = RawPeer.Behaviour(greeting: one.steps) { _ in [] }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(Self.post(origin)) }
            // A reset may come so early that the connection does not count as made.
            #expect(error?.code == one.code || (one.name == "a reset" && error?.code == .connectFailed))
            try await peer.until { $0.open == 0 }
            // A connection that the peer has spoilt before it was in the pool is in there for a moment.
            while transport.statistics.open + transport.statistics.connecting > 0 { await Task.yield() }
            #expect(transport.statistics.inFlight == 0)
        }
    }

    // MARK: Cuts and resets

    static let whole: [UInt8] =
        Wire.headers(1, [(":status", "103")]) + Wire.head(1, [("content-length", "5")]) + Wire.data(1, [1, 2, 3])
        + Wire.data(1, [4, 5]) + Wire.headers(1, [("a", "b")], isEnd: true)

    @Test(arguments: [false, true]) func `a response that is cut anywhere is an error`(streamed: Bool) async throws {
        let behaviour = RawPeer.Behaviour { request in
            request.number < Self.whole.count
                ? [.send(Array(Self.whole.prefix(request.number))), request.number % 2 == 0 ? .close : .reset]
                : [.send(Self.whole)]
        }
        try await RawPeer.run(behaviour) { (_: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            for count in Self.whole.indices {
                let error = await #expect(throws: TransportError.self, "cut after \(count) bytes") {
                    var request = Self.post(origin)
                    if streamed { request.responseMode = .streamed }
                    _ = try await transport.exchange(request).body.collect(upTo: 100)
                }
                #expect(error?.code == .connectionClosed)
                #expect(error?.isRequestSent == true)
            }
            let response = try await transport.exchange(Self.post(origin))
            #expect(try await response.body.collect(upTo: 5).readableBytes == 5)
            #expect(response.body.trailers?.count == 1)
            #expect(transport.statistics.opened == Self.whole.count + 1)
        }
    }

    @Test func `a peer that closes its side only ends the connection`() async throws {
        let behaviour = RawPeer.Behaviour { request in
            request.number == 0
                ? [.send(Wire.head(1)), .halfClose]
                : [.send(Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(Self.post(origin)) }
            #expect(error?.code == .connectionClosed)
            #expect(try await transport.exchange(Self.post(origin)).status == .ok)
            try await peer.until { $0.open == 1 }
        }
    }

    @Test func `a request on a connection that died is tried once more, elsewhere`() async throws {
        let behaviour = RawPeer.Behaviour { request in
            request.number == 1 ? [.close] : [.send(Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour) { (_: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            for _ in 0..<2 {
                let response = try await transport.exchange(TransportRequest(origin: origin, target: "/"))
                #expect(response.status == .ok)
            }
            #expect(transport.statistics.opened == 2)
            #expect(transport.statistics.started == 3)
        }
    }

    @Test func `requests that are all reset leave the pool as it was`() async throws {
        let behaviour = RawPeer.Behaviour { request in
            [.send(request.number < 500 ? Wire.reset(request.stream, 8) : Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour) { (_: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            for _ in 0..<500 {
                let error = await #expect(throws: TransportError.self) {
                    try await transport.exchange(Self.post(origin))
                }
                #expect(error?.code == .connectionClosed)
            }
            #expect(try await transport.exchange(Self.post(origin)).status == .ok)
            #expect(transport.statistics.opened == 1)
            #expect(transport.statistics.inFlight == 0)
        }
    }

    // MARK: GOAWAY

    @Test func `GOAWAY before the request was taken has it tried once more, whatever its method`() async throws {
        for code: UInt32 in [0, 2, 11] {
            let behaviour = RawPeer.Behaviour { request in
                request.number == 0 ? [.send(Wire.goAway(0, code))] : [.send(Wire.response(request.stream))]
            }
            try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
                #expect(try await transport.exchange(Self.post(origin)).status == .ok)
                #expect(transport.statistics.opened == 2)
                try await peer.until { $0.open == 1 }
            }
        }
    }

    @Test func `a peer that answers everything with GOAWAY is an error and no loop`() async throws {
        let behaviour = RawPeer.Behaviour { _ in [.send(Wire.goAway(0))] }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(Self.post(origin)) }
            #expect(error?.code == .connectionClosed)
            #expect(error?.isRequestSent == false)
            #expect(transport.statistics.opened == 2)
            try await peer.until { $0.open == 0 }
        }
    }

    @Test
    func `what was taken before GOAWAY is finished, the rest goes elsewhere, and repeating it changes nothing`()
        async throws
    {
        let behaviour = RawPeer.Behaviour { request in
            switch request.number {
            case 0: []
            case 1: [.send(Wire.goAway(0x7FFF_FFFF) + Wire.goAway(1) + Wire.goAway(1) + Wire.response(1))]
            default: [.send(Wire.response(request.stream))]
            }
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let first = Task { try await transport.exchange(Self.post(origin, "/first")) }
            try await peer.until { $0.requests == 1 }
            #expect(try await transport.exchange(Self.post(origin, "/second")).status == .ok)
            #expect(try await first.value.status == .ok)
            #expect(transport.statistics.opened == 2)
            try await peer.until { $0.open == 1 }
        }
    }

    @Test(.bug(id: "F537"), arguments: [RawPeer.Step.close, .drop], [false, true])
    func `the code of GOAWAY is in the error of a request that was taken and not answered`(
        _ end: RawPeer.Step,
        tls: Bool
    ) async throws {
        let behaviour = RawPeer.Behaviour { _ in [.send(Wire.goAway(1, 0xB)), end] }
        try await RawPeer.run(behaviour, tls: tls) {
            (_: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(Self.post(origin)) }
            #expect(error?.code == .connectionClosed)
            #expect(error?.isRequestSent == true)
            #expect(error?.reason.hasSuffix("(GOAWAY: ENHANCE_YOUR_CALM)") == true, "\(error?.reason ?? "")")
        }
    }

    @Test func `a request that GOAWAY does not name is not sent again where the peer has begun to answer it`()
        async throws
    {
        let behaviour = RawPeer.Behaviour { request in
            switch request.number {
            case 0: []
            case 1: [.send(Wire.headers(3, [(":status", "103")]) + Wire.goAway(1) + Wire.response(1))]
            default: [.send(Wire.response(request.stream))]
            }
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let first = Task { try await transport.exchange(Self.post(origin, "/first")) }
            try await peer.until { $0.requests == 1 }
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(Self.post(origin)) }
            #expect(error?.code == .connectionClosed)
            #expect(error?.isRequestSent == true)
            #expect(try await first.value.status == .ok)
            #expect(peer.state.withLock { $0.requests } == 2)
        }
    }

    @Test func `the smallest table of one frame of settings is announced, and then the last one`() async throws {
        let behaviour = RawPeer.Behaviour { request in
            [.send((request.number == 0 ? Wire.settings([(1, 0), (1, 4096)]) : []) + Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            for _ in 0..<2 { #expect(try await transport.exchange(Self.post(origin)).status == .ok) }
            let block = peer.state.withLock { $0.frames.last { $0.kind == 1 }?.payload }
            // Two changes of the size (RFC 7541 section 6.3), and no field that only the table would have had.
            #expect(block?.prefix(5) == [0x20, 0x3F, 0xE1, 0x1F, 0x83])
        }
    }

    @Test func `a peer that takes a few at a time gets all of them done`() async throws {
        let behaviour = RawPeer.Behaviour { request in
            switch request.stream {
            case 1, 3, 5: [.send(Wire.response(request.stream))]
            case 7: [.send(Wire.goAway(5))]
            default: []
            }
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<60 {
                    group.addTask {
                        let response = try await transport.exchange(Self.post(origin))
                        #expect(response.status == .ok)
                    }
                }
                try await group.waitForAll()
            }
            #expect(transport.statistics.opened >= 20)
            #expect(transport.statistics.inFlight == 0)
        }
    }

    // MARK: Streams that are not allowed

    @Test func `a peer that allows no streams keeps requests waiting, and no longer than they may`() async throws {
        let behaviour = RawPeer.Behaviour(greeting: [.send(Wire.settings([(3, 0)]))]) { request in
            [.send(request.number == 0 ? Wire.reset(request.stream, 7) : Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour) { (_: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            var request = Self.post(origin)
            request.timeouts.queue = .milliseconds(100)
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .queue)
            #expect(transport.statistics.waiting == 0)
            #expect(transport.statistics.inFlight == 0)
        }
    }

    // MARK: Floods

    static let floods: [(name: String, bytes: [UInt8])] = [
        ("pings", Wire.frame(6, [UInt8](repeating: 0, count: 8))),
        ("settings", Wire.settings()),
        ("unknown frames", Wire.frame(0xFA)),
        ("priorities", Wire.frame(2, stream: 1, [0, 0, 0, 0, 0])),
        ("window updates", Wire.windowUpdate(1, 1)),
        ("resets of what has ended", Wire.reset(1, 8)),
        ("data for what has ended", Wire.data(1, [1])),
        ("heads for what has ended", Wire.head(1, isEnd: true)),
        ("empty data", Wire.data(3, [])),
    ]

    @Test(arguments: floods.indices) func `a flood ends the connection`(_ index: Int) async throws {
        let flood = Array(repeatElement(Self.floods[index].bytes, count: 10_100).joined())
        let behaviour = RawPeer.Behaviour { request in
            switch request.number {
            case 0: [.send(Wire.response(1))]
            case 1: [.send(Wire.head(3)), .stopReading, .send(flood)]
            default: [.send(Wire.response(request.stream))]
            }
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            #expect(try await transport.exchange(Self.post(origin)).status == .ok)
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(Self.post(origin)) }
            #expect(error?.code == .limitExceeded)
            #expect(try await transport.exchange(Self.post(origin)).status == .ok)
            #expect(transport.statistics.opened == 2)
        }
    }

    @Test func `a peer that wants answers and does not take them is cut off`() async throws {
        // Parts of a response in between, so that the frames do not count as idle.
        let pair = Wire.frame(6, [UInt8](repeating: 0, count: 8)) + Wire.data(1, [1])
        let flood = Array(repeatElement(pair, count: 20_000).joined())
        let behaviour = RawPeer.Behaviour(receiveBufferSize: 4096) { request in
            request.connection == 1
                ? [.send(Wire.head(1)), .stopReading] + [RawPeer.Step](repeating: .send(flood), count: 40)
                : [.send(Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(Self.post(origin)) }
            #expect(error?.code == .limitExceeded)
            #expect(try await transport.exchange(Self.post(origin)).status == .ok)
        }
    }

    @Test func `a peer that sends more than the window allows is cut off`() async throws {
        let piece = Wire.data(1, [UInt8](repeating: 1, count: 16_384))
        let behaviour = RawPeer.Behaviour { request in
            request.number == 0
                ? [.send(Wire.head(1))] + [RawPeer.Step](repeating: .send(piece), count: 256)
                : [.send(Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            var request = Self.post(origin)
            request.responseMode = .streamed
            let response = try await transport.exchange(request)
            try await peer.until { $0.frames.contains { $0.kind == 7 } }
            #expect(peer.state.withLock { $0.frames.first { $0.kind == 7 }?.code } == 3)
            let error = await #expect(throws: TransportError.self) { try await response.body.collect(upTo: 1 << 30) }
            #expect(error?.code == .protocolViolation)
            #expect(try await transport.exchange(Self.post(origin)).status == .ok)
        }
    }
}
