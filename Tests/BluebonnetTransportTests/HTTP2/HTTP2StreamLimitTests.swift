// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

/// Streams that are opened before the server has announced in its SETTINGS how many it allows.
@Suite(.timeLimit(.minutes(1))) struct HTTP2StreamLimitTests {
    /// Lets connections be made when a test says so.
    private struct GatedResolver: NameResolver {
        let isOpen = Flag()

        func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
            while !self.isOpen.isRaised { await Task.yield() }
            return [try SocketAddress(ipAddress: "127.0.0.1", port: port)]
        }
    }

    private static let refusedStream: UInt32 = 7

    /// SETTINGS with a limit on concurrent streams.
    private static func settings(_ limit: UInt32) -> [RawPeer.Step] { [.send(Wire.settings([(3, limit)]))] }

    /// The number of requests on the last connection that were sent before the client knew the server's settings.
    private static func earlyCount(_ peer: RawPeer) -> Int {
        let frames = peer.state.withLock { $0.frames }
        let start = frames.lastIndex { $0.kind == 4 && $0.flags & 1 == 0 } ?? 0
        return frames[start...].prefix { $0.kind != 4 || $0.flags & 1 == 0 }.count { $0.kind == 1 }
    }

    private static func run(
        _ behaviour: RawPeer.Behaviour,
        _ body: (RawPeer, NIOTransport, Origin, Flag) async throws -> Void
    ) async throws {
        var configuration = NIOTransport.Configuration()
        // On a busy machine the settings may take longer than a request waits for them.
        configuration.clock = EngineClock(ManualClock())
        let resolver = GatedResolver()
        configuration.resolver = resolver
        try await RawPeer.run(behaviour, engine: configuration) {
            (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            defer { resolver.isOpen.raise() }
            let origin = Origin(scheme: .http, host: "a.test", port: origin.port)
            try await body(peer, transport, origin, resolver.isOpen)
        }
    }

    /// Sends requests that wait together for a connection.
    private static func send(
        _ count: Int,
        _ request: TransportRequest,
        over transport: NIOTransport,
        _ isOpen: Flag
    ) async throws {
        let exchanges = (0..<count).map { _ in Task { try await transport.exchange(request).status } }
        while transport.statistics.waiting < count { await Task.yield() }
        isOpen.raise()
        for exchange in exchanges { #expect(try await exchange.value == .ok) }
    }

    @Test(.bug(id: "F710"), arguments: [HTTPRequest.Method.get, .post])
    func `a refusal beyond a limit that was not known leaves a request its retry`(
        _ method: HTTPRequest.Method
    ) async throws {
        var behaviour = RawPeer.Behaviour { request in
            // Of the first five one is served; the first that comes again is refused again.
            let isRefused = (1...5).contains(request.number)
            let answer = isRefused ? Wire.reset(request.stream, Self.refusedStream) : Wire.response(request.stream)
            return (request.number == 0 ? Self.settings(1) : []) + [.send(answer)]
        }
        // The limit comes when the first five have been sent.
        behaviour.greeting = []
        try await Self.run(behaviour) { peer, transport, origin, isOpen in
            var request = TransportRequest(method: method, origin: origin, target: "/")
            if method == .post { request.body = .bytes(ByteBuffer(string: "hello")) }
            try await Self.send(5, request, over: transport, isOpen)
            #expect(peer.state.withLock { $0.requests } == 10)
            #expect(peer.state.withLock { $0.connections } == 1)
        }
    }

    @Test(.bug(id: "F710")) func `a server that refuses the first stream of every connection gets no more than three`()
        async throws
    {
        let behaviour = RawPeer.Behaviour { request in
            [.send(Wire.goAway(request.stream) + Wire.reset(request.stream, Self.refusedStream))]
        }
        try await Self.run(behaviour) { peer, transport, origin, isOpen in
            isOpen.raise()
            let error = await #expect(throws: TransportError.self) {
                try await transport.exchange(TransportRequest(origin: origin, target: "/"))
            }
            #expect(error?.code == .connectionClosed)
            #expect(error?.isRequestSent == false)
            #expect(peer.state.withLock { $0.requests } == 3)
        }
    }

    @Test(.bug(id: "F710")) func `a new connection begins with the limit of the last one`() async throws {
        var behaviour = RawPeer.Behaviour { request in
            let isLast = request.number == 0
            return [.send(Wire.response(request.stream) + (isLast ? Wire.goAway(request.stream) : []))]
        }
        behaviour.greeting = Self.settings(2)
        try await Self.run(behaviour) { peer, transport, origin, isOpen in
            let request = TransportRequest(origin: origin, target: "/")
            try await Self.send(1, request, over: transport, isOpen)
            try await peer.until { $0.open == 0 }
            isOpen.lower()
            try await Self.send(30, request, over: transport, isOpen)
            #expect(Self.earlyCount(peer) == 2)
            #expect(peer.state.withLock { $0.connections } == 2)
        }
    }

    @Test(.bug(id: "F711")) func `a request whose body comes once waits for the server's settings`() async throws {
        var behaviour = RawPeer.Behaviour { [.send(Wire.response($0.stream))] }
        behaviour.greeting = Self.settings(3)
        try await Self.run(behaviour) { peer, transport, origin, isOpen in
            var request = TransportRequest(method: .put, origin: origin, target: "/")
            request.body = .reader(length: 5, isReplayable: false) { RepeatingReader(remaining: 5) }
            try await Self.send(7, request, over: transport, isOpen)
            #expect(Self.earlyCount(peer) == 0)
            #expect(peer.state.withLock { $0.requests } == 7)
        }
    }

    @Test(.bug(id: "F853")) func `a server that sends no settings is silent, and each request has its own limits`()
        async throws
    {
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        configuration.http2.pingInterval = nil
        var behaviour = RawPeer.Behaviour { _ in [] }
        behaviour.greeting = []
        try await RawPeer.run(behaviour, engine: configuration) {
            (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            var upload = TransportRequest(method: .put, origin: origin, target: "/")
            upload.timeouts.idle = .seconds(3)
            upload.body = .reader(length: 5, isReplayable: false) { RepeatingReader(remaining: 5) }
            var other = TransportRequest(origin: origin, target: "/")
            other.timeouts.idle = .seconds(3)
            let exchanges = [upload, other].map { request in Task { try await transport.exchange(request) } }
            try await peer.until { $0.frames.contains { $0.kind == 4 } }
            for exchange in exchanges {
                let result = await clock.advance(by: .milliseconds(500), until: exchange)
                let error = #expect(throws: TransportError.self) { try result.get() }
                #expect(error?.code == .timedOut)
                #expect(error?.phase == .responseHead, "and not the limit on waiting for a connection")
            }
        }
    }

    @Test(.bug(id: "F712")) func `a refused request is sent again if its body, which comes once, was held back`()
        async throws
    {
        let behaviour = RawPeer.Behaviour { request in
            [
                .send(
                    request.number == 0 ? Wire.reset(request.stream, Self.refusedStream) : Wire.response(request.stream)
                )
            ]
        }
        try await Self.run(behaviour) { peer, transport, origin, isOpen in
            var request = TransportRequest(method: .put, origin: origin, target: "/")
            request.body = .reader(length: 5, isReplayable: false) { RepeatingReader(remaining: 5) }
            request.continueTimeout = .seconds(60)
            try await Self.send(1, request, over: transport, isOpen)
            #expect(peer.state.withLock { $0.requests } == 2)
        }
    }
}
