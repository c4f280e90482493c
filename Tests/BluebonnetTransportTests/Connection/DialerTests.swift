// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import BluebonnetTransport

/// Names, addresses and sockets.
@Suite(.timeLimit(.minutes(1))) struct DialerTests {
    /// Answers as it is told, and keeps what it was asked.
    final class RecordingResolver: NameResolver {
        private let asked = Mutex<[String]>([])
        private let answer: @Sendable (Int) async throws -> [SocketAddress]

        init(_ answer: @escaping @Sendable (_ port: Int) async throws -> [SocketAddress]) {
            self.answer = answer
        }

        var questions: [String] { self.asked.withLock { $0 } }

        func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
            self.asked.withLock { $0.append("\(host):\(port)") }
            return try await self.answer(port)
        }
    }

    /// Dials and closes again.
    @discardableResult
    static func dial(
        _ host: String,
        port: Int,
        resolver: any NameResolver = .system,
        options: SocketOptions = SocketOptions(),
        timeouts: Timeouts = Timeouts(),
        _ look: (any Channel) async throws -> Void = { _ in }
    ) async throws -> ConnectionStamps {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        let dialed = try await Dialer(resolver: resolver, options: options, clock: .system)
            .dial(.host(host, port: port), timeouts: timeouts, observation: nil, on: eventLoop).get()
        try await look(dialed.channel)
        try await dialed.channel.close()
        return dialed.stamps
    }

    @Test func `goes where the resolver says, and stays the origin's for the peer`() async throws {
        try await TestServer.withServer { server async throws in
            let port = server.port
            let resolver = RecordingResolver { _ in [try SocketAddress(ipAddress: "127.0.0.1", port: port)] }
            var configuration = NIOTransport.Configuration()
            configuration.resolver = resolver
            let transport = NIOTransport(configuration: configuration)
            let response = try await transport.exchange(
                TransportRequest(origin: Origin(scheme: .http, host: "nowhere.test", port: 81), target: "/status/200")
            )
            #expect(response.status == .ok)
            #expect(resolver.questions == ["nowhere.test:81"])
            let stamps = [
                response.metrics.started, response.metrics.resolveStarted, response.metrics.resolveEnded,
                response.metrics.connectStarted, response.metrics.connectEnded, response.metrics.requestHeadStarted,
            ].compactMap { $0 }
            #expect(stamps.count == 6 && stamps == stamps.sorted())
            let host = try await server.takeRequest().headers.first { $0.name.canonicalName == "host" }
            #expect(host?.value == "nowhere.test:81")
            await transport.shutdown()
        }
    }

    @Test(arguments: ["127.0.0.1", "::1"]) func `an address is not looked up`(_ address: String) async throws {
        let resolver = RecordingResolver { _ in [] }
        let error = await #expect(throws: TransportError.self) {
            try await Self.dial(address, port: try await refusedPort(), resolver: resolver)
        }
        #expect(error?.code == .connectFailed)
        #expect(resolver.questions.isEmpty)
    }

    @Test(
        .bug(id: "F464"),
        .bug(id: "F509"),
        arguments: ["fe80::1%lo", "fe80::1%1", "fe80::1%none", "::1%lo", "::1%none"]
    )
    func `an address with a zone is not looked up`(_ address: String) async throws {
        let resolver = RecordingResolver { _ in [] }
        let error = await #expect(throws: TransportError.self) {
            try await Self.dial(address, port: try await refusedPort(), resolver: resolver)
        }
        // A zone that this machine does not have is no address of it.
        let isKnown = !address.utf8.elementsEqual("\(Authority.withoutZone(address))%none".utf8)
        #expect(error?.code == (isKnown ? .connectFailed : .nameResolutionFailed))
        #expect(isKnown || error?.reason.contains("no network interface “none”") ?? false)
        #expect(resolver.questions.isEmpty)
    }

    @Test(.bug(id: "F287"), arguments: [("127.0.0.1", false), ("a.test", true)])
    func `only a name that is looked up has the stamps of a lookup`(_ host: String, _ isLookedUp: Bool) async throws {
        try await ScriptedPeer.run([]) { peer async throws in
            let port = peer.port
            let resolver = RecordingResolver { _ in [try SocketAddress(ipAddress: "127.0.0.1", port: port)] }
            let stamps = try await Self.dial(host, port: port, resolver: resolver)
            #expect((stamps.resolveStarted != nil) == isLookedUp)
            #expect((stamps.resolveEnded != nil) == isLookedUp)
            #expect(stamps.connectEnded != nil)
        }
    }

    @Test func `the system knows this machine`() async throws {
        let addresses = try await SystemNameResolver().addresses(of: "localhost", port: 81)
        #expect(!addresses.isEmpty)
        #expect(addresses.allSatisfy { $0.port == 81 && ["127.0.0.1", "::1"].contains($0.ipAddress) })
    }

    @Test func `a name that cannot exist has no address`() async throws {
        // RFC 6761 section 6.4; an empty label is no name at all, so nobody is asked.
        let error = await #expect(throws: TransportError.self) { try await Self.dial("a..invalid", port: 1) }
        #expect(error?.code == .nameResolutionFailed)
        #expect(error?.phase == .resolve)
    }

    struct Failure: Error {}

    static let failures: [@Sendable (Int) async throws -> [SocketAddress]] = [
        { _ in [] },
        { _ in throw Failure() },
        { _ in throw CancellationError() },
        { _ in [try SocketAddress(unixDomainSocketPath: "/tmp/x")] },
    ]

    @Test(arguments: failures.indices) func `a resolver without an answer is a typed error at once`(
        _ index: Int
    ) async throws {
        let started = ContinuousClock.now
        let error = await #expect(throws: TransportError.self) {
            try await Self.dial("a.test", port: 1, resolver: RecordingResolver(Self.failures[index]))
        }
        #expect(error?.code == .nameResolutionFailed)
        #expect(error?.phase == .resolve)
        #expect(started.duration(to: .now) < .seconds(1))
    }

    @Test func `a resolver that does not answer is given up in time, and told so`() async throws {
        let (cancelled, told) = AsyncStream.makeStream(of: Void.self)
        let resolver = RecordingResolver { _ in
            await withTaskCancellationHandler {
                for await _ in AsyncStream<Void>.makeStream().stream {}
            } onCancel: {
                told.yield()
            }
            return []
        }
        var timeouts = Timeouts()
        timeouts.resolve = .milliseconds(50)
        let error = await #expect(throws: TransportError.self) {
            try await Self.dial("a.test", port: 1, resolver: resolver, timeouts: timeouts)
        }
        #expect(error?.code == .timedOut)
        #expect(error?.phase == .resolve)
        for await _ in cancelled { break }
    }

    @Test func `the next address is tried when one refuses`() async throws {
        try await ScriptedPeer.run([]) { peer async throws in
            let (refused, port) = (try await refusedPort(), peer.port)
            let stamps = try await Self.dial(
                "a.test",
                port: 1,
                resolver: RecordingResolver { _ in
                    [
                        try SocketAddress(ipAddress: "::1", port: refused),
                        try SocketAddress(ipAddress: "127.0.0.1", port: refused),
                        try SocketAddress(ipAddress: "127.0.0.1", port: port),
                    ]
                }
            )
            #expect(stamps.remoteAddress == "127.0.0.1:\(port)")
        }
    }

    @Test func `fails as fast as the system says so, with what it says of each address`() async throws {
        let refused = try await refusedPort()
        let started = ContinuousClock.now
        let error = await #expect(throws: TransportError.self) {
            try await Self.dial(
                "a.test",
                port: 1,
                resolver: RecordingResolver { _ in
                    [
                        try SocketAddress(ipAddress: "127.0.0.1", port: refused),
                        // No connection goes to everybody.
                        try SocketAddress(ipAddress: "255.255.255.255", port: 1),
                    ]
                }
            )
        }
        #expect(error?.code == .connectFailed)
        #expect(error?.phase == .connect)
        #expect(
            error?.reason.contains("Connection refused (127.0.0.1:\(refused))") == true,
            "\(String(describing: error))"
        )
        #expect(error?.reason.contains("Network is unreachable (255.255.255.255:1)") == true)
        #expect(started.duration(to: .now) < .seconds(1))
    }

    @Test func `connects from the address it is told`() async throws {
        try await ScriptedPeer.run([.send("x")]) { peer async throws in
            var options = SocketOptions()
            options.localAddress = "127.0.0.9"
            try await Self.dial("127.0.0.1", port: peer.port, options: options) { channel in
                #expect(channel.localAddress?.ipAddress == "127.0.0.9")
            }
            for (local, reason) in [("nonsense", "not an address"), ("::1", "same family")] {
                options.localAddress = local
                let error = await #expect(throws: TransportError.self) {
                    try await Self.dial("127.0.0.1", port: peer.port, options: options)
                }
                #expect(error?.code == .connectFailed)
                #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
            }
            #expect(Set(peer.callers) == ["127.0.0.9"])
        }
    }

    @Test(.bug(id: "F672"), arguments: [["127.0.0.1"], ["127.0.0.1", "127.0.0.2"]])
    func `a local address that the machine does not have is named`(_ addresses: [String]) async throws {
        let resolver = RecordingResolver { port in try addresses.map { try SocketAddress(ipAddress: $0, port: port) } }
        var options = SocketOptions()
        options.localAddress = "203.0.113.9"
        let error = await #expect(throws: TransportError.self) {
            try await Self.dial("a.test", port: 1, resolver: resolver, options: options)
        }
        #expect(error?.code == .connectFailed)
        #expect(
            error?.reason
                == "a.test:1 cannot be reached: the local address 203.0.113.9 is not one of this machine"
        )
    }

    @Test func `sets the options of the socket`() async throws {
        try await ScriptedPeer.run([]) { peer async throws in
            func values(_ options: SocketOptions) async throws -> [ChannelOptions.Types.SocketOption.Value] {
                var values = [ChannelOptions.Types.SocketOption.Value]()
                try await Self.dial("127.0.0.1", port: peer.port, options: options) { channel in
                    values.append(try await channel.getOption(.tcpOption(.tcp_nodelay)).get())
                    values.append(try await channel.getOption(.socketOption(.so_keepalive)).get())
                    values.append(try await channel.getOption(.tcpOption(.keepAliveIdle)).get())
                    values.append(try await channel.getOption(.tcpOption(.keepAliveInterval)).get())
                }
                return values
            }
            var options = SocketOptions()
            #expect(try await values(options).prefix(2) == [1, 0])
            options.noDelay = false
            options.keepAlive = .seconds(45)
            #expect(try await values(options) == [0, 1, 45, 45])
            for (keepAlive, seconds) in [(Duration.zero, 1), (.seconds(-5), 1), (.seconds(1 << 40), 32_767)] {
                options.keepAlive = keepAlive
                #expect(try await values(options).suffix(2) == [seconds, seconds])
            }
        }
    }
}
