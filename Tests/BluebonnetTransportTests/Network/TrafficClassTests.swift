// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import BluebonnetTesting
import HTTPTypes
import NIOCore
import NIOHTTP2
import NIOPosix
import Testing

@testable import BluebonnetTransport

/// Sockets and packets of a class.
@Suite(.timeLimit(.minutes(1))) struct TrafficClassTests {
    static let addresses = ["127.0.0.1", "::1"]

    /// Opens a socket of a class to a port that listens.
    private static func dial(
        _ trafficClass: TrafficClass,
        _ address: String,
        _ look: (any Channel, _ port: Int) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let listener = try await ServerBootstrap(group: group).bind(host: address, port: 0).get()
        let port = listener.localAddress?.port ?? 0
        let dialed = try await Dialer(resolver: .system, options: SocketOptions(), clock: .system).dial(
            .host(address, port: port),
            from: Egress(trafficClass: trafficClass),
            timeouts: Timeouts(),
            observation: nil,
            on: group.any()
        ).get()
        try await look(dialed.channel, port)
        try await dialed.channel.close()
        try await listener.close()
    }

    private static func option(
        _ level: NIOBSDSocket.OptionLevel,
        _ name: NIOBSDSocket.Option,
        of channel: any Channel
    ) async throws -> Int {
        Int(try await channel.getOption(ChannelOptions.Types.SocketOption(level: level, name: name)).get())
    }

    @Test(arguments: TrafficClass.allCases, Self.addresses)
    func `a socket has the code point and the priority of its class`(
        _ one: TrafficClass,
        _ address: String
    ) async throws {
        try await Self.dial(one, address) { channel, _ in
            let field = Int(one.codePoint) << 2
            if address == "::1" {
                let six = try await Self.option(.ipv6, .trafficClass, of: channel)
                #expect(six == field)
            }
            let four = try await Self.option(.ip, .typeOfService, of: channel)
            #expect(four == field)
            let priority = try await Self.option(.socket, .priority, of: channel)
            #expect(priority == Int(one.priority))
        }
    }

    @Test(
        .enabled(if: PacketCapture.obstacle == nil, Comment(rawValue: PacketCapture.obstacle ?? "it can be opened")),
        arguments: TrafficClass.allCases,
        Self.addresses
    )
    func `every packet of a connection has the code point of its class, the first one too`(
        _ one: TrafficClass,
        _ address: String
    ) async throws {
        let capture = try #require(PacketCapture())
        try await Self.dial(one, address) { _, port in
            let packets = capture.packets(to: port)
            #expect(packets.count >= 2, "SYN and ACK")
            for packet in packets {
                #expect(packet.differentiatedServices >> 2 == one.codePoint)
                #expect(packet.version == (address == "::1" ? 6 : 4))
            }
        }
    }

    @Test(.enabled(if: PacketCapture.obstacle == nil, Comment(rawValue: PacketCapture.obstacle ?? "it can be opened")))
    func `a request's packets have its class, and requests of two classes share no connection`() async throws {
        let capture = try #require(PacketCapture())
        try await Engine.run { engine in
            for (one, opened) in [(TrafficClass.standard, 1), (.telephony, 2), (.telephony, 2), (.standard, 2)] {
                var request = engine.request(.get, "/bytes/10")
                request.trafficClass = one
                let answer = try await engine.send(request)
                #expect(answer.status == 200)
                #expect(engine.transport.statistics.opened == opened)
                let points = Set(capture.packets(to: engine.origin.port).map { $0.differentiatedServices >> 2 })
                #expect(points == [one.codePoint])
            }
        }
    }

    @Test func `requests of two classes share no HTTP/2 connection`() async throws {
        try await HTTP2Server.run { _, transport, origin in
            for one in [TrafficClass.standard, .lowerEffort, .standard, .lowerEffort] {
                var request = TransportRequest(origin: origin, target: "/")
                request.trafficClass = one
                let response = try await transport.exchange(request)
                #expect(response.metrics.httpVersion == .http2)
            }
            #expect(transport.statistics.opened == 2)
        }
    }

    @Test func `the connection to a proxy has the class of the request`() async throws {
        let key = PoolKey(Self.proxied(.signaling), route: .direct)
        #expect(key.egress.trafficClass == .signaling)
        #expect(key != PoolKey(Self.proxied(.standard), route: .direct))
        try await ScriptedPeer.run([.readHead, .send(Line.response("ok"))]) { peer in
            try await NIOTransport.running(NIOTransport.Configuration()) { transport in
                var request = Self.proxied(.signaling)
                request.proxy = .fixed(Proxy(scheme: .http, host: "127.0.0.1", port: peer.port))
                let capture = PacketCapture()
                let response = try await transport.exchange(request)
                #expect(response.status == .ok)
                let points = capture?.packets(to: peer.port).map { $0.differentiatedServices >> 2 } ?? []
                #expect(points.allSatisfy { $0 == TrafficClass.signaling.codePoint })
            }
        }
    }

    private static func proxied(_ one: TrafficClass) -> TransportRequest {
        var request = TransportRequest(origin: Origin(scheme: .http, host: "a.test"), target: "/")
        request.trafficClass = one
        return request
    }
}
#endif
